"""Real processes killed at random moments: nothing half-written, and resumed runs end with the same bits."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onlinear

from ..cli.commands import onlinear as run
from ..cli.commands import start, stop, write_svmlight
from ..waiting import DEADLINE, process_of_test, wait_for

TIMES = 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """EnoughError rows to be killed among them; words as labels of three classes."""
    path = write_svmlight(tmp_path_factory.mktemp("data") / "train.svm", 4000, features=400, classes=3)
    packed = path.with_suffix(".svm.gz")
    with gzip.open(packed, "wb") as file:
        file.write(path.read_bytes() * 6)
    return packed


@pytest.fixture(scope="module")
def large(data: Path) -> Path:
    """Long enough for a kill to come while it is learned, not while Python starts."""
    path = data.with_name("large.svm.gz")
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(gzip.decompress(data.read_bytes()) * 6)
    return path


def _resumed(options: list[object], folder: Path, saved: Path) -> int:
    """Run to the end, however often it takes; returns how many processes took part."""
    for attempt in range(1, 50):
        done = run("train", *options, "--checkpoint", folder, "--resume", "--save", saved, "-q")
        if done.code == 0:
            return attempt
    raise AssertionError("never ended")


@pytest.mark.parametrize(
    "how",
    [
        ["-a", "arow"],
        ["-a", "averaged-perceptron"],
        ["-a", "romma", "--holdout", "0.2"],
        ["-a", "scw1", "--dtype", "float64"],
        ["-a", "norma"],
        ["-a", "narow", "-p", "class_weight=balanced"],
        ["-a", "adagrad-rda"],
    ],
    ids=lambda how: "-".join(how[1:]),
)
def test_stopping_at_every_checkpoint_changes_no_bits(how: list[str], data: Path, tmp_path: Path) -> None:
    """A run interrupted mid-pass and resumed, over two passes of a .gz file, is the uninterrupted one."""
    from onlinear.cli import _train, main

    whole, parts = tmp_path / "whole.safetensors", tmp_path / "parts.safetensors"
    options = [str(data), *how, "--passes", "2", "-q"]
    assert main(["train", *options, "--save", str(whole)]) == 0

    class EnoughError(Exception):
        pass

    save, left = _train.Checkpoint.save, [0]

    def save_and_die(self: _train.Checkpoint, model: object, progress: _train.Progress) -> None:
        save(self, model, progress)
        left[0] -= 1
        if left[0] == 0 and not progress.finished:
            raise EnoughError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_train.Checkpoint, "save", save_and_die)
        for attempt in range(100):
            left[0] = 1 + attempt % 3
            every = [
                "--checkpoint",
                str(tmp_path / "run"),
                "--every",
                "5171",
                "--resume",
                "--save",
                str(parts),
            ]
            if main(["train", *options, *every]) == 0:
                break
    assert attempt >= 4
    assert parts.read_bytes() == whole.read_bytes()


def test_a_killed_run_resumes_to_the_same_bits(large: Path, tmp_path: Path) -> None:
    """Kill -9 at twenty random moments of training, over two passes of compressed input."""
    whole, parts, folder = tmp_path / "whole.safetensors", tmp_path / "parts.safetensors", tmp_path / "run"
    options: list[object] = [large, "--passes", 2, "--every", 3000]
    assert run("train", *options, "--save", whole, "-q").code == 0
    checkpoint = folder / "checkpoint.safetensors"
    rng = random.Random(1)
    killed = ended = 0
    while killed < TIMES:
        process = start("train", *options, "--checkpoint", folder, "--resume", "--save", parts, "-q")
        # It is learning once it has written a checkpoint of its own.
        wait_for_files(checkpoint, rng.randint(1, 4), process)
        killed += process.poll() is None
        stop(process)
        if parts.exists():  # it came to its end; begin again
            assert parts.read_bytes() == whole.read_bytes()
            ended += 1
            parts.unlink()
            checkpoint.unlink()
    _resumed(options, folder, parts)
    assert parts.read_bytes() == whole.read_bytes()
    print(f"kill -9 while training: {killed} times, {ended + 1} runs brought to their end")


#: Saves over and over in a process of its own whenever a line comes: so that NumPy is imported once, not twenty times.
SAVE = """
import os, sys
import numpy as np, onlinear

path, X = sys.argv[1], np.random.default_rng(0).standard_normal((4, 60000))
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        model = onlinear.AROWClassifier(dtype='float32')
        while True:
            model.partial_fit(X, [0, 1, 0, 1])
            model.save(path)
    print(child, flush=True)
    os.waitpid(child, 0)
    print('dead', flush=True)
