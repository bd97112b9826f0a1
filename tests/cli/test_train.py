"""``onlinear train`` as a real process."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

import onlinear
from onlinear.algorithms import table
from onlinear.cli._checkpoint import identity
from onlinear.estimators import make

from .commands import onlinear as run
from .commands import write_svmlight

KEYS = {
    "algorithm",
    "parameters",
    "examples",
    "features",
    "mistakes",
    "updates",
    "error",
    "test_error",
    "seconds",
    "examples_per_second",
    "peak_rss_mb",
    "refused",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hundred rows of two classes."""
    return write_svmlight(tmp_path_factory.mktemp("data") / "train.svm", 600)


def test_json_has_every_promised_key(data: Path, tmp_path: Path) -> None:
    """One JSON object on standard output, nothing else, with all keys and sensible values."""
    saved = tmp_path / "model.safetensors"
    done = run(
        "train",
        data,
        "--algorithm",
        "scw1",
        "-p",
        "C=1",
        "-p",
        "confidence=0.9",
        "--test",
        data,
        "--save",
        saved,
        "--json",
    )
    assert done.code == 0
    assert done.json.keys() >= KEYS
    assert done.json["examples"] == 600
    assert done.json["features"] == 50
    assert done.json["error"] == done.json["mistakes"] / 600
    assert done.json["test_error"] < 0.3
    assert done.json["parameters"]["C"] == 1
    assert saved.exists()


@pytest.mark.parametrize("name", table.names())
def test_every_algorithm_learns(name: str, data: Path, tmp_path: Path) -> None:
    """Each name of the list trains, saves, and its model is better than guessing."""
    from onlinear.cli import main

    saved = tmp_path / "model.safetensors"
    assert main(["train", str(data), "-a", name, "--quiet", "--save", str(saved)]) == 0
    model = onlinear.load(saved)
    assert type(model).__name__ == table.find(name).estimator
    assert model.n_seen_ == 600
    rows = next(iter(onlinear.read(data)))
    assert np.mean(model.predict(rows.X) == rows.y) > 0.7


@pytest.mark.parametrize("name", ["arow", "pa1", "averaged-perceptron", "adagrad-rda", "romma"])
def test_the_command_learns_the_same_bits_as_python(name: str, tmp_path: Path) -> None:
    """The command, small batches and single rows give one model, also when classes come late."""
    data = write_svmlight(tmp_path / "m.svm", 300, classes=4)
    saved = tmp_path / "model.safetensors"
    assert run("train", data, "-a", name, "--save", saved, "--quiet").code == 0
    streamed = make(name).fit_stream(onlinear.read(data, batch_size=7))
    assert onlinear.load(saved).digest() == streamed.digest()
    single = make(name).fit_stream(onlinear.read(data, batch_size=1))
    assert streamed.digest() == single.digest()


@pytest.mark.parametrize("name", ["arow", "averaged-perceptron"])
def test_scaled_features_are_the_same_bits_as_in_python(name: str, tmp_path: Path) -> None:
    """`--scale max` is ``scale="max"``, also by way of checkpoints; `inspect` tells it."""
    data = tmp_path / "units.svm"
    write_svmlight(tmp_path / "plain.svm", 300, classes=3)
    lines = (tmp_path / "plain.svm").read_text().splitlines()
    data.write_text(
        "".join(f"{line} 60:{1000 * (i % 7)} 61:{1e-6 * (i % 5)}\n" for i, line in enumerate(lines))
    )
    whole, resumed = tmp_path / "whole.safetensors", tmp_path / "resumed.safetensors"
    common = ("train", data, "-a", name, "--scale", "max", "--quiet")
    assert run(*common, "--save", whole).code == 0
    streamed = make(name, scale="max").fit_stream(onlinear.read(data, batch_size=7))
    assert onlinear.load(whole).digest() == streamed.digest()
    assert run(*common, "--checkpoint", tmp_path / "run", "--every", "70", "--save", resumed).code == 0
    assert (
        run(*common, "--checkpoint", tmp_path / "run", "--every", "70", "--resume", "--save", resumed).code
        == 0
    )
    assert onlinear.load(resumed).digest() == streamed.digest()
    assert "scale=max" in run("inspect", whole).out


