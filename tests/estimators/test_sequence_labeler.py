"""`SequenceLabeler`: input, files, templates, scores and model files."""

from __future__ import annotations

import bz2
import copy
import gzip
import lzma
import pickle
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import onlinear
from onlinear import AROWClassifier, SequenceLabeler, SoftConfidenceWeightedClassifier, persistence, rule
from onlinear.algorithms.sequence import SequenceLabeling
from onlinear.exceptions import DataError, ModelFileError, ParameterError
from onlinear.sequence import default_templates, span_scores, spans, template_features, token_accuracy
from onlinear.sequence.model import SequenceModel

WINDOWS_OF_0_1_0 = [name for name in default_templates(2) if "." not in name and name != "bias"]
SENTENCES = [
    [("The", "DT", "B-NP"), ("cat", "NN", "I-NP"), ("sleeps", "VBZ", "B-VP"), (".", ".", "O")],
    [
        ("Cats", "NNS", "B-NP"),
        ("eat", "VBP", "B-VP"),
        ("the", "DT", "B-NP"),
        ("fish", "NN", "I-NP"),
        (".", ".", "O"),
    ],
    [
        ("He", "PRP", "B-NP"),
        ("gave", "VBD", "B-VP"),
        ("the", "DT", "B-NP"),
        ("cat", "NN", "I-NP"),
        ("fish", "NN", "B-NP"),
    ],
    [("Sleep", "VB", "B-VP"), ("!", ".", "O")],
]
TEXT = "\n\n".join("\n".join(" ".join(token) for token in sentence) for sentence in SENTENCES) + "\n"
X = [template_features([token[:2] for token in sentence]) for sentence in SENTENCES]
Y = [[token[2] for token in sentence] for sentence in SENTENCES]


def brief(word: str) -> str:
    """What kinds of ASCII letters follow one another in a word; other characters stand for themselves."""
    kinds = re.sub("[0-9]", "0", re.sub("[a-z]", "x", re.sub("[A-Z]", "X", word)))
    return "".join(kind if kind.isascii() else kind * len(list(same)) for kind, same in groupby(kinds))


def looks(word: str, k: int) -> list[str]:
    """How the word at an offset looks: in lower case, ASCII only, and in brief."""
    lower = "".join(c.lower() if c.isascii() else c for c in word)
    return [f"w[{k}].lower={lower}", f"w[{k}].brief={brief(word)}"]


def usual_features(sentence: list[tuple[str, ...]]) -> list[list[str]]:
    """Windows of words and tags usual in chunking, how words look, and their affixes, spelt out."""
    n = len(sentence)

    def ngram(column: int, name: str, i: int, first: int, length: int) -> list[str]:
        places = range(i + first, i + first + length)
        if places[0] < 0 or places[-1] >= n:
            return []
        names = "|".join(f"{name}[{first + k}]" for k in range(length))
        return [names + "=" + "|".join(sentence[place][column] for place in places)]

    out = []
    for i in range(n):
        f: list[str] = []
        for first in range(-2, 3):
            f += ngram(0, "w", i, first, 1)
        for first in (-1, 0):
            f += ngram(0, "w", i, first, 2)
        for length in (1, 2, 3):
            for first in range(-2, 4 - length):
                f += ngram(1, "pos", i, first, length)
        for k in (-1, 0, 1):
            f += looks(sentence[i + k][0], k) if 0 <= i + k < n else []
        word = sentence[i][0]
        f.append(f"w[0].digits={re.sub('[0-9]', '0', word)}")
        f += [f"w[0].prefix{length}={word[:length]}" for length in (1, 2, 3, 4)]
        f += [f"w[0].suffix{length}={word[-length:]}" for length in (1, 2, 3, 4)]
        out.append([*f, "bias"] + ["__BOS__"] * (i == 0) + ["__EOS__"] * (i == n - 1))
    return out


# ---------------------------------------------------------------------- templates


@given(
    st.lists(
        st.tuples(st.text("abcXY19|=.\u00e9\u4e38", min_size=1), st.sampled_from(["NN", "VB"])),
        min_size=1,
        max_size=7,
    )
)
def test_default_templates_are_windows_looks_and_affixes(sentence: list[tuple[str, ...]]) -> None:
    """With words and tags, features are spelt as a few lines of Python spell them."""
    assert template_features(sentence) == usual_features(sentence)


