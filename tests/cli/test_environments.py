"""Processes in environments that are not the author's: almost no variables, streams closed or full, other locales."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import onlinear

from ..waiting import DEADLINE, process_of_test
from .commands import write_svmlight

#: What a stranger's shell has at least.
BARE = {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}

#: Every command, and what else writes to standard output.
COMMANDS = {
    "train": "train DATA",
    "train --json": "train DATA --json",
    "predict": "predict MODEL DATA",
    "predict --proba": "predict MODEL DATA --proba --header",
    "predict sequences": "predict LABELER SENTENCES",
    "evaluate": "evaluate MODEL DATA",
    "inspect": "inspect MODEL",
    "convert": "convert DATA - --to vw",
    "convert to a table": "convert DATA - --to csv",
    "convert to parquet": "convert DATA - --to parquet",
    "algorithms": "algorithms",
    "demo": "demo --limit 300 --output SHOWN",
    "--help": "--help",
    "train --help": "train --help",
    "--version": "--version",
}

#: Each with Python's outputs as they usually are, and some with outputs that are never buffered.
CASES = [*((command, "") for command in COMMANDS), ("predict", "1"), ("train --help", "1"), ("evaluate", "1")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Data and models of it."""
    folder = tmp_path_factory.mktemp("a folder with spaces")
    data = write_svmlight(folder / "train.svm", 40)
    sentences = folder / "s.conll"
    sentences.write_text("the DT B\ncat NN I\n\nit PRP B\nsleeps VBZ O\n\n" * 20)
    model, labeler = folder / "m.safetensors", folder / "s.safetensors"
    places = {"DATA": data, "MODEL": model, "SENTENCES": sentences, "LABELER": labeler, "SHOWN": folder / "s"}
    given = {name: str(path) for name, path in places.items()}
    assert shell("train DATA -q --save MODEL", given).returncode == 0
    assert shell("train SENTENCES --task sequence -q --save LABELER", given).returncode == 0
    return given


def shell(
    words: str, files: dict[str, str], redirect: str = "", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command by a shell, in an environment of almost nothing."""
    command = [sys.executable, "-m", "onlinear", *(files.get(word, word) for word in words.split())]
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirect}', "sh", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=BARE | {name: value for name, value in variables.items() if value},
        timeout=DEADLINE,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """The last line on standard error."""
    return next(reversed(done.stderr.decode().splitlines()), "")


# ---------------------------------------------------------------------- outputs


@pytest.mark.parametrize(("command", "unbuffered"), CASES)
def test_a_full_disk_behind_standard_output_is_an_error(
    command: str, unbuffered: str, files: dict[str, str]
) -> None:
    """Whether the output is found to be full at once or when it is flushed at the end."""
    done = shell(COMMANDS[command], files, "> /dev/full", PYTHONUNBUFFERED=unbuffered)

    assert done.returncode == 1
    assert last_line(done) == "onlinear: cannot write to standard output: No space left on device"


@pytest.mark.parametrize(("command", "unbuffered"), CASES)
def test_a_closed_standard_output_is_an_error(command: str, unbuffered: str, files: dict[str, str]) -> None:
    """What was asked for cannot be told, and nobody may take it for told."""
    done = shell(COMMANDS[command], files, ">&-", PYTHONUNBUFFERED=unbuffered)

    assert done.returncode == 1
    assert last_line(done) == "onlinear: cannot write to standard output: it is closed"


@pytest.mark.parametrize(("command", "unbuffered"), CASES)
def test_a_reader_that_has_gone_ends_the_command_quietly(
    command: str, unbuffered: str, files: dict[str, str]
) -> None:
    """As the shell's own tools do when their pipe is closed: exit code 141, and no line about it."""
    words = [files.get(word, word) for word in COMMANDS[command].split()]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "onlinear", *words],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.PIPE,
            env=BARE | ({"PYTHONUNBUFFERED": "1"} if unbuffered else {}),
            timeout=DEADLINE,
            check=False,
        )

    assert done.returncode == 141
    assert b"onlinear:" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("errors", ["2>&-", "2> /dev/full"])
