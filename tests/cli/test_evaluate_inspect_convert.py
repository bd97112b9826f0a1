"""``evaluate``, ``inspect``, ``convert`` and ``algorithms``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import onlinear
from onlinear.algorithms import table
from onlinear.cli._class_results import Evaluation, curve_points
from onlinear.cli.actions.evaluate import evaluate, picture_title

from .commands import onlinear as run
from .commands import write_svmlight


@pytest.fixture(scope="module", params=[2, 5])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Test data and a model, for two classes and for several."""
    folder = tmp_path_factory.mktemp("trained")
    data = write_svmlight(folder / "train.svm", 500, classes=request.param)
    test = write_svmlight(folder / "test.svm", 300, classes=request.param, seed=0)
    assert run("train", data, "-q", "--save", folder / "m.safetensors").code == 0
    lines = test.read_text().splitlines()
    rng = np.random.default_rng(5)  # some wrong labels, so that no figure is trivial
    labels = [line.split(" ", 1)[0] for line in lines]
    mixed = [labels[rng.integers(300)] if rng.random() < 0.3 else label for label in labels]
    test.write_text(
        "".join(f"{label} {line.split(' ', 1)[1]}\n" for label, line in zip(mixed, lines, strict=True))
    )
    return test, folder / "m.safetensors"


def test_figures_agree_with_scikit_learn(trained: tuple[Path, Path]) -> None:
    """Error, F1, log loss, Brier, confusion matrix and areas are scikit-learn's."""
    test, path = trained
    got = run("evaluate", path, test, "--json").json
    model = onlinear.load(path)
    rows = next(iter(onlinear.read(test)))
    guess, proba, truth = model.predict(rows.X), model.predict_proba(rows.X), rows.y
    assert got["error"] == pytest.approx(1 - metrics.accuracy_score(truth, guess))
    assert got["macro_f1"] == pytest.approx(metrics.f1_score(truth, guess, average="macro"))
    assert got["log_loss"] == pytest.approx(metrics.log_loss(truth, proba))
    onehot = (model.classes_[None] == truth[:, None]).astype(float)
    assert got["brier"] == pytest.approx(((proba - onehot) ** 2).sum(axis=1).mean())
    assert got["confusion"] == metrics.confusion_matrix(truth, guess).tolist()
    scores = model.decision_function(rows.X).astype(np.float32)
    for i, name in enumerate(got["labels"]):
        if name in got["roc_auc"]:
            column = scores if scores.ndim == 1 else scores[:, i]
            assert got["roc_auc"][name] == pytest.approx(metrics.roc_auc_score(onehot[:, i], column))
            assert got["average_precision"][name] == pytest.approx(
                metrics.average_precision_score(onehot[:, i], column)
            )
    assert len(got["roc_auc"]) == (1 if len(got["labels"]) == 2 else len(got["labels"]))
    assert sum(item["count"] for item in got["calibration"]) == got["examples"] == 300


def test_the_text_has_matrix_f1_and_calibration(trained: tuple[Path, Path]) -> None:
    """People see the same figures."""
    test, path = trained
    out = run("evaluate", path, test).out
    for word in ("confusion", "precision", "calibration error", "ROC AUC", "support"):
        assert word in out


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plots_are_drawn_to_a_file(ending: str, trained: tuple[Path, Path], tmp_path: Path) -> None:
    """ROC, precision-recall and calibration, in the format the name says."""
    test, path = trained
    picture = tmp_path / f"curves.{ending}"
    assert run("evaluate", path, test, "--plots", picture).code == 0
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert picture.read_bytes().startswith(magic)


def test_a_picture_names_model_file_and_count(trained: tuple[Path, Path], tmp_path: Path) -> None:
    """In its title, letter by letter: what looks like mathematics is a name."""
    test, path = trained
    odd = tmp_path / "a $x_1$ \u5b57.svm"
    odd.write_bytes(test.read_bytes())
    rows = len(test.read_text().splitlines())
    for files, said in (([odd], "a $x_1$ \u5b57.svm"), ([odd, test], "a $x_1$ \u5b57.svm and 1 more")):
        error = run("evaluate", path, *files, "--json").json["error"]
        result = evaluate(path, [str(file) for file in files], {}, None)
        assert picture_title(path, [str(file) for file in files], result) == (
            f"{path.name} on {said}: {rows * len(files):,} examples, error {error:.4f}"
        )
    picture = tmp_path / "curves.svg"
    assert run("evaluate", path, odd, "--plots", picture).code == 0
    # Letters are drawn: as many as there are, after the font's that say which.
    assert f"<!-- {path.name} on a $x_1$ \u5b57.svm: {rows:,} examples" in picture.read_text(encoding="utf-8")