@pytest.mark.parametrize("name", ["arow", "pa1"])
def test_centred_features_are_the_same_bits_as_in_python(name: str, tmp_path: Path) -> None:
    """`--center` is ``center=True``, also by way of checkpoints and where names are hashed to any column; `inspect` tells it."""
    data = tmp_path / "far.csv"
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)) + np.array([2000, 0, -1e6])
    labels = (rows[:, 0] - 2000 + rows[:, 1] > 0).astype(int)
    lines = [f"{a:.4f},{b:.4f},{c:.4f},{label}" for (a, b, c), label in zip(rows, labels, strict=True)]
    data.write_text("\n".join(["year,size,time,label", *lines]) + "\n")
    whole, resumed = tmp_path / "whole.safetensors", tmp_path / "resumed.safetensors"
    common = ("train", data, "-a", name, "--center", "--quiet")
    assert run(*common, "--save", whole).code == 0
    streamed = make(name, center=True).fit_stream(onlinear.read(data, batch_size=7))
    assert onlinear.load(whole).digest() == streamed.digest()
    assert run(*common, "--checkpoint", tmp_path / "run", "--every", "70", "--save", resumed).code == 0
    assert (
        run(*common, "--checkpoint", tmp_path / "run", "--every", "70", "--resume", "--save", resumed).code
        == 0
    )
    assert onlinear.load(resumed).digest() == streamed.digest()
    assert "center=True" in run("inspect", whole).out
    answers = run("predict", whole, data).out.split()
    assert np.mean(np.array(answers, int) == labels) > 0.75


def test_centring_is_said_once_and_rightly(tmp_path: Path) -> None:
    """By the option or by the parameter, and for models that have it."""
    data = write_svmlight(tmp_path / "m.svm", 30)
    assert run("train", data, "--center", "-p", "center=true").code == 2
    assert "StandardScaler" in run("train", data, "-a", "adagrad-rda", "--center").err
    assert run("train", data, "-p", "center=true", "--quiet").code == 0


def test_scale_is_said_once_and_rightly(tmp_path: Path) -> None:
    """By the option or by the parameter, and for models that have it."""
    data = write_svmlight(tmp_path / "m.svm", 30)
    assert run("train", data, "--scale", "max", "-p", "scale=max").code == 2
    assert "'max'" in run("train", data, "--scale", "min").err
    assert "MaxAbsScaler" in run("train", data, "-a", "adagrad-rda", "--scale", "max").err
    assert run("train", data, "-a", "adagrad-rda", "--scale", "none", "--quiet").code == 0


def test_labels_that_are_equal_numbers_are_one_class(tmp_path: Path) -> None:
    """+1, 1 and 1.0 are one class, written 1."""
    data = tmp_path / "a.svm"
    data.write_text("+1 1:1\n-1 2:1\n1 1:1\n1.0 1:1\n-1.0 2:1\n")
    done = run("train", data, "--json", "-q", "--save", tmp_path / "m.safetensors")
    assert done.json["classes"] == {"1": 3, "-1": 2}
    assert run("predict", tmp_path / "m.safetensors", data).out.split() == ["1", "-1", "1", "1", "-1"]


def test_text_and_number_labels_can_live_together(tmp_path: Path) -> None:
    """A stream whose labels turn out to be words keeps its numbers as classes of their own."""
    data = tmp_path / "a.jsonl"
    data.write_text('{"label": 1, "a": 1}\n{"label": "spam", "b": 1}\n{"label": "ham", "c": 1}\n' * 3)
    done = run("train", data, "--json", "-q", "--save", tmp_path / "m.safetensors")
    assert done.json["classes"] == {"1": 3, "spam": 3, "ham": 3}
    assert run("predict", tmp_path / "m.safetensors", data).out.split() == ["1", "spam", "ham"] * 3


def test_indices_are_one_based_unless_said_otherwise(tmp_path: Path) -> None:
    """Column = index - 1; with --zero-based column = index."""
    data = tmp_path / "a.svm"
    data.write_text("1 5:1\n-1 3:1\n")
    assert run("train", data, "--json", "-q").json["features"] == 5
    assert run("train", data, "--json", "-q", "--zero-based").json["features"] == 6


def test_an_index_past_the_limit_is_refused_with_the_remedy(tmp_path: Path) -> None:
    """--max-features refuses it and names --bits, which takes it."""
    data = tmp_path / "a.svm"
    data.write_text("1 5:1\n-1 300:1\n")
    done = run("train", data, "--max-features", 100)
    assert done.code == 1
    assert "a.svm:2:" in done.err
    assert "bits" in done.err
    assert run("train", data, "--max-features", 100, "--bits", 6, "-q").code == 0


def test_the_table_shows_powers_of_two_on_standard_error(data: Path) -> None:
    """Progressive validation at 1, 2, 4, ... 512; --quiet shows none and nothing else."""
    done = run("train", data)
    shown = [line.split()[3] for line in done.err.splitlines()[2:]]
    assert shown == [str(2**i) for i in range(10)]
    assert "progressive" in done.out
    silent = run("train", data, "--quiet")
    assert (silent.out, silent.err) == ("", "")