@pytest.mark.parametrize("command", COMMANDS)
def test_standard_error_never_stops_a_command(command: str, errors: str, files: dict[str, str]) -> None:
    """Progress that cannot be shown is no reason not to do the work."""
    done = shell(COMMANDS[command], files, errors)

    assert done.returncode == 0
    assert done.stdout


def test_a_model_is_saved_whatever_becomes_of_the_summary(files: dict[str, str], tmp_path: Path) -> None:
    """Quiet training says nothing, so that a closed output is no error of it."""
    whole = onlinear.load(files["MODEL"]).digest()
    for number, (quiet, redirect, code) in enumerate(
        [("-q", ">&-", 0), ("-q", "> /dev/full", 0), ("", ">&-", 1), ("", "> /dev/full 2>&-", 1)]
    ):
        saved = tmp_path / f"{number}.safetensors"
        done = shell(f"train DATA --save SAVED {quiet}", {**files, "SAVED": str(saved)}, redirect)
        assert done.returncode == code
        assert onlinear.load(saved).digest() == whole


def test_a_file_opened_later_does_not_take_the_place_of_a_closed_output(
    files: dict[str, str], tmp_path: Path
) -> None:
    """The lowest free number is given to the next file: what is meant for the output would go into the data."""
    before = Path(files["DATA"]).read_bytes()
    for target in ("-", "/dev/stdout", "/dev/stderr"):
        shell(f"convert DATA {target} --to vw", files, "<&- >&- 2>&-")
        shell(f"predict MODEL DATA -o {target}", files, "<&- >&- 2>&-")
        assert Path(files["DATA"]).read_bytes() == before


# ---------------------------------------------------------------------- input


@pytest.mark.parametrize("words", ["train -", "predict MODEL -", "evaluate MODEL -", "convert - OUT.vw"])
def test_a_closed_standard_input_is_an_error(words: str, files: dict[str, str], tmp_path: Path) -> None:
    """One that says what is closed."""
    done = shell(words, {**files, "OUT.vw": str(tmp_path / "out.vw")}, "<&-")

    assert done.returncode == 1
    assert last_line(done) == "onlinear: standard input: it is closed"


def test_no_files_and_a_closed_standard_input_is_wrong_usage(files: dict[str, str]) -> None:
    """As with a terminal."""
    assert shell("predict MODEL", files, "<&-").returncode == 2


def test_an_input_that_cannot_be_read_is_named(files: dict[str, str]) -> None:
    """A standard input that was opened for writing only."""
    done = shell("train -", files, "0> /dev/null")

    assert done.returncode == 1
    assert last_line(done) == "onlinear: standard input: bad file descriptor"


# ---------------------------------------------------------------------- variables