def test_the_majority_stands_beside_the_error(trained: tuple[Path, Path]) -> None:
    """Of the most frequent class of the file."""
    test, path = trained
    labels = [line.split()[0] for line in test.read_text().splitlines()]
    expected = 1 - max(map(labels.count, labels)) / len(labels)
    assert run("evaluate", path, test, "--json").json["majority_error"] == pytest.approx(expected)
    assert f"always the majority {expected:.4f}\n" in run("evaluate", path, test).out


def test_a_label_the_model_has_never_met_counts_as_an_error(trained: tuple[Path, Path]) -> None:
    """It is told apart, not dropped."""
    _, path = trained
    got = run("evaluate", path, "--json", stdin=b"1 1:1\n77 1:1\n").json
    assert got["unknown_labels"] == 1
    assert got["examples"] == 2
    assert got["error"] >= 0.5


def test_inspect_shows_the_strongest_weights_first(trained: tuple[Path, Path]) -> None:
    """With standard deviations, as the estimator has them."""
    _, path = trained
    got = run("inspect", path, "--top", 5, "--json").json
    model = onlinear.load(path)
    for i, (_, items) in enumerate(got["weights"].items()):
        weights = model.coef_[i]
        best = np.argsort(-np.abs(weights), kind="stable")[:5]
        assert [item["column"] for item in items] == best.tolist()
        np.testing.assert_allclose([item["weight"] for item in items], weights[best])
        np.testing.assert_allclose([item["std"] for item in items], model.coef_std_[i][best])
    assert got["nonzero"] == np.count_nonzero(model.coef_)
    assert sum(got["histogram"]["counts"]) == got["nonzero"]
    assert "towards" in run("inspect", path).out


def test_the_page_is_self_contained(trained: tuple[Path, Path], tmp_path: Path) -> None:
    """No link, no script, and hostile names are shown, not run."""
    _, path = trained
    page = tmp_path / "report.html"
    done = run("inspect", path, "--html", page)
    text = page.read_text()
    assert done.out == f"{page}: {page.stat().st_size:,} bytes\n"
    assert "<svg" in text
    assert "http" not in text
    assert "<script" not in text

    data = tmp_path / "x.jsonl"
    data.write_text(
        '{"label": "<script>alert(1)</script>", "text": "a <script> b"}\n{"label": "b", "text": "c d"}\n'
    )
    assert run("train", data, "-q", "--save", tmp_path / "x.safetensors").code == 0
    assert run("inspect", tmp_path / "x.safetensors", "--html", page).code == 0
    assert "<script" not in page.read_text()


def test_inspect_speaks_in_words(tmp_path: Path) -> None:
    """Hashed features are shown by the words they came from."""
    data = tmp_path / "t.jsonl"
    data.write_text('{"label": "spam", "text": "free money"}\n{"label": "ham", "text": "lunch"}\n' * 5)
    assert run("train", data, "-q", "--save", tmp_path / "m.safetensors").code == 0
    got = run("inspect", tmp_path / "m.safetensors", "--json").json
    assert {item["feature"] for item in got["weights"]["spam"]} == {"free", "money", "lunch"}


@pytest.mark.parametrize("hash", ["murmur", "murmur-signed", "vw"])
def test_a_word_is_shown_with_the_side_it_speaks_for(tmp_path: Path, hash: str) -> None:
    """Half of all words may be hashed with a minus; a weight is that of the word, not of its column."""
    spam, ham = ("free", "money", "prize", "click", "offer"), ("lunch", "meeting", "report", "team", "notes")
    lines = [
        json.dumps({"label": label, "text": word})
        for words, label in ((spam, "spam"), (ham, "ham"))
        for word in words
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines * 3))
    done = run("train", tmp_path / "t.jsonl", "-q", "--hash", hash, "--save", tmp_path / "m.safetensors")
    assert done.code == 0
    got = run("inspect", tmp_path / "m.safetensors", "--json").json
    assert got["schema"]["hash"] == hash
    sides = {item["feature"]: item["weight"] > 0 for item in got["weights"]["spam"]}
    assert sides == {**dict.fromkeys(spam, True), **dict.fromkeys(ham, False)}
    model = onlinear.load(tmp_path / "m.safetensors")
    columns = {item["feature"]: model.coef_[0, item["column"]] > 0 for item in got["weights"]["spam"]}
    assert (columns == sides) == (hash != "murmur-signed")
    bins = got["histogram"]
    assert bins == run("inspect", tmp_path / "m.safetensors", "--json", "--top", "1").json["histogram"]
    assert all(model.explain({word: 1.0}).margin > 0 for word in spam)
    assert len(run("predict", tmp_path / "m.safetensors", tmp_path / "t.jsonl").out.split()) == 30