def test_words_alone_have_the_same_templates_but_for_those_of_tags() -> None:
    """A column of tags adds to what words say and takes nothing from it."""
    assert default_templates(1) == [name for name in default_templates(2) if "pos" not in name]


def test_a_model_keeps_the_templates_that_were_usual_when_it_learned(conll: Path, tmp_path: Path) -> None:
    """A file that does not name them is one of version 0.1.0, whose windows had neither looks nor affixes."""
    model = SequenceLabeler(random_state=0).fit_file(conll)
    model.save(tmp_path / "new.safetensors")
    content, tensors = (
        SequenceLabeler(random_state=0, templates=WINDOWS_OF_0_1_0).fit_file(conll)._model.parts()
    )
    content["parameters"] = {}
    del content["usual_templates"]
    old = SequenceModel(SequenceLabeling())
    old.take_parts(content, tensors)
    before = old.native.n_columns
    old.learn_file(conll)

    assert persistence.load(tmp_path / "new.safetensors")._model.usual_templates == default_templates(2)
    assert old.native.n_columns == before
    assert not [name for name in old.native.names() if "fix" in name or "brief" in name]


@given(
    st.text(st.characters(min_codepoint=33, exclude_categories=["Cs", "Z"]), min_size=1), st.integers(1, 5)
)
def test_affixes_are_counted_in_characters(word: str, n: int) -> None:
    """Affixes are cut as Python's slices do, whatever the script."""
    got = template_features([[word]], [f"w[0].prefix{n}", f"w[0].suffix{n}"])

    assert got == [[f"w[0].prefix{n}={word[:n]}", f"w[0].suffix{n}={word[-n:]}"]]


def test_traits_say_how_a_word_looks() -> None:
    """Lower case, shapes and digits."""
    templates = ["w[0].lower", "w[0].shape", "w[0].brief", "w[0].digits", "bias"]
    got = template_features([["McDonald's-1987"]], templates)

    assert got == [
        [
            "w[0].lower=mcdonald's-1987",
            "w[0].shape=XxXxxxxx'x-0000",
            "w[0].brief=XxXx'x-0",
            "w[0].digits=McDonald's-0000",
            "bias",
        ]
    ]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("w", "a part looks like"),
        ("w[x]", "whole number"),
        ("lemma[0]", "unknown column 'lemma'; the columns are w, pos"),
        ("w[0].sufix3", "unknown trait 'sufix3'"),
        ("w[0].suffix", "with a length"),
        ("w[0]|w[1]|w[2]|w[3]", "at most three"),
    ],
)
def test_a_template_that_cannot_be_read_is_named(template: str, message: str) -> None:
    """The message has the template and what is wrong with it."""
    with pytest.raises(ParameterError, match="template") as caught:
        template_features([["a", "b"]], [template])
    assert message in str(caught.value)
    assert template in str(caught.value)


# ---------------------------------------------------------------------- files


@pytest.fixture
def conll(tmp_path: Path) -> Path:
    """A small file in columns."""
    path = tmp_path / "chunks.txt"
    path.write_text(TEXT)
    return path


def test_a_file_gives_the_model_of_its_features(conll: Path) -> None:
    """Reading a file and handing over the same features as strings end in the same weights, bit for bit."""
    read = SequenceLabeler(random_state=0).fit_file(conll)
    given_ = SequenceLabeler(random_state=0).fit(X, Y)

    assert read.classes_.tolist() == given_.classes_.tolist() == sorted({label for y in Y for label in y})
    assert read.feature_names_ == given_.feature_names_
    np.testing.assert_array_equal(read.emissions_, given_.emissions_)
    np.testing.assert_array_equal(read.transitions_, given_.transitions_)
    assert read.predict_file(conll) == given_.predict(X) == Y


def test_a_stream_of_a_file_gives_the_model_of_its_sequences(conll: Path) -> None:
    """One pass in order is the same from a file and from lists."""
    assert SequenceLabeler().partial_fit_file(conll).digest() == SequenceLabeler().partial_fit(X, Y).digest()