#: Those that change how letters are read and written.
LETTERS: dict[str, dict[str, str]] = {
    "almost nothing": {},
    "LANG=C": {"LANG": "C"},
    "LC_ALL=C": {"LC_ALL": "C"},
    "ASCII alone": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "an ASCII terminal": {"PYTHONIOENCODING": "ascii"},
}
#: Those that change where files may lie and how wide a line may be.
ENVIRONMENTS: dict[str, dict[str, str]] = {
    **LETTERS,
    "a home that is not there": {"HOME": "/proc/nonexistent", "MPLCONFIGDIR": "/proc/nonexistent"},
    "a home that cannot be written": {"HOME": "/proc/1", "MPLCONFIGDIR": "/proc/1"},
    "a dumb terminal": {"TERM": "dumb", "COLUMNS": "1"},
    "a terminal of no width": {"TERM": "xterm", "COLUMNS": "0", "LINES": "0", "FORCE_COLOR": "1"},
    "no folder for temporary files": {"TMPDIR": "/proc/1"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_commands_work_in_every_environment(name: str, tmp_path: Path) -> None:
    """With letters beyond ASCII in the names of files, in labels and in features."""
    folder = tmp_path / "été 1"
    folder.mkdir()
    rows, text, tokens = folder / "ä.svm", folder / "ä.jsonl", folder / "ä.conll"
    rows.write_text("été 1:1\nß 2:1\n" * 5, encoding="utf-8")
    text.write_text('{"label": "é", "text": "ça"}\n{"label": "ü", "text": "über"}\n' * 5, encoding="utf-8")
    tokens.write_text("le DT B-é\nété NN I-é\n\nla DT B-ü\n\n" * 5, encoding="utf-8")
    files = {"ROWS": rows, "TEXT": text, "TOKENS": tokens}
    files |= {name: folder / f"ö{name}.safetensors" for name in ("A", "B", "C")}
    files |= {"PAGE": folder / "page.html", "LABELS": folder / "labels", "RUN": folder / "rün"}
    given = {name: os.fspath(path) for name, path in files.items()}
    everywhere = [
        "train ROWS --save A --checkpoint RUN --passes 2",
        "predict A ROWS -o LABELS",
        "evaluate A ROWS",
        "inspect A",
        "inspect A --html PAGE",
        "algorithms",
        "train --help",
    ]
    of_letters = [
        "predict A ROWS --proba --header",
        "train TEXT --save B --json",
        "inspect B --json",
        "train TOKENS --task sequence --save C",
        "predict C TOKENS",
    ]
    for words in everywhere + (of_letters if name in LETTERS else []):
        done = shell(words, given, **ENVIRONMENTS[name])
        assert done.returncode == 0, (words, done.stderr.decode())
        assert done.stdout or "-o" in words
    assert files["LABELS"].read_text(encoding="utf-8").split() == ["été", "ß"] * 5
    missing = shell("train GONE", {"GONE": f"{folder}/gone.svm"}, **ENVIRONMENTS[name])
    assert missing.returncode == 1
    assert "gone.svm: no such file" in last_line(missing)


def test_the_demonstration_needs_no_display_and_no_home(tmp_path: Path) -> None:
    """Its plot is a file."""
    shown = tmp_path / "shown here"
    done = shell("demo --limit 300 --output SHOWN", {"SHOWN": str(shown)}, HOME="/proc/nonexistent")

    assert done.returncode == 0, done.stderr.decode()
    assert {path.name for path in shown.iterdir()} == {"docstrings.safetensors", "progress.png"}


# ---------------------------------------------------------------------- names of files in errors


def test_a_full_disk_names_the_file(files: dict[str, str], tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; the file is not there, nor is a part of it."""
    for words in (
        "train DATA -q --save OUT",
        "train DATA -q --checkpoint RUN",
        "predict MODEL DATA -o OUT",
        "inspect MODEL --html OUT",
        "convert DATA OUT --to vw",
        "convert MODEL OUT --dtype float64",
        "convert MODEL OUT --compact",
        "predict LABELER SENTENCES -o OUT",
    ):
        given = {**files, "OUT": str(tmp_path / "out"), "RUN": str(tmp_path)}
        limited = ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "onlinear"]
        done = subprocess.run(
            [*limited, *(given.get(word, word) for word in words.split())],
            env=BARE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        )
        assert done.returncode == 1, words
        name = "checkpoint.safetensors" if "RUN" in words else "out"
        assert last_line(done) == f"onlinear: {tmp_path / name}: file too large", words
        assert list(tmp_path.iterdir()) == []


def test_an_error_is_one_line_whatever_the_file_is_called(files: dict[str, str], tmp_path: Path) -> None:
    """A line feed or an escape in a name is shown by its escape."""
    strange = tmp_path / "a\nb\x1b[31m.svm"
    for words in ("train STRANGE", "predict STRANGE DATA", "predict MODEL DATA -o STRANGE/x"):
        done = shell(words, {**files, "STRANGE": str(strange), "STRANGE/x": str(strange / "x")})
        assert done.returncode == 1
        assert done.stderr.count(b"\n") == 1
        assert b"a\\nb\\x1b[31m.svm" in done.stderr
    strange.write_text("1 nonsense\n")
    done = shell("train STRANGE", {"STRANGE": str(strange)})
    assert done.stderr.count(b"\n") == 1


def test_a_link_that_leads_to_itself_is_not_replaced(files: dict[str, str], tmp_path: Path) -> None:
    """There is no file behind it to be written."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    done = shell("train DATA -q --save LOOP", {**files, "LOOP": str(tmp_path / "a")})

    assert done.returncode == 1
    assert "too many levels of symbolic links" in last_line(done)
    assert (tmp_path / "a").is_symlink()


# ---------------------------------------------------------------------- the library beside the command


@pytest.fixture(params=["algorithms arow", "train DATA -q", "--version"])
def commanded(request: pytest.FixtureRequest, files: dict[str, str]) -> str:
    """A program that calls the command first, in its own process."""
    words = [files.get(word, word) for word in request.param.split()]
    return f"from onlinear.cli import main\nassert main({words!r}) == 0\n"


def test_calling_the_command_in_a_process_leaves_the_estimators_whole(commanded: str) -> None:
    """Those imported afterwards have scikit-learn's manners as ever."""
    code = commanded + (
        "import numpy as np, onlinear\n"
        "X, y = np.random.default_rng(0).standard_normal((60, 3)), np.arange(60) % 2\n"
        "model = onlinear.AROWClassifier().set_params(r=2.0)\n"
        "assert model.get_params()['r'] == 2.0\n"
        "import inspect\n"
        "assert inspect.ismodule(inspect) and inspect.signature(onlinear.AROWClassifier.fit)\n"
        "from sklearn.base import BaseEstimator, clone\n"
        "from sklearn.model_selection import cross_val_score\n"
        "assert isinstance(clone(model), BaseEstimator)\n"
        "assert len(cross_val_score(model, X, y, cv=3)) == 3\n"
        "import pandas\n"
        "frame = pandas.DataFrame(X, columns=['a', 'b', 'c'])\n"
        "assert model.fit(frame, y).feature_names_in_.tolist() == ['a', 'b', 'c']\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=BARE)
    assert done.returncode == 0, done.stderr.decode()


# ---------------------------------------------------------------------- signals while modules are imported

# Sends a signal when a module begins to be imported, and goes on as if nothing had happened.
SENDER = """
import os, sys
class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["WHEN"]:
            os.environ["WHEN"] = ""
            os.kill(os.getpid(), int(os.environ["SIGNAL"]))
sys.meta_path.insert(0, Sender())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "module",
    [
        "onlinear.cli._streams",
        "onlinear.cli.actions",
        "onlinear._core",
        "onlinear.io",
        "json",
        "numpy",
        "numpy.linalg",
        "numpy._core._multiarray_umath",
        "numpy._core.multiarray",
    ],
)
def test_a_signal_amid_an_import_ends_the_process_in_a_line(
    module: str, number: int, files: dict[str, str], tmp_path: Path
) -> None:
    """A module is not broken off; the signal is obeyed when it is there."""
    (tmp_path / "sitecustomize.py").write_text(SENDER)
    variables = {"PYTHONPATH": str(tmp_path), "WHEN": module, "SIGNAL": str(int(number))}
    with process_of_test(
        # A pipe that brings nothing: the command does not end by itself.
        [sys.executable, "-m", "onlinear", "predict", files["LABELER"], "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=BARE | variables,
    ) as process:
        process.wait(DEADLINE)
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() == b""
        assert process.stderr.read() == b"onlinear: interrupted\n"
    assert process.returncode == 128 + number
