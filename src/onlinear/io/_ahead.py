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
    """What the thread and its owner share. The owner is not here, so that it can be collected.

    Simple queues only: a Ctrl-C that comes while one waits leaves no lock behind, as it can in the others. A place
    is taken for every item and given back when the item is fetched.
    """

    def __init__(self, items: Generator[T, None, None], depth: int) -> None:
        self.items = items
        self.queue: queue.SimpleQueue[T | _End] = queue.SimpleQueue()
        self.places: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.stopping = False
        for _ in range(depth):
            self.places.put(None)

    def run(self) -> None:
        end = _End(None)
        try:
            for item in self.items:
                self.places.get()
                if self.stopping:
                    break
                self.queue.put(item)
        except BaseException as error:
            end = _End(error)
        finally:
            self.items.close()
            self.queue.put(end)

    def stop(self, thread: threading.Thread) -> None:
        """Ask the thread to end; it may be waiting for a place."""
        self.stopping = True
        self.places.put(None)
        thread.join(_PATIENCE)


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
        self._next: T | _End | None = None  # taken from the queue to see whether it is there
        thread.start()

    def ready(self, seconds: float) -> bool:
        """Whether the next item, or the end, is there within some time."""
        if self._next is None:
            try:
                self._next = self._work.queue.get(timeout=seconds)
            except queue.Empty:
                return False
        return True

    def __next__(self) -> T:
        if self._ended:
            raise StopIteration
        item, self._next = self._next, None
        if item is None:
            item = self._work.queue.get()
        if not isinstance(item, _End):
            self._work.places.put(None)
            return item
        self._ended = True
        if item.error is not None:
            raise item.error
        raise StopIteration

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._close()