def test_the_table_changes_no_bits(data: Path, tmp_path: Path) -> None:
    """Looking at a prediction leaves the model as it is."""
    for name, options in (("loud", []), ("quiet", ["-q"])):
        assert run("train", data, "--save", tmp_path / f"{name}.safetensors", *options).code == 0
    assert (tmp_path / "loud.safetensors").read_bytes() == (tmp_path / "quiet.safetensors").read_bytes()


def test_a_model_of_nothing_is_not_saved(tmp_path: Path) -> None:
    """Where chance holds every example of a short file out."""
    (tmp_path / "short.svm").write_text("1 1:1\n2 2:1\n1 1:2\n")
    done = run("train", tmp_path / "short.svm", "--holdout", 0.99, "--save", tmp_path / "m.safetensors")
    assert done.code == 1
    assert "all of 3 examples are held out" in done.err
    assert not (tmp_path / "m.safetensors").exists()


def test_holdout_rows_are_predicted_and_not_learned(data: Path) -> None:
    """About the asked share is kept apart, chosen by the seed, the same in every pass."""
    done = run("train", data, "--holdout", 0.25, "--passes", 2, "--json", "-q").json
    assert 0.5 * 1200 < done["examples"] < 0.9 * 1200
    assert done["examples"] % 2 == 0
    assert 0 < done["holdout_error"] < 0.5
    other = run("train", data, "--holdout", 0.25, "--passes", 2, "--seed", 7, "--json", "-q").json
    assert other["examples"] != done["examples"] or other["mistakes"] != done["mistakes"]


def test_bad_lines_stop_or_are_counted(tmp_path: Path) -> None:
    """file:line:column and exit code 1; with --on-error skip a count, up to --max-errors."""
    data = tmp_path / "a.svm"
    data.write_text("1 1:1\n-1 2;0.5\n1 1:x\n-1 2:1\n")
    stopped = run("train", data, "--save", tmp_path / "m.safetensors")
    assert stopped.code == 1
    assert f"{data}:2:" in stopped.err
    assert "expected" in stopped.err
    assert not (tmp_path / "m.safetensors").exists()
    skipped = run("train", data, "--on-error", "skip", "--json", "-q")
    assert skipped.code == 0
    assert (skipped.json["refused"], skipped.json["examples"]) == (2, 2)
    twice = run("train", data, "--on-error", "skip", "--passes", 2, "--json", "-q")
    assert (twice.json["refused"], twice.json["examples"]) == (2, 4)
    limited = run("train", data, "--on-error", "skip", "--max-errors", 1)
    assert limited.code == 1
    none = run("train", data, "--on-error", "skip", "--max-errors", 0)
    assert none.code == 2
    assert "max_errors must be a whole number in [1," in none.err


