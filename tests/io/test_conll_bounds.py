"""Files of tokens that lack what ends a sequence or a line: memory stays bounded, and the error says where and what to do."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from onlinear import SequenceLabeler
from onlinear.cli import main
from onlinear.exceptions import ParameterError, ReadError

from ..cli.commands import onlinear as run
from ..waiting import DEADLINE


def endless(path: Path, tokens: int) -> Path:
    """A compressed file of one sequence."""
    with gzip.open(path, "wb") as file:
        for _ in range(tokens // 10_000):
            file.write(b"the DT B-NP\n" * 10_000)
    return path


def test_a_file_without_blank_lines_is_refused_where_it_gets_too_long(tmp_path: Path) -> None:
    """Ninety kilobytes that would have become five gigabytes, under a limit of one."""
    data = endless(tmp_path / "bomb.gz", 4_000_000)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "from onlinear.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "train", str(data), "--task", "sequence", "-q"],
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"onlinear: {data}:65537:1: expected a blank line after at most 65536 tokens (raise max_tokens, or "
        "--max-tokens, for longer sequences), found none since line 1\n"
    )


@pytest.mark.parametrize("method", ["fit_file", "partial_fit_file", "predict_file", "evaluate_file"])
def test_the_bound_holds_at_one_token_more(method: str, tmp_path: Path) -> None:
    """In Python too, whoever reads; the model is what it was."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("\n\n" + "a B\n" * 5 + "\n" + "b I\n" * 5)
    bad.write_text("\n\n" + "a B\n" * 5 + "\n" + "b I\n" * 6)
    model = SequenceLabeler(max_tokens=5).fit_file(good)
    getattr(model, method)(good)
    before = model.digest()
    with pytest.raises(
        ReadError, match=r"bad:14:1: expected a blank line .* found none since line 9"
    ) as raised:
        getattr(model, method)(bad)
    assert (raised.value.line, raised.value.column) == (14, 1)
    assert model.digest() == before
    getattr(model.set_params(max_tokens=6), method)(bad)


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", None])
def test_max_tokens_is_a_whole_number(value: Any) -> None:
    """As every parameter that counts."""
    with pytest.raises(ParameterError, match="max_tokens"):
        SequenceLabeler(max_tokens=value).fit([[["a"]]], [["B"]])


def test_the_command_obeys_its_options(tmp_path: Path) -> None:
    """A longer sequence is read where asked for, the model remembers it, and rows have no such option."""
    data, rows, saved = tmp_path / "s.conll", tmp_path / "a.svm", tmp_path / "m.safetensors"
    data.write_text("a B\n" * 9 + "\n" + "b I\n" * 3)
    rows.write_text("1 1:1\n-1 2:1\n")
    train = ["train", data, "--task", "sequence", "-q", "--save", saved]
    assert run(*train, "--max-tokens", 8).code == 1
    assert run(*train, "--max-tokens", 0).code == 2
    assert run(*train, "--max-tokens", 9).code == 0
    assert run("predict", saved, data).code == 0
    assert "s.conll:8:1" in run("predict", saved, data, "--max-tokens", 7).err
    skipped = run(*train, "--max-tokens", 8, "--on-error", "skip", "--json")
    assert (skipped.json["refused"], skipped.json["examples"]) == (1, 1)
    for command in (["train"], ["convert", rows, tmp_path / "a.vw"][:1]):
        done = run(
            *command, rows, *([tmp_path / "a.vw"] if command == ["convert"] else []), "--max-tokens", 9
        )
        assert done.code == 2
        assert "--max-tokens is for sequences" in done.err


@pytest.mark.parametrize("word", [b"a", b" ", b"\n"])
def test_a_line_without_an_end_is_refused(word: bytes, tmp_path: Path) -> None:
    """Also one of blanks, and a file of nothing but empty lines, before any token has come."""
    data = tmp_path / "s.conll"
    data.write_bytes(word * (1 << 24) + word * 10)
    with pytest.raises(ReadError, match="s.conll:1:1: expected"):
        SequenceLabeler().fit_file(data)


def test_a_long_line_among_others_is_passed_over_where_asked(tmp_path: Path) -> None:
    """With its sequence, counted once; the lines after it keep their numbers."""
    data = tmp_path / "s.conll"
    data.write_bytes(b"a B\nb I\n\n" + b"x" * 300_000 + b" B\nc I\n\nd B\n\ne\n")
    done = run(
        *(
            "train",
            data,
            "--task",
            "sequence",
            "-q",
            "--max-line-bytes",
            200_000,
            "--json",
            "--on-error",
            "skip",
        )
    )
    assert (done.json["refused"], done.json["examples"]) == (2, 2)
    stopped = run("train", data, "--task", "sequence", "-q", "--max-line-bytes", 200_000)
    assert "s.conll:4:1: expected a line of at most 200000 bytes" in stopped.err
    later = run("train", data, "--task", "sequence", "-q")
    assert "s.conll:9:" in later.err


@pytest.mark.parametrize("endless", [b"x\n", b"xxxxxxxx"], ids=["sequence", "line"])
def test_lines_that_no_label_will_stand_on_are_not_kept(endless: bytes, tmp_path: Path) -> None:
    """`predict --on-error skip` passes over a sequence or a line without an end in bounded memory."""
    learned, data, out = tmp_path / "a.conll", tmp_path / "b.conll", tmp_path / "out"
    learned.write_text("a B\nx I\n\nx B\n")
    model = SequenceLabeler().fit_file(learned)
    model.save(tmp_path / "m.safetensors")
    options = ["predict", tmp_path / "m.safetensors", data, "--on-error", "skip", "-o", out]
    options += ["--max-tokens", 9, "--max-line-bytes", 1000]
    peaks = []
    for times in (1 << 10, 1 << 20):
        data.write_bytes(b"a\nx\n\n" + endless * times + b"\n\n" + 9 * b"a\n" + b"\nx")
        tracemalloc.start()
        try:
            assert main([str(option) for option in options]) == 0
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        labels = [list(map(bytes.decode, line.split())) for line in out.read_bytes().split(b"\n")]
        assert [line[0] for line in labels if line] == [*"ax", *9 * "a", "x"]
        assert all(len(line) == 2 for line in labels if line)

    assert peaks[1] < peaks[0] + (6 << 20)  # keeping its lines would take 25 and more
