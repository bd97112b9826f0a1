"""Settings for all tests: the same examples on every run, unless asked to explore."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.hostile import counting

# A run in the background of a script ignores Ctrl-C, and so would every process that a test starts to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A run that fails must fail again on the next machine. To look for new examples: HYPOTHESIS_PROFILE=explore.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# Whether a test fails is enough for `make mutants`; looking for the smallest example takes minutes.
settings.register_profile(
    "unshrunk",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate),
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Files that tests of this process save are not flushed: nobody pulls the plug, and a flush takes longer than a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.hookimpl(optionalhook=True)  # there when pytest-xdist is
def pytest_testnodedown(node: Any) -> None:
    """Hear from a worker that has finished."""
    counting.count(getattr(node, "workeroutput", {}).get("hostile", 0))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send a worker's count home."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["hostile"] = counting.tried


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many hostile objects were tried."""
    if counting.tried:
        terminalreporter.write_line(f"hostile objects tried: {counting.tried}")
