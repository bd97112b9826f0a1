"""A thread that works ahead: items are made while the last ones are used."""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

__all__ = ["Ahead"]

T = TypeVar("T")

# How long closing waits for a thread that is stuck in a read, as from a terminal. It is a daemon and
# holds no lock then, so it may be left behind.
_PATIENCE = 1.0


class _End:
    """The last thing in the queue: the error that ended the items, if any."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Work(Generic[T]):
    """What the thread and its owner share. The owner is not here, so that it can be collected."""

    def __init__(self, items: Generator[T, None, None], depth: int) -> None:
        self.items = items
        self.queue: queue.Queue[T | _End] = queue.Queue(depth)
        self.stopping = threading.Event()

    def run(self) -> None:
        end = _End(None)
        try:
            for item in self.items:
                self.queue.put(item)
                if self.stopping.is_set():
                    break
        except BaseException as error:
            end = _End(error)
        finally:
            self.items.close()
            self.queue.put(end)

    def stop(self, thread: threading.Thread) -> None:
        """Ask the thread to end and make room for what it still puts."""
        self.stopping.set()
        waited = 0.0
        while thread.is_alive() and waited < _PATIENCE:
            try:
                while True:
                    self.queue.get_nowait()
            except queue.Empty:
                pass
            thread.join(0.01)
            waited += 0.01


class Ahead(Iterator[T]):
    """Iterate over a generator that runs in a thread of its own.

    The order is the generator's; an exception of it is raised where it would have been. At most `depth` items
    wait. Closing, or letting go of the object, ends the thread.

    Parameters
    ----------
    items : generator
        Run by the thread alone.
    depth : int
        How many items may wait.
    """

    def __init__(self, items: Generator[T, None, None], depth: int) -> None:
        self._work: _Work[T] = _Work(items, depth)
        thread = threading.Thread(target=self._work.run, name="onlinear-reader", daemon=True)
        # Also runs at exit, before the interpreter is taken down under the thread's feet.
        self._close = weakref.finalize(self, self._work.stop, thread)
        self._ended = False
        thread.start()

    def __next__(self) -> T:
        if self._ended:
            raise StopIteration
        item = self._work.queue.get()
        if not isinstance(item, _End):
            return item
        self._ended = True
        if item.error is not None:
            raise item.error
        raise StopIteration

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._close()