def test_an_unknown_class_is_answered_with_the_nearest(trained: tuple[Path, Path]) -> None:
    """Usage, not a crash."""
    _, path = trained
    done = run("inspect", path, "--class", "77")
    assert done.code == 2
    assert "no class '77'" in done.err


def test_a_compact_model_predicts_alike_and_is_smaller(trained: tuple[Path, Path], tmp_path: Path) -> None:
    """float16 weights change scores by less than a thousandth; labels agree but for ties."""
    test, path = trained
    small = tmp_path / "small.safetensors"
    assert run("convert", path, small, "--compact").code == 0
    full, compact = onlinear.load(path), onlinear.load(small)
    rows = next(iter(onlinear.read(test)))
    np.testing.assert_allclose(compact.decision_function(rows.X), full.decision_function(rows.X), atol=5e-3)
    assert np.mean(compact.predict(rows.X) == full.predict(rows.X)) > 0.98
    np.testing.assert_allclose(compact.predict_proba(rows.X), full.predict_proba(rows.X), atol=1e-2)
    assert len(run("predict", small, test, "--proba").out.splitlines()) == 300


def test_a_compact_model_refuses_to_learn(trained: tuple[Path, Path], tmp_path: Path) -> None:
    """It has no variances to learn with; the message says where they are."""
    test, path = trained
    small = tmp_path / "small.safetensors"
    assert run("convert", path, small, "--dtype", "float16").code == 0
    model = onlinear.load(small)
    rows = next(iter(onlinear.read(test)))
    with pytest.raises(onlinear.exceptions.NotAvailableError, match="only predicts"):
        model.partial_fit(rows.X, rows.y)
    with pytest.raises(onlinear.exceptions.NotAvailableError, match="only predicts"):
        model.learn_one({0: 1.0}, model.classes_[0])
    with pytest.raises(onlinear.exceptions.NotAvailableError):
        model.margin(rows.X, return_std=True)
    with pytest.raises(onlinear.exceptions.NotAvailableError):
        model.save(tmp_path / "again.safetensors")


def test_sparse_compact_files_shrink_with_the_weights(tmp_path: Path) -> None:
    """A model of a million columns with three weights is a small file."""
    data = tmp_path / "a.svm"
    data.write_text("1 1:1 1000000:1\n-1 2:1\n")
    path, small = tmp_path / "m.safetensors", tmp_path / "s.safetensors"
    assert run("train", data, "-q", "--save", path).code == 0
    assert run("convert", path, small, "--compact", "--dtype", "float32").code == 0
    assert small.stat().st_size < 3000 < path.stat().st_size
    full, compact = onlinear.load(path), onlinear.load(small)
    np.testing.assert_array_equal(compact.coef_, full.coef_)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_model_changes_its_type(dtype: str, trained: tuple[Path, Path], tmp_path: Path) -> None:
    """It goes on learning in the new one."""
    test, path = trained
    assert run("convert", path, tmp_path / "o.safetensors", "--dtype", dtype).code == 0
    model = onlinear.load(tmp_path / "o.safetensors")
    assert model.model_.learner.dtype == dtype
    rows = next(iter(onlinear.read(test)))
    model.partial_fit(rows.X, rows.y.astype(np.int64))