@pytest.mark.parametrize("name", ["a.svm", "./a.svm", "*.svm"])
def test_a_model_is_not_written_over_its_data(name: str, tmp_path: Path) -> None:
    """However the file is named."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    done = run("train", name, "--save", "a.svm", cwd=tmp_path)
    assert done.code == 2
    assert "one of the files to read" in done.err
    assert (tmp_path / "a.svm").read_text() == "1 1:1\n-1 2:1\n"


def test_what_a_message_advises_can_be_said(tmp_path: Path) -> None:
    """Options for the remedies: another delimiter, cells without a value, longer lines."""
    table = tmp_path / "a.csv"
    table.write_text("a;label\n" + "1;x\nnan;y\n" * 20)
    assert "--delimiter" in run("train", table).err
    assert "--missing" in run("train", table, "--delimiter", ";").err
    model = tmp_path / "m.safetensors"
    options = ("--delimiter", ";", "--missing", "nan")
    assert run("train", table, *options, "--save", model, "-q").code == 0
    assert len(run("predict", model, table).out.split()) == 40  # the model remembers how it was read

    long = tmp_path / "long.svm"
    long.write_text("1 " + " ".join(f"{i}:0.5" for i in range(1, 20_000)) + "\n-1 1:1\n")
    assert "--max-line-bytes" in run("train", long, "--max-line-bytes", 1 << 16).err
    assert run("train", long, "-q").code == 0


def test_a_line_without_a_label_is_refused(tmp_path: Path) -> None:
    """Learning needs a label on every line."""
    data = tmp_path / "a.vw"
    data.write_text("1 | a\n| b\n")
    done = run("train", data)
    assert done.code == 1
    assert ":2" in done.err


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n"])
def test_an_empty_file_is_an_error(content: bytes, tmp_path: Path) -> None:
    """There is no model to make of nothing."""
    data = tmp_path / "a.svm"
    data.write_bytes(content)
    done = run("train", data, "--save", tmp_path / "m.safetensors")
    assert done.code == 1
    assert "no examples" in done.err
    assert not (tmp_path / "m.safetensors").exists()


def test_standard_input_and_compressions_give_the_same_model(data: Path, tmp_path: Path) -> None:
    """A pipe, .gz, .bz2, .xz and .zst hold the same rows."""
    from backports import zstd

    plain = data.read_bytes()
    assert run("train", data, "-q", "--save", tmp_path / "plain.safetensors").code == 0
    wanted = (tmp_path / "plain.safetensors").read_bytes()
    assert run("train", "-", "-q", "--save", tmp_path / "pipe.safetensors", stdin=plain).code == 0
    assert (tmp_path / "pipe.safetensors").read_bytes() == wanted
    packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress}
    for ending, pack in packers.items():
        packed = tmp_path / f"train.svm.{ending}"
        packed.write_bytes(pack(plain))
        assert run("train", packed, "-q", "--save", tmp_path / "packed.safetensors").code == 0
        assert (tmp_path / "packed.safetensors").read_bytes() == wanted


def test_several_files_and_globs_are_one_stream(data: Path, tmp_path: Path) -> None:
    """Two halves give the model of the whole."""
    lines = data.read_text().splitlines(keepends=True)
    (tmp_path / "part-1.svm").write_text("".join(lines[:250]))
    (tmp_path / "part-2.svm").write_text("".join(lines[250:]))
    assert run("train", data, "-q", "--save", tmp_path / "whole.safetensors").code == 0
    assert run("train", tmp_path / "part-*.svm", "-q", "--save", tmp_path / "parts.safetensors").code == 0
    whole, parts = (
        onlinear.load(tmp_path / "whole.safetensors"),
        onlinear.load(tmp_path / "parts.safetensors"),
    )
    assert whole.digest() == parts.digest()


def test_a_pipe_makes_one_pass_only(data: Path, tmp_path: Path) -> None:
    """Several passes and checkpoints over standard input are refused at once, with the reason."""
    for options in (["--passes", "2"], ["--checkpoint", str(tmp_path / "c")]):
        done = run("train", "-", *options, stdin=data.read_bytes())
        assert done.code == 2
        assert "once" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-a", "arrow"], "'arow'"),
        (["-p", "C=-1"], "greater than 0"),
        (["-p", "CC=1"], "'C'"),
        (["-p", "r"], "name=value"),
        (["-p", "r=1", "-p", "r=2"], "twice"),
        (["-a", "pa1", "-p", "variant=pa2"], "another algorithm"),
        (["-p", "passes=3"], "--passes"),
        (["--passes", "0"], "at least 1"),
        (["--passes", "x"], "--passes"),
        (["--dtype", "float16"], "float32"),
        (["--holdout", "1.5"], "share"),
        (["--on-error", "explode"], "stop"),
        (["--format", "xls"], "svmlight"),
        (["--resume"], "--checkpoint"),
        (["--no-such-option"], "--no-such-option"),
        (["--bits", "99"], "bits"),
    ],
)
def test_wrong_usage_is_two_and_says_what_to_do(arguments: list[str], said: str, data: Path) -> None:
    """Exit code 2, one sentence, no traceback."""
    done = run("train", data, *arguments)
    assert done.code == 2
    assert said in done.err


def test_the_folder_of_the_model_is_checked_before_learning(data: Path) -> None:
    """A typo in --save costs no hour of training."""
    done = run("train", data, "--save", "/no/such/folder/model.safetensors")
    assert done.code == 1
    assert "no such folder" in done.err
    assert "average" not in done.err


def test_devices_are_not_replaced_by_models(data: Path) -> None:
    """Saving to /dev/null would move a file onto the device."""
    assert run("train", data, "-q", "--save", "/dev/null").code == 1
    assert not os.path.isfile("/dev/null")


def test_neither_scikit_learn_nor_scipy_is_imported(data: Path, tmp_path: Path) -> None:
    """Training, saving, loading and predicting do without, which is why the command starts at once."""
    import subprocess
    import sys

    model = str(tmp_path / "m.safetensors")
    code = (
        "import sys\nfrom onlinear.cli import main\n"
        f"assert main(['train', {str(data)!r}, '-q', '--save', {model!r}]) == 0\n"
        f"assert main(['predict', {model!r}, {str(data)!r}, '--proba', '--std']) == 0\n"
        f"assert main(['evaluate', {model!r}, {str(data)!r}]) == 0\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'typer', 'rich', 'pydantic'}\n"
        "found = heavy & {name.split('.')[0] for name in sys.modules}\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("name", ["a.svm", "a.vw", "a.jsonl", "a.svm.gz"])
@pytest.mark.parametrize("shown", ["--quiet", "--json"])
def test_neither_learning_nor_predicting_a_file_needs_numpy(name: str, shown: str, tmp_path: Path) -> None:
    """Its import takes as long as a short run: nothing on the way from rows to a model, or to labels, asks for it."""
    import subprocess
    import sys

    lines = {
        "svm": "+1 1:1 3:0.5\n-1 2:1\n" * 50,
        "vw": "1 | a:1 b\n2 | c\n3 | d\n" * 30,
        "jsonl": '{"label": "spam", "text": "cheap pills"}\n{"label": "ham", "text": "see you"}\n' * 50,
    }
    data, model = tmp_path / name, tmp_path / "m.safetensors"
    content = lines[name.split(".")[1]].encode()
    data.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    code = (
        "import sys\nfrom onlinear.cli import main\n"
        f"assert main(['train', {str(data)!r}, {shown!r}, '--bits', '12', '--save', {str(model)!r}]) == 0\n"
        f"assert main(['predict', {str(model)!r}, {str(data)!r}]) == 0\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    assert onlinear.load(model).n_seen_ > 0


def test_a_weight_that_would_overflow_names_the_line(tmp_path: Path) -> None:
    """The row is refused with its place; with --on-error skip it is counted and the rest is learned."""
    data = tmp_path / "a.svm"
    data.write_text("1 1:1\n-1 1:3e38 2:3e38\n1 1:2e38 3:1\n-1 2:1\n")
    stopped = run("train", data, "-a", "perceptron", "-p", "rate=1000", "-q")
    assert stopped.code == 1
    assert "a.svm:2:" in stopped.err or "a.svm:3:" in stopped.err
    skipped = run("train", data, "-a", "perceptron", "-p", "rate=1000", "-q", "--on-error", "skip", "--json")
    assert skipped.code == 0
    assert skipped.json["refused"] >= 1


@pytest.mark.parametrize("bits", [0, 29, 30, 31, 32])
@pytest.mark.parametrize("name", ["data.svm", "data.csv"])
def test_bits_out_of_range_are_a_matter_of_usage(bits: int, name: str, tmp_path: Path) -> None:
    """A model has 2^28 columns at most, unless --max-features allows more."""
    data = tmp_path / name
    data.write_text("label,a\nx,1\ny,2\n" if name.endswith("csv") else "1 1:1\n-1 2:1\n")
    done = run("train", data, "--bits", bits)
    assert done.code == 2
    assert f"--bits must be from 1 to 28, got {bits}" in done.err
    done = run("train", data, "--bits", 12, "--max-features", 2048)
    assert done.code == 2
    assert "--bits must be from 1 to 11, got 12" in done.err
    assert "--max-features" in done.err


@pytest.mark.parametrize("place", [0, 0.3, 0.7, 0.999])
def test_a_file_changed_anywhere_is_another_file(place: float, tmp_path: Path) -> None:
    """Its size and name are the same; a checkpoint tells it by bytes all over it."""
    path = write_svmlight(tmp_path / "train.svm", 3000)
    whole, before = bytearray(path.read_bytes()), identity(str(path))
    assert identity(str(path)) == before
    whole[int(place * len(whole))] ^= 1
    path.write_bytes(whole)
    assert identity(str(path)) != before


def test_later_passes_count_no_class_and_calibrate_nothing(data: Path, tmp_path: Path) -> None:
    """Examples of a class are those of the file, and the map to probabilities is that of the first pass."""
    reports, maps = [], []
    for passes in (1, 3):
        saved = tmp_path / f"{passes}.safetensors"
        # Which scores are mapped would else depend on whether several passes are meant.
        options = ["--passes", passes, "-p", "average=late", "--json", "-q"]
        reports.append(run("train", data, *options, "--save", saved).json)
        maps.append(onlinear.load(saved).model_.learner.state()["calibration"][:2])

    assert reports[1]["examples"] == 3 * reports[0]["examples"]
    assert reports[1]["classes"] == reports[0]["classes"]
    assert sum(reports[1]["classes"].values()) == reports[0]["examples"]
    assert maps[0] == maps[1]
