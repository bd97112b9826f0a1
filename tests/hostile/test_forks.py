"""Processes forked while another thread is at work: the copy of the model works, or says why it does not."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onlinear

from ..waiting import DEADLINE

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

WORKED, REFUSED, OTHER = 0, 3, 4


def in_child(use: Callable[[], Any]) -> int:
    """Fork, use the model there, and answer how that went; a child that hangs is ended by an alarm."""
    child = os.fork()
    if child == 0:
        code = OTHER
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(DEADLINE))
        try:
            use()
            code = WORKED
        except RuntimeError as error:
            code = REFUSED if "forked" in str(error) and "spawn" in str(error) else OTHER
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_fork_while_nothing_learns_has_the_whole_model() -> None:
    """As multiprocessing makes them."""
    X, y = np.random.default_rng(0).standard_normal((50, 3)), np.arange(50) % 2
    model = onlinear.AROWClassifier().fit(X, y)

    assert in_child(lambda: model.partial_fit(X, y).predict(X)) == WORKED
    assert in_child(lambda: in_child(lambda: model.partial_fit(X, y)) == WORKED or 1 / 0) == WORKED


def test_a_fork_amid_learning_is_told_and_the_parent_goes_on() -> None:
    """The thread that learns stands still in the middle of a step while the process forks."""
    begun, go_on = threading.Event(), threading.Event()

    def cost(truth: list[Any], found: list[Any]) -> float:
        begun.set()
        go_on.wait(DEADLINE)
        return 1.0

    model = onlinear.SequenceLabeler(cost=cost)
    X, y = [[["a"], ["b"]], [["c"], ["d"]]], [["A", "B"], ["B", "A"]]
    go_on.set()
    model.partial_fit(X, y)
    begun.clear()
    go_on.clear()
    X, y = [*X, [["e"], ["a"]]], [*y, ["A", "A"]]
    thread = threading.Thread(target=model.partial_fit, args=(X, y))
    thread.start()
    assert begun.wait(DEADLINE)
    try:
        assert in_child(lambda: model.predict(X)) == REFUSED
        assert in_child(lambda: model.partial_fit(X, y)) == REFUSED
        assert in_child(lambda: onlinear.SequenceLabeler().fit(X, y).predict(X)) == WORKED
    finally:
        go_on.set()
        thread.join()
    assert model.n_seen_ == 5
    assert in_child(lambda: model.predict(X)) == WORKED


@pytest.mark.parametrize("work", ["partial_fit", "predict"])
def test_no_child_hangs_whatever_another_thread_does(work: str) -> None:
    """Forked at any moment: one that learns finds the model whole or is told; readers are in nobody's way."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((4000, 50)), rng.integers(0, 3, 4000)
    model = onlinear.AROWClassifier().fit(X, y)
    ended = threading.Event()

    def keep_on() -> None:
        while not ended.is_set():
            model.partial_fit(X, y) if work == "partial_fit" else model.predict(X)

    thread = threading.Thread(target=keep_on)
    thread.start()
    try:
        codes = {in_child(lambda: model.partial_fit(X[:9], y[:9]).predict(X[:9])) for _ in range(12)}
    finally:
        ended.set()
        thread.join()
    assert codes <= ({WORKED, REFUSED} if work == "partial_fit" else {WORKED})
