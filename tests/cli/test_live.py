"""A live pipe: a line in, its answer out, and learned, while the pipe stays open; the same bits whatever the pauses."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.io import Batch, _source
from onlinear.io._formats import detect_format
from onlinear.io._source import Pause

from ..waiting import DEADLINE, process_of_test
from .commands import ENVIRONMENT, write_svmlight
from .commands import onlinear as run

TRAINING = {
    "svmlight": b"1 1:1 2:0.5\n-1 3:1\n",
    "vw": b"1 |w free money\n-1 |w team lunch\n",
    "csv": b"words,label\n3,spam\n-1,ham\n",
    "jsonl": b'{"label": "spam", "text": "free money"}\n{"label": "ham", "text": "team lunch"}\n',
    "text": b"spam\tfree money\nham\tteam lunch\n",
}


class Pipes:
    """A command between two pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._got = b""

    def give(self, data: bytes) -> None:
        """Write, and leave the pipe open."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self, name: str = "stdout") -> bytes:
        """The next line that comes; none fails the test."""
        pipe = getattr(self.process, name)
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while b"\n" not in self._got:
            assert poll.poll(DEADLINE * 1000), "waited in vain for a line"
            data = os.read(pipe.fileno(), 1 << 16)
            assert data, "the process has ended"
            self._got += data
        line, self._got = self._got.split(b"\n", 1)
        return line

    def end(self) -> bytes:
        """Close the pipe; what was written since."""
        out, err = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == 0, err.decode()
        return self._got + out


@contextmanager
def piped(*arguments: object) -> Iterator[Pipes]:
    """A command that reads a pipe."""
    command = [sys.executable, "-m", "onlinear", *map(str, arguments)]
    pipe: Any = subprocess.PIPE
    with process_of_test(command, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        yield Pipes(process)


def learned(folder: Path, content: bytes, *options: object) -> Path:
    """A model of some lines."""
    (folder / "data").write_bytes(content * 10 if b"label\n" not in content else content)
    model = folder / "m.safetensors"
    done = run("train", folder / "data", *options, "-q", "--save", model)
    assert done.code == 0, done.err
    return model


# ---------------------------------------------------------------------- predicting


@pytest.mark.parametrize("format", list(TRAINING))
def test_a_line_is_answered_before_the_next_is_written(format: str, tmp_path: Path) -> None:
    """In every format that has lines; the pipe stays open all the while."""
    model = learned(tmp_path, TRAINING[format], "--format", format)
    first, *rest = TRAINING[format].splitlines(keepends=True)
    expected = run("predict", model, tmp_path / "data", "--format", format).out.split()
    with piped("predict", model, "--format", format) as pipes:
        if format == "csv":
            pipes.give(first)
        else:
            rest = [first, *rest]
        for line, answer in zip(rest * 3, expected[: len(rest)] * 3, strict=True):
            pipes.give(line)
            assert pipes.line().decode() == answer
        assert pipes.end() == b""


@pytest.mark.parametrize(
    ("lines", "training", "asking"),
    [
        (b"1 1:1 2:0.5\n-1 3:1\n", [], ["--scores", "--proba", "--std"]),
        (b"2.5 1:1 2:0.5\n-1 3:1\n", ["--task", "regression"], ["--std"]),
        (b"1 1:1 2:0.5\n1 3:1\n", ["--task", "one-class"], ["--scores"]),
        (b"1,2 1:1 2:0.5\n3 3:1\n", ["--task", "multilabel"], ["--top", "2"]),
    ],
)
def test_every_kind_of_model_answers_at_once(
    lines: bytes, training: list[str], asking: list[str], tmp_path: Path
) -> None:
    """With all columns that can be asked for."""
    model = learned(tmp_path, lines, "--format", "svmlight", *training)
    expected = run("predict", model, tmp_path / "data", "--format", "svmlight", *asking).out.splitlines()
    with piped("predict", model, *asking) as pipes:
        for line, answer in zip(lines.splitlines(keepends=True), expected, strict=False):
            pipes.give(line)
            assert pipes.line().decode() == answer


def test_a_sentence_is_answered_when_it_ends(tmp_path: Path) -> None:
    """A blank line ends it."""
    sentence = b"the D\ndog N\nbarks V\n\n"
    model = learned(tmp_path, sentence, "--task", "sequence")
    with piped("predict", model) as pipes:
        for _ in range(3):
            pipes.give(sentence)
            assert [pipes.line().split()[0] for _ in range(3)] == [b"the", b"dog", b"barks"]
            assert pipes.line() == b""


def test_a_first_line_shorter_than_any_mark_is_answered(tmp_path: Path) -> None:
    """What might become a byte order mark, or compressed, is waited for no longer than that."""
    model = learned(tmp_path, b"yes\ta\nno\tb\n", "--format", "text", "--analyzer", "char")
    with piped("predict", model) as pipes:
        for line, answer in ((b"a\n", b"yes"), (b"b\n", b"no")):
            pipes.give(line)
            assert pipes.line() == answer


def test_a_compressed_pipe_is_answered_as_it_is_flushed(tmp_path: Path) -> None:
    """What the decompressor can know is known at once."""
    model = learned(tmp_path, TRAINING["svmlight"], "--format", "svmlight")
    gzip = zlib.compressobj(wbits=31)
    with piped("predict", model, "--format", "svmlight") as pipes:
        for line, answer in ((b"1 1:1\n", b"1"), (b"-1 3:1\n", b"-1")):
            pipes.give(gzip.compress(line) + gzip.flush(zlib.Z_SYNC_FLUSH))
            assert pipes.line() == answer
        pipes.give(gzip.flush())
        assert pipes.end() == b""


# ---------------------------------------------------------------------- learning


@pytest.mark.parametrize("format", ["svmlight", "vw", "jsonl"])
def test_a_line_is_learned_before_the_next_is_written(format: str, tmp_path: Path) -> None:
    """The table shows it; its format is told by its first line."""
    lines = TRAINING[format].splitlines(keepends=True)
    with piped("train", "-") as pipes:
        pipes.give(lines[0])
        table = [pipes.line("stderr") for _ in range(3)]
        assert table[-1].split()[-4] == b"1", table
        pipes.give(lines[1])
        assert pipes.line("stderr").split()[-4] == b"2"


def test_what_came_before_an_interruption_is_learned_and_saved(tmp_path: Path) -> None:
    """Every line written so far, though no batch was full; the same model as of a file with them."""
    data = write_svmlight(tmp_path / "d.svm", 8)
    whole, broken = tmp_path / "whole.safetensors", tmp_path / "broken.safetensors"
    assert run("train", data, "--format", "svmlight", "-q", "--save", whole).code == 0
    with piped("train", "-", "--format", "svmlight", "--save", broken) as pipes:
        pipes.give(data.read_bytes())
        while pipes.line("stderr").split()[-4:-3] != [b"8"]:
            pass
        pipes.process.send_signal(signal.SIGINT)
        pipes.process.communicate(timeout=DEADLINE)
        assert pipes.process.returncode == 130
    assert onlinear.load(broken).digest() == onlinear.load(whole).digest()


# ---------------------------------------------------------------------- the same bits


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pauses_anywhere_change_neither_models_nor_answers(seed: int, tmp_path: Path) -> None:
    """Blocks end where they like, in the middle of a number too, and the reader waits for the next."""
    rng = np.random.default_rng(seed)
    data = write_svmlight(tmp_path / "d.svm", 200, classes=3, seed=seed)
    content = data.read_bytes()
    model = tmp_path / "m.safetensors"
    assert run("train", data, "-q", "--save", model).code == 0
    expected = run("predict", model, data).out
    cuts = sorted(rng.choice(len(content), 12, replace=False).tolist())
    with piped("predict", model, "-") as pipes:
        answers = []
        for first, last in zip([0, *cuts], [*cuts, len(content)], strict=True):
            pipes.give(content[first:last])
            while len(answers) < content[:last].count(b"\n"):  # all that can be answered is
                answers.append(pipes.line().decode())
        assert pipes.end() == b""
    assert "".join(f"{answer}\n" for answer in answers) == expected

    end, begin = os.pipe()
    with onlinear.read(f"/dev/fd/{end}", "svmlight") as reader:

        def batches() -> Iterator[Batch]:
            """Those of each block, and then the next block."""
            rows = 0
            for first, last in zip([0, *cuts], [*cuts, len(content)], strict=True):
                os.write(begin, content[first:last])
                while rows < content[:last].count(b"\n"):
                    batch = next(reader)
                    rows += batch.n_rows
                    yield batch
            os.close(begin)

        streamed = onlinear.AROWClassifier().fit_stream(batches())
    os.close(end)
    assert streamed.digest() == onlinear.AROWClassifier().fit_stream(onlinear.read(data)).digest()


class _Stream:
    """A stream that is asked whether more is there."""

    def __init__(self, live: bool, ready: bool) -> None:
        self.live, self._ready, self.asked = live, ready, []  # type: ignore[var-annotated]

    def ready(self, seconds: float) -> bool:
        self.asked.append(seconds)
        return self._ready


def test_rows_of_a_busy_pipe_wait_for_others_and_only_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bulk comes in whole batches; a pipe that trickles without end does not keep rows back; a file never pauses."""
    now = [5.0]
    monkeypatch.setattr(_source.time, "monotonic", lambda: now[0])
    pause = Pause(_Stream(live=True, ready=True))  # type: ignore[arg-type]
    assert not pause.begun()
    now[0] += 0.004
    assert not pause.begun()
    now[0] += 0.007
    assert pause.begun(), "the first row has waited for 11 ms"
    assert not pause.begun(), "the next moment begins with the next row"
    pause.over()
    now[0] += 1
    assert not pause.begun(), "rows handed over in a full batch wait no more"

    idle = _Stream(live=True, ready=False)
    assert Pause(idle).begun()  # type: ignore[arg-type]
    assert idle.asked == [pytest.approx(0.01)]
    file = _Stream(live=False, ready=False)
    assert not Pause(file).begun()  # type: ignore[arg-type]
    assert file.asked == []


def test_a_line_that_is_cut_does_not_hide_the_format() -> None:
    """What was read of a file to tell its format may end anywhere."""
    assert detect_format("stream", b"a,b,label\n1,2") == "csv"
    assert detect_format("stream", b"a\tb\tlabel\n1") == "tsv"
    assert detect_format("stream", json.dumps({"label": 1}).encode()) == "jsonl"