@pytest.mark.parametrize("ending", ["svm", "svm.gz", "vw", "vw.zst", "svm.bz2", "svm.xz"])
def test_data_survives_conversion(ending: str, tmp_path: Path) -> None:
    """Rows come back with the same labels, columns and values, bit for bit."""
    source = write_svmlight(tmp_path / "a.svm", 50)
    target = tmp_path / f"b.{ending}"
    assert run("convert", source, target).code == 0
    back = tmp_path / "c.svm"
    if ending.startswith("svm"):
        assert run("convert", target, back).code == 0
        before, after = (next(iter(onlinear.read(path))) for path in (source, back))
        np.testing.assert_array_equal(before.y, after.y)
        np.testing.assert_array_equal(before.indices, after.indices)
        np.testing.assert_array_equal(before.values, after.values)
    else:
        before, after = (next(iter(onlinear.read(path))) for path in (source, target))
        np.testing.assert_array_equal(before.y, after.y)
        np.testing.assert_array_equal(np.sort(before.values), np.sort(after.values))


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst", "csv", "csv.gz", "tsv", "parquet", "arrow"])
def test_named_features_survive_conversion(ending: str, tmp_path: Path) -> None:
    """Labels, weights, values and hashed columns come back bit for bit, and so does the way back to svmlight."""
    source = tmp_path / "a.jsonl"
    rows = [
        {
            "label": "spam",
            "weight": 2.5,
            "features": {"age": 31.1, "city": "Rome", "tags": ["a", "b"], "neg": -0.3},
        },
        {"label": "ham", "weight": 1, "features": {'größe, "x"': 1e-7, "city": "Oslo"}},
        {"label": "ham", "weight": 0.5, "features": {}},
    ]
    source.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    target, back = tmp_path / f"b.{ending}", tmp_path / "c.svm"
    assert run("convert", source, target, "--weight", "weight", "--bits", 18).code == 0
    before = next(iter(onlinear.read(source, weight="weight", bits=18)))
    after = next(iter(onlinear.read(target, weight="weight", bits=18)))
    assert before.y.tolist() == after.y.tolist()
    assert before.weight.tolist() == after.weight.tolist()
    np.testing.assert_array_equal(before.indptr, after.indptr)
    np.testing.assert_array_equal(before.indices, after.indices)
    np.testing.assert_array_equal(before.values, after.values)
    assert run("convert", target, back, "--weight", "weight", "--bits", 18).code == 0
    again = next(iter(onlinear.read(back)))
    np.testing.assert_array_equal(before.indices, again.indices)
    np.testing.assert_array_equal(before.values, again.values)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_numbered_features_are_named_by_their_index(ending: str, tmp_path: Path) -> None:
    """What was 7:0.5 in svmlight is the feature 7."""
    source, target = tmp_path / "a.svm", tmp_path / f"b.{ending}"
    source.write_text("1 7:0.5 2:1\n-1\n0.25 7:-2\n")
    assert run("convert", source, target).code == 0
    batch = next(iter(onlinear.read(target, max_names=10)))
    assert batch.y.tolist() == [1, -1, 0.25]
    reader = onlinear.read(target, max_names=10)
    (batch,) = reader
    named = [reader.names[column] for column in batch.indices.tolist()]
    assert sorted(zip(named, batch.values.tolist(), strict=True)) == [("2", 1.0), ("7", -2.0), ("7", 0.5)]
    if ending == "csv":
        assert target.read_text() == "label,2,7\n1,1,0.5\n-1,,\n0.25,,-2\n"
    if ending == "jsonl":
        assert json.loads(target.read_text().splitlines()[2]) == {"label": 0.25, "features": {"7": -2}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-", "b.csv"], "a pipe can be read once only"),
        (["wide.svm", "b.parquet"], "more than 10,000 features"),
        (["a.svm", "b.parquet.gz"], "compresses by itself"),
        (["a.svm", "b.txt"], "convert writes svmlight, vw, jsonl"),
        (["a.svm", "b.svm", "--to", "text"], "convert writes svmlight, vw, jsonl"),
    ],
)
def test_what_cannot_be_converted_is_refused(words: list[str], message: str, tmp_path: Path) -> None:
    """With the reason, and no file left behind."""
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "wide.svm").write_text("1 " + " ".join(f"{i}:1" for i in range(1, 10_002)) + "\n")
    done = run("convert", *words, cwd=tmp_path, stdin=b"1 1:1\n")
    assert done.code == 2
    assert message in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svm", "wide.svm"]


def test_every_algorithm_is_listed_with_paper_parameters_and_advice() -> None:
    """Names, estimators and defaults are real."""
    listed = run("algorithms", "--json").json
    assert [item["name"] for item in listed] == table.names()
    for item in listed:
        assert item["paper"].endswith(".")
        assert item["advice"].endswith(".")
        estimator = getattr(onlinear, item["estimator"])(**item["preset"])
        for name in item["parameters"]:
            assert hasattr(estimator, name)
    out = run("algorithms", "scw1").out
    assert "scw1" in out
    assert "arow" not in out
    assert run("algorithms", "scw9").code == 2