"""


def test_a_process_killed_while_saving_leaves_a_whole_model(tmp_path: Path) -> None:
    """Kill -9 at twenty random moments of saving over and over: the file is always a whole model."""
    path = tmp_path / "model.safetensors"
    rng = random.Random(2)
    with process_of_test(
        [sys.executable, "-c", SAVE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for _ in range(TIMES):
            parent.stdin.write(b"\n")
            parent.stdin.flush()
            child = int(parent.stdout.readline())
            wait_for_files(path, rng.randint(1, 4), parent)
            os.kill(child, signal.SIGKILL)
            assert parent.stdout.readline() == b"dead\n"
            assert onlinear.load(path).n_seen_ % 4 == 0
        parent.stdin.close()
    onlinear.load(path).save(path)
    assert [item.name for item in tmp_path.iterdir()] == [
        "model.safetensors"
    ]  # what the dead left is swept away
    print(f"kill -9 while saving: {TIMES} times")


def wait_for_files(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has put so many new files in a place, or has ended."""
    seen = [_identity(path)]

    def all_there() -> bool:
        found = _identity(path)
        if found != seen[-1]:
            seen.append(found)
        return len(seen) > count or process.poll() is not None

    wait_for(all_there)


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_ino, status.st_mtime_ns


def left_in(pipe: Any) -> int:
    """How many bytes nobody has taken from a pipe."""
    import array
    import fcntl
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def test_ctrl_c_stops_cleanly_and_saves(data: Path, tmp_path: Path) -> None:
    """Twenty times: exit code 130, no traceback, and the model so far is saved whole."""
    rng = random.Random(3)
    saved = stopped = 0
    for attempt in range(TIMES):
        path = tmp_path / f"m{attempt}.safetensors"
        process = start("train", *[data] * 40, "--passes", 50, "--save", path)
        assert process.stderr is not None
        for _ in range(
            rng.randint(3, 12)
        ):  # two lines of heads, and a line each for examples 1, 2, 4, 8, ...
            process.stderr.readline()
        done = stop(process, signal.SIGINT)
        assert done.code == 130, done.err
        stopped += 1
        if path.exists():
            saved += 1
            assert onlinear.load(path).n_seen_ > 0
    assert saved == stopped == TIMES
    print(f"Ctrl-C: {stopped} times")


def test_ctrl_c_while_waiting_for_a_pipe(tmp_path: Path) -> None:
    """Nobody has to press it twice because no data comes."""
    path = tmp_path / "m.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-m", "onlinear", "train", "-", "--format", "svmlight", "--save", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b"1 1:1\n-1 2:1\n" * 100_000)
    process.stdin.flush()
    assert process.stderr is not None
    for _ in range(5):
        process.stderr.readline()
    wait_for(lambda: left_in(process.stdin) == 0)  # it has taken all there is, and waits for more
    process.send_signal(signal.SIGINT)
    process.wait(DEADLINE)
    assert process.returncode == 130
    assert onlinear.load(path).n_seen_ > 0
    process.communicate()


def test_an_unfinished_checkpoint_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    """Without --resume an earlier run's work is not thrown away; with another plan it is not mixed up."""
    process = start("train", *[data] * 20, "--checkpoint", tmp_path / "run", "--every", 1000, "--passes", 50)
    wait_for((tmp_path / "run" / "checkpoint.safetensors").exists)
    stop(process)
    again = run("train", *[data] * 20, "--checkpoint", tmp_path / "run", "--every", 1000, "--passes", 50)
    assert again.code == 2
    assert "--resume" in again.err
    other = run("train", data, "--checkpoint", tmp_path / "run", "--resume", "-q")
    assert other.code == 2
    assert "another run" in other.err


def test_a_damaged_checkpoint_is_refused(data: Path, tmp_path: Path) -> None:
    """Half a checkpoint is an error, not a fresh start."""
    folder = tmp_path / "run"
    assert run("train", data, "--checkpoint", folder, "-q").code == 0
    path = folder / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-5])
    done = run("train", data, "--checkpoint", folder, "--resume", "-q")
    assert done.code == 1
    assert "checkpoint.safetensors" in done.err


def test_a_finished_run_resumes_to_its_model(data: Path, tmp_path: Path) -> None:
    """--resume after the end saves the same model again."""
    options: list[object] = ["train", data, "--checkpoint", tmp_path / "run", "--resume", "-q", "--save"]
    assert run(*options, tmp_path / "a.safetensors").code == 0
    assert run(*options, tmp_path / "b.safetensors").code == 0
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