@settings(max_examples=30)
@given(cut=st.integers(1, 40))
def test_blocks_do_not_show(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """However the bytes are cut, the file reads the same."""
    path = tmp_path_factory.mktemp("conll") / "chunks.txt"
    path.write_text(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("onlinear.io._source.BLOCK", cut)
        assert (
            SequenceLabeler().partial_fit_file(path).digest() == SequenceLabeler().partial_fit(X, Y).digest()
        )


def _zstd(data: bytes) -> bytes:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    packed: bytes = zstd.compress(data)
    return packed


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, _zstd])
def test_compressed_files_are_recognised(pack: Any, conll: Path) -> None:
    """What a file begins with decides, not its name."""
    plain = SequenceLabeler(random_state=0).fit_file(conll)
    conll.write_bytes(pack(TEXT.encode()))

    assert SequenceLabeler(random_state=0).fit_file(conll).digest() == plain.digest()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace(" ", "\t"),
        "\n\n" + TEXT.replace("\n\n", "\n \n\n"),
        TEXT.rstrip(),
    ],
)
def test_blank_lines_tabs_and_carriage_returns_do_not_matter(text: str, conll: Path) -> None:
    """The same sentences, written otherwise."""
    plain = SequenceLabeler(random_state=0).fit_file(conll)
    conll.write_bytes(text.encode())

    assert SequenceLabeler(random_state=0).fit_file(conll).digest() == plain.digest()


def test_a_line_that_is_not_utf8_is_latin1(conll: Path) -> None:
    """Both encodings of a name give the same feature."""
    text = TEXT.replace("cat", "ch\u00e2t")
    conll.write_bytes(text.encode("utf-8"))
    wide = SequenceLabeler(random_state=0).fit_file(conll)
    conll.write_bytes(text.encode("latin-1"))
    narrow = SequenceLabeler(random_state=0).fit_file(conll)

    assert wide.digest() == narrow.digest()
    assert "w[0]=ch\u00e2t" in wide.feature_names_


def test_a_ragged_file_is_refused_with_its_line(conll: Path) -> None:
    """The message has file, line and columns; the model stays as it was."""
    model = SequenceLabeler().partial_fit_file(conll)
    before = model.digest()
    bad = conll.with_name("bad.txt")
    bad.write_text("new NN B-NEW\n\n" + TEXT.replace("the DT", "the"))
    with pytest.raises(
        DataError, match=r"bad\.txt:10:\d+: expected 3 columns, as on the lines before, found 2"
    ):
        model.partial_fit_file(bad)
    assert model.digest() == before
    with pytest.raises(DataError, match=r"bad\.txt:10:"):
        model.fit_file(bad)
    assert model.digest() == before


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    """A file without tokens is an error, not an empty model."""
    path = tmp_path / "empty.txt"
    path.write_text("\n \n")
    with pytest.raises(DataError, match="holds no tokens"):
        SequenceLabeler().fit_file(path)


def test_a_file_without_labels_can_be_labelled(conll: Path, tmp_path: Path) -> None:
    """Prediction takes a file with or without the label's column and writes one more column."""
    model = SequenceLabeler(random_state=0).fit_file(conll)
    bare, out = tmp_path / "bare.txt", tmp_path / "out.txt"
    bare.write_text("\n\n".join("\n".join(" ".join(token[:2]) for token in s) for s in SENTENCES))

    assert model.predict_file(bare, output=out) == Y
    assert [line.split() for line in out.read_text().splitlines()] == [
        line.split() for line in TEXT.splitlines()
    ]
    assert model.evaluate_file(conll)["f1"] == 1.0
    with pytest.raises(DataError, match="no column of labels"):
        model.evaluate_file(bare)


def test_words_alone_are_enough(tmp_path: Path) -> None:
    """A file of words and labels gets windows, shapes and affixes."""
    path = tmp_path / "words.txt"
    path.write_text("\n\n".join("\n".join(f"{t[0]} {t[2]}" for t in s) for s in SENTENCES))
    model = SequenceLabeler(random_state=0).fit_file(path)

    assert model.predict_file(path) == Y
    assert {"w[0].suffix2=at", "w[0].brief=Xx", "bias"} <= set(model.feature_names_)


# ---------------------------------------------------------------------- features by name and by number