def test_help_shows_every_option_and_an_example() -> None:
    """Typer draws the help from the same table the quick parser reads."""
    from onlinear.cli._commands import COMMANDS

    for command in COMMANDS:
        done = run(command.name, "--help")
        assert done.code == 0
        for option in command.options:
            assert option.spellings[0] in done.out
        for example in command.examples:
            assert example.split()[0] in done.out
    assert json.dumps(run("--version").out).startswith('"onlinear ')


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """Words and labels may come from anywhere; tables show what they hold, in one line each."""
    path, word, label = tmp_path / "m.safetensors", "red\x1b[31m", "two\nlines\x9b"
    model = onlinear.AROWClassifier(bits=10)
    model.learn_one({word: 1.0, "naïve café": 1.0}, label).learn_one({"other": 1.0}, "plain")
    model.save(path)
    data = tmp_path / "data.jsonl"
    data.write_text('{"label": "plain", "other": 1}\n{"label": "plain", "naïve café": 1}\n')
    tables = [run("inspect", path).out, run("evaluate", path, data, "--bits", 10).out]
    for shown in tables:
        assert all(line.isprintable() for line in shown.split("\n")), table
        assert r"two\nlines\x9b" in shown
    assert r"red\x1b[31m" in tables[0]
    assert "naïve café" in tables[0]
    assert label in run("inspect", path, "--json").json["classes"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["-a", "arow", "-p", "initial_variance=2"],
            ["r=", "constraints=", "cov_update=", "initial_variance=2"],
        ),
        (["-a", "adagrad-rda", "-p", "delta0=2.5"], ["eta=", "delta0=2.5", "lam="]),
        (["-a", "rpa-l2-ball", "-p", "radius=7"], ["radius=7", "trigger=", "penalty=l2_ball"]),
        (
            ["-a", "pa1", "-p", "class_weight=balanced", "-p", "average=true"],
            ["class_weight=balanced", "average=True"],
        ),
        (["--task", "one-class", "-p", "radius=2"], ["radius=2"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_inspect_tells_the_algorithms_parameters_and_those_that_were_changed(
    options: list[str], told: list[str], tmp_path: Path
) -> None:
    """As text and on a page, whatever they are called; what is as everywhere is left out."""
    data, saved, page = (
        write_svmlight(tmp_path / "a.svm", 40),
        tmp_path / "m.safetensors",
        tmp_path / "p.html",
    )
    trained = run("train", data, "-q", "--save", saved, *options)
    assert trained.code == 0, trained.err
    first = run("inspect", saved).out.splitlines()[0]
    assert run("inspect", saved, "--html", page).code == 0
    for words in told:
        assert words in first
        assert f"<code>{words}" in page.read_text()
    assert "max_features" not in first


def test_labels_cannot_move_the_cursor(tmp_path: Path) -> None:
    """Neither in the columns of predictions nor on a page: what would is written by its escape."""
    import onlinear

    saved, data, page = tmp_path / "m.safetensors", tmp_path / "a.svm", tmp_path / "p.html"
    # A feature for each class, so that every order of the rows is learned without a mistake.
    onlinear.AROWClassifier(random_state=0).fit(np.eye(3), ["a\x1b[31m", "b\x9b1m", "c\td"]).save(saved)
    data.write_text("1 1:1\n1 2:1\n")
    done = run("predict", saved, data, "--header", "--proba", "--scores")
    header, *rows = done.out.splitlines()
    assert "\\x1b[31m" in header
    assert "c\\td" in header
    assert [row.split("\t")[0] for row in rows] == ["a\\x1b[31m", "b\\x9b1m"]
    assert run("inspect", saved, "--html", page).code == 0
    for text in (
        done.out,
        run("predict", saved, data).out,
        page.read_text(encoding="utf-8"),
        run("inspect", saved).out,
    ):
        assert "\x1b" not in text
        assert "\x9b" not in text


def test_equal_scores_share_a_point_of_the_curves() -> None:
    """In whatever order they come; scikit-learn's areas are the oracle."""
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.4
    scores = (rng.integers(0, 6, 200) + truth).astype(float)
    order = np.lexsort((~truth, -scores))  # the positive first, which flatters where ties are told apart
    truth, scores = truth[order], scores[order]
    fpr, tpr, _ = curve_points(truth, scores)
    area = float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2))
    assert area == pytest.approx(metrics.roc_auc_score(truth, scores))


def test_gaps_of_calibration_do_not_cancel() -> None:
    """Too sure in one range and not sure enough in another is wrong twice."""
    result = Evaluation.__new__(Evaluation)
    result.bin_sum, result.bin_right, result.rows = np.array([1.0, 3.0]), np.array([2, 2]), 4
    assert result.calibration_error() == pytest.approx(0.5)