def test_dicts_nest_and_their_order_does_not_matter() -> None:
    """Strings are categories, numbers are values, lists and dicts join their names with '='."""
    token = {"w": "the", "upper": False, "len": 3.0, "affix": ["t", "th"], "next": {"w=cat": 0.5}}
    model = SequenceLabeler().partial_fit([[token]], [["B"]])
    turned = SequenceLabeler().partial_fit([[dict(reversed(token.items()))]], [["B"]])

    assert sorted(model.feature_names_) == ["affix=t", "affix=th", "len", "next=w=cat", "w=the"]
    assert sorted(turned.feature_names_) == sorted(model.feature_names_)


def test_a_list_is_a_dict_of_ones() -> None:
    """Names alone count 1 each."""
    names = SequenceLabeler(random_state=0).fit(X, Y)
    ones = SequenceLabeler(random_state=0).fit([[dict.fromkeys(t, 1.0) for t in s] for s in X], Y)

    assert names.predict(X) == ones.predict(X)
    np.testing.assert_allclose(names.emissions_, ones.emissions_, atol=1e-5)


def test_arrays_and_sparse_matrices_agree() -> None:
    """Dense and CSR rows are the same tokens."""
    rng = np.random.default_rng(0)
    dense = [np.where(rng.random((n, 6)) < 0.5, rng.normal(size=(n, 6)), 0.0) for n in (1, 4, 3, 5)]
    y = [rng.integers(0, 3, len(x)) for x in dense]
    a = SequenceLabeler(random_state=0, dtype="float64").fit(dense, y)
    b = SequenceLabeler(random_state=0, dtype="float64").fit([csr_array(x) for x in dense], y)

    assert a.digest() == b.digest()


def test_features_never_learned_say_nothing() -> None:
    """An unknown name changes no prediction, and prediction learns no name."""
    model = SequenceLabeler(random_state=0).fit(X, Y)
    before = model.digest()
    noisy = [[[*token, "never=seen"] for token in sentence] for sentence in X]

    assert model.predict(noisy) == model.predict(X)
    assert model.digest() == before


def test_labels_may_be_numbers() -> None:
    """Predictions are the caller's labels, not numbers of ours."""
    model = SequenceLabeler(random_state=0).fit(X, [[len(label) * 10 for label in y] for y in Y])

    assert model.classes_.tolist() == [10, 40]
    assert model.predict(X) == [[len(label) * 10 for label in y] for y in Y]


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("bad_x", "bad_y", "message"),
    [
        ([[]], [[]], "no labels"),
        ([[["a"]], []], [["B"], ["B"]], "sequence 1: it is empty"),
        ([[["a"], ["b"]]], [["B"]], "2 tokens and 1 labels"),
        ([[["a"]]], [["B"], ["I"]], "X has 1 sequences and y 2"),
        ([[["new"]], [["a", 3]]], [["NEW"], ["B"]], "a feature must be a string, got 3"),
        ([[{"new": float("nan")}]], [["B"]], "sequence 0, token 0: X contains NaN"),
        ([[{"new": float("inf")}]], [["B"]], "infinity"),
        ([[{"new": 1e300}]], [["B"]], "too large for float32"),
        ([[{"new": object()}]], [["B"]], "must be a number or a string"),
        ([["a"]], [["B"]], "must be a list or a dict, got 'a'"),
        (["ab"], [["B", "I"]], "must be a list of tokens"),
        ([[["a"]]], ["B"], "labels must be a list"),
        ([np.eye(2)], [["B", "I"]], "features by name"),
        ([[["a"]]], [[["B"]]], "unhashable"),
    ],
)
def test_bad_input_is_named_and_leaves_the_model_alone(bad_x: Any, bad_y: Any, message: str) -> None:
    """A refused call has learned nothing: no weight, no label, no name."""
    model = SequenceLabeler().partial_fit([[["a"], ["b"]]], [["B", "I"]])
    before = model.digest()
    with pytest.raises(DataError) as caught:
        model.partial_fit(bad_x, bad_y)
    assert message in str(caught.value)
    assert model.digest() == before
    assert model.feature_names_ == ["a", "b"]
    assert model.classes_.tolist() == ["B", "I"]


def test_ragged_arrays_are_refused() -> None:
    """All sequences have the same features."""
    with pytest.raises(DataError, match="it has 3 features a token, the sequences before it 2"):
        SequenceLabeler().fit([np.eye(2), np.eye(3)], [[0, 1], [0, 1, 0]])


def test_nothing_to_learn_and_nothing_learned() -> None:
    """Empty data, and a model that was never fitted."""
    from sklearn.exceptions import NotFittedError

    with pytest.raises(DataError, match="nothing to learn"):
        SequenceLabeler().fit([], [])
    with pytest.raises(NotFittedError):
        SequenceLabeler().predict(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "arrow"}, "Did you mean 'arow'"),
        ({"rule": 3}, "one of our classifiers"),
        ({"cost": "haming"}, "Did you mean 'hamming'"),
        ({"passes": 0}, "passes must be"),
        ({"rule": "pa1", "belief": onlinear.belief.Full()}, "defined on belief.Mean"),
        ({"rule": "narow", "belief": onlinear.belief.Information()}, "sequences are learned on"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    """The constructor only stores; fit says what is wrong."""
    with pytest.raises(ParameterError) as caught:
        SequenceLabeler(**parameters).fit(X, Y)
    assert message in str(caught.value)


def test_too_many_features_are_refused() -> None:
    """Memory has a ceiling."""
    with pytest.raises(DataError, match="max_features"):
        SequenceLabeler(max_features=3).fit(X, Y)


# ---------------------------------------------------------------------- every algorithm


@pytest.mark.parametrize(
    "algorithm",
    ["perceptron", "pa", "pa1", "pa2", "romma", "norma", "cw-var", "cw-stdev", "cw_stdev", "scw1",
     "scw2", "arow",
     "arow-h", "nherd", "narow", "sop", "iellip",
     "rpa-objective", "rpa-l2-ball", "rpa-l1-ball"],
)  # fmt: skip
def test_every_algorithm_learns_to_chunk(algorithm: str) -> None:
    """A name is enough; ten passes over four sentences find every label."""
    model = SequenceLabeler(rule=algorithm, random_state=0, passes=10).fit(X, Y)

    assert model.score(X, Y) == 1.0


def test_a_classifier_carries_its_parameters() -> None:
    """``rule=`` takes one of our classifiers, a rule object, or a name."""
    rule_, belief_ = SequenceLabeler(rule=SoftConfidenceWeightedClassifier(C=0.25), average=False).axes()
    assert rule_.C == 0.25
    assert not belief_.average

    named = SequenceLabeler(rule="arow", random_state=0).fit(X, Y)
    carried = SequenceLabeler(rule=AROWClassifier(), random_state=0).fit(X, Y)
    assert named.digest() == carried.digest()
    assert SequenceLabeler(rule=rule.Arow(r=1.0), random_state=0).fit(X, Y).digest() == named.digest()


def test_confidence_is_lowest_where_labels_are_least_certain() -> None:
    """A token seen with one label is surer than one seen with both; a tie is one half."""
    Xs = [[["clear=a"]], [["clear=b"]], [["mixed"]], [["mixed"]]] * 10
    ys = [["A"], ["B"], ["A"], ["B"]] * 10
    model = SequenceLabeler(rule="arow", random_state=0).fit(Xs, ys)
    sure = np.concatenate(model.confidence([[["clear=b"]], [["mixed"]], [["never"]]]))

    assert sure[0] > sure[1]
    assert sure[2] == 0.5
    assert np.all((sure >= 0.5) & (sure <= 1.0))


# ---------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("B-A I-A O", [(0, 2, "A")]),
        ("I-A I-B O B-B", [(0, 1, "A"), (1, 2, "B"), (3, 4, "B")]),
        ("B-A B-A I-B", [(0, 1, "A"), (1, 2, "A"), (2, 3, "B")]),
        ("S-A B-A I-A E-A E-A", [(0, 1, "A"), (1, 4, "A"), (4, 5, "A")]),
        ("O O", []),
        ("", []),
    ],
)
def test_spans_follow_the_conll_rules(tags: str, wanted: list[tuple[int, int, str]]) -> None:
    """What begins and ends a span."""
    assert spans(tags.split()) == wanted


def test_scores_count_tokens_and_whole_spans() -> None:
    """One span found of two, and one found that is not there."""
    truth, found = [["B-A", "I-A", "O", "B-B"]], [["B-A", "I-A", "B-B", "O"]]

    assert token_accuracy(truth, found) == 0.5
    assert span_scores(truth, found) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    with pytest.raises(DataError, match="2 right labels and 1 found"):
        token_accuracy([["O", "O"]], [["O"]])


# ---------------------------------------------------------------------- state


@pytest.mark.parametrize(
    "algorithm", ["pa1", "scw1", "rpa-l1-ball", AROWClassifier(r=0.5, covariance="full")]
)
def test_a_saved_model_goes_on_bit_for_bit(algorithm: Any, tmp_path: Path) -> None:
    """Saved and loaded, pickled or copied, a model predicts and learns on as if nothing had happened."""
    few = [[token[:3] for token in sentence] for sentence in X]  # a full covariance is quadratic
    model = SequenceLabeler(rule=algorithm, random_state=0, passes=2).fit(few[:3], Y[:3])
    path = tmp_path / "model.safetensors"
    model.save(path)
    for twin in (onlinear.load(path), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.digest() == model.digest()
        assert twin.predict(few) == model.predict(few)
        straight = pickle.loads(pickle.dumps(model)).partial_fit(few[3:], Y[3:])
        assert twin.partial_fit(few[3:], Y[3:]).digest() == straight.digest()


def test_a_model_from_a_file_reads_files_after_loading(conll: Path, tmp_path: Path) -> None:
    """Templates and columns are part of the model."""
    templates = [*default_templates(2), "lemma[0].suffix1"]
    model = SequenceLabeler(random_state=0, templates=templates, columns=["w", "pos"])
    with pytest.raises(ParameterError, match="unknown column 'lemma'"):
        model.fit_file(conll)
    model.set_params(templates=[*default_templates(2), "w[0].suffix1"]).fit_file(conll)
    path = tmp_path / "model.safetensors"
    model.save(path)

    assert onlinear.load(path).predict_file(conll) == model.predict_file(conll) == Y


def test_a_cost_function_is_not_part_of_a_file(tmp_path: Path) -> None:
    """The loaded model predicts; to learn on it asks for the cost."""
    model = SequenceLabeler(cost=lambda y, q: 1.0, random_state=0).fit(X, Y)
    path = tmp_path / "model.safetensors"
    model.save(path)
    loaded = onlinear.load(path)

    assert loaded.predict(X) == model.predict(X)
    with pytest.raises(ParameterError, match="set cost="):
        loaded.partial_fit(X, Y)
    loaded.set_params(cost="zero_one").partial_fit(X, Y)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Slots that overlap, names that do not fit: an error, even where the checksum fits."""
    path = tmp_path / "model.safetensors"
    SequenceLabeler(random_state=0).fit(X, Y).save(path)
    content, tensors = persistence.read_file(path)
    tensors = {name: tensor.copy() for name, tensor in tensors.items()}
    damages = {
        "label_slots": np.zeros_like(tensors["label_slots"]),
        "column_slots": tensors["column_slots"][:-1],
        "name_starts": tensors["name_starts"][::-1].copy(),
        "counters": np.array([-1.0, 0, 0, 0, 0]),
        "mean": np.full_like(tensors["mean"], np.nan),
    }
    for name, damage in damages.items():
        persistence.write_tensors(path, {**tensors, name: damage}, content)
        with pytest.raises(ModelFileError):
            onlinear.load(path)
    persistence.write_tensors(path, tensors, content)
    onlinear.load(path)


def test_a_stream_is_learned_batch_by_batch(conll: Path) -> None:
    """Lists, lists with weights and files: the same bits as one call after the other."""
    stream = [(rows := [[["a"], ["b"]]], [["B", "I"]]), (rows, [["B", "B"]], [0.5])]
    model = SequenceLabeler().fit_stream([*stream, conll])
    twin = SequenceLabeler().partial_fit(*stream[0])
    twin.partial_fit(rows, [["B", "B"]], sample_weight=[0.5]).partial_fit_file(conll)

    assert model.digest() == twin.digest()


def test_a_span_of_a_kind_never_learned_counts_as_missed(conll: Path, tmp_path: Path) -> None:
    """Labels that only the tested file has are right answers all the same: recall and F1 must fall."""
    model = SequenceLabeler(random_state=0).fit_file(conll)
    strange = tmp_path / "strange.txt"
    strange.write_text(TEXT.rstrip() + "\n\nnew NN B-NEW\n")
    usual, harder = model.evaluate_file(conll), model.evaluate_file(strange)
    truth = [*Y, ["B-NEW"]]
    found = model.predict_file(strange)

    assert harder["f1"] == pytest.approx(span_scores(truth, found)["f1"])
    assert harder["recall"] < usual["recall"]


def test_a_byte_order_mark_is_no_part_of_the_first_word(conll: Path, tmp_path: Path) -> None:
    """Files written on Windows begin with one."""
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + conll.read_bytes())

    assert (
        SequenceLabeler().partial_fit_file(marked).digest()
        == SequenceLabeler().partial_fit_file(conll).digest()
    )


@pytest.mark.parametrize(
    ("line", "place"), [("the DT B-NP extra", "2:13"), ("th\u00e9  DT", "2:8"), ("dog", "2:4")]
)
def test_a_ragged_line_is_named_by_line_and_character(line: str, place: str, tmp_path: Path) -> None:
    """Where the first column too many begins, or where the line ends too soon."""
    path = tmp_path / "a.txt"
    path.write_text(f"a DT B-NP\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"a\.txt:{place}: expected 3 columns"):
        SequenceLabeler().fit_file(path)


def test_sentences_and_tokens_that_were_not_found_are_counted() -> None:
    """By hand: what the model would have answered just before it learned."""
    rng = np.random.default_rng(0)
    sentences = [[{f"w{k}": 1.0} for k in rng.integers(0, 12, 6)] for _ in range(30)]
    labels = [["odd" if int(next(iter(token))[1:]) % 2 else "even" for token in each] for each in sentences]
    model = SequenceLabeler(average=False).partial_fit(sentences[:1], labels[:1])
    seen = np.array([model.n_mistakes_, model.n_wrong_tokens_, model.n_tokens_])
    for sentence, answer in zip(sentences[1:], labels[1:], strict=True):
        wrong = sum(a != b for a, b in zip(model.predict([sentence])[0], answer, strict=True))
        seen += [wrong > 0, wrong, len(answer)]
        model.partial_fit([sentence], [answer])

    assert seen[1] > seen[0] > 0
    assert [model.n_mistakes_, model.n_wrong_tokens_, model.n_tokens_] == seen.tolist()


def test_precision_is_of_what_was_found_and_recall_of_what_is_there() -> None:
    """One of two spans found, and one found that is not there in another sentence."""
    truth = [["B-A", "O", "B-B"], ["O", "O"], ["B-A", "O"]]
    found = [["B-A", "O", "O"], ["B-A", "O"], ["O", "O"]]
    scores = span_scores(truth, found)
    assert (scores["precision"], scores["recall"]) == (1 / 2, 1 / 3)
    assert scores["f1"] == pytest.approx(2 / 5)


@pytest.mark.parametrize("name", ["templates", "columns"])
@pytest.mark.parametrize("value", [5, "w[0]", b"w", ["w", 5], float("nan")], ids=repr)
def test_templates_and_columns_are_lists_of_words(name: str, value: Any) -> None:
    """A single word is not one, though its letters are."""
    with pytest.raises(ParameterError, match=f"{name} must be None or a list of words"):
        SequenceLabeler(**{name: value}).fit([[["a"]]], [["B"]])


# ---------------------------------------------------------------------- weights of labels


def chunks(n: int, seed: int = 0) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Make sentences of words whose labels come in unequal numbers."""
    rng = np.random.default_rng(seed)
    X = [[[f"w={rng.integers(8)}"] for _ in range(rng.integers(1, 6))] for _ in range(n)]
    return X, [[str(rng.choice(["O", "B", "I"], p=[0.7, 0.2, 0.1])) for _ in x] for x in X]


def mean_weights(y: list[list[str]], weights: dict[str, float]) -> list[float]:
    """Give each sentence the mean of its labels' weights."""
    return [sum(weights.get(label, 1.0) for label in labels) / len(labels) for labels in y]


def test_class_weights_are_weights_of_sequences() -> None:
    """A dict of weights, and the mean of its labels' weights given for each sequence, mean the same; in `fit`, too."""
    X, y = chunks(30)
    weights = {"B": 2.0, "I": 0.5}
    by_label = SequenceLabeler(class_weight=weights).partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    by_hand = SequenceLabeler().partial_fit(X, y, sample_weight=mean_weights(y, weights))
    assert by_label.digest() == by_hand.digest()

    fitted = SequenceLabeler(class_weight=weights, random_state=0).fit(X, y)
    assert fitted.digest() == SequenceLabeler(random_state=0).fit(X, y, mean_weights(y, weights)).digest()
    assert fitted.digest() != SequenceLabeler(random_state=0).fit(X, y).digest()


def test_a_label_of_no_weight_teaches_nothing() -> None:
    """A sequence all of whose labels weigh nothing is no round."""
    model = SequenceLabeler(class_weight={"O": 0.0}).partial_fit(
        [[["a"]], [["b"], ["c"]]], [["B"], ["O", "O"]]
    )
    assert model.n_seen_ == 1


def balanced_so_far(y: list[list[str]]) -> list[float]:
    """Give each sentence the mean of n / (labels * count), over the tokens up to its end."""
    counts: dict[str, int] = {}
    out = []
    for labels in y:
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
        total = sum(counts.values())
        out.append(sum(total / (len(counts) * counts[label]) for label in labels) / len(labels))
    return out


def test_balanced_labels_are_counted_while_streaming(tmp_path: Path) -> None:
    """Counts so far weigh the labels, whatever the batches, and go into the file."""
    X, y = chunks(30, seed=1)
    by_hand = SequenceLabeler(rule="arow", dtype="float64").partial_fit(
        X, y, sample_weight=balanced_so_far(y)
    )
    model = SequenceLabeler(rule="arow", dtype="float64", class_weight="balanced").partial_fit(X[:7], y[:7])
    for x, labels in zip(X[7:15], y[7:15], strict=True):
        model.learn_one(x, labels)
    model.save(tmp_path / "m.safetensors")
    loaded = onlinear.load(tmp_path / "m.safetensors").partial_fit(X[15:], y[15:])
    pickled = pickle.loads(pickle.dumps(model)).partial_fit(X[15:], y[15:])

    np.testing.assert_allclose(loaded.emissions_, by_hand.emissions_, rtol=1e-12)
    np.testing.assert_allclose(loaded.transitions_, by_hand.transitions_, rtol=1e-12)
    assert loaded.digest() == pickled.digest()
    assert loaded.digest() == model.partial_fit(X[15:], y[15:]).digest()


def test_fit_balances_over_all_tokens() -> None:
    """The weights of labels are scikit-learn's, over the tokens of all sequences that have a weight."""
    from sklearn.utils.class_weight import compute_class_weight

    X, y = chunks(30, seed=2)
    sample_weight = np.where(np.arange(30) % 3 == 0, 0.0, 1.0)
    tokens = [label for labels, weight in zip(y, sample_weight, strict=True) if weight for label in labels]
    names = sorted(set(tokens))
    weights = dict(
        zip(names, compute_class_weight("balanced", classes=np.array(names), y=tokens), strict=True)
    )
    balanced = SequenceLabeler(class_weight="balanced", random_state=0).fit(X, y, sample_weight)
    given = SequenceLabeler(class_weight=weights, random_state=0).fit(X, y, sample_weight)
    assert balanced.emissions_.tolist() == given.emissions_.tolist()


def test_counts_of_labels_that_are_not_there_are_refused() -> None:
    """A state counts at most the labels it has, each at least 0 times."""
    X, y = chunks(5)
    model = SequenceLabeler(class_weight="balanced").partial_fit(X, y)
    native = model.model_.native
    state = native.state()
    for bad in (np.ones(len(native.classes) + 1), -state["label_counts"]):
        with pytest.raises(ValueError, match="state holds"):
            native.load_state({**state, "label_counts": bad}, native.classes)


@pytest.mark.parametrize("value", ["unbalanced", {"B": -1.0}, {"B": "much"}], ids=str)
def test_bad_class_weights_are_named(value: Any) -> None:
    """What is no weight is told before anything is learned."""
    with pytest.raises(ParameterError, match="class_weight"):
        SequenceLabeler(class_weight=value).partial_fit([[["a"]]], [["B"]])
