"""Sequence labelling on CoNLL-2000: a pass, and the whole way from a file to a labelled file.

The corpus is not ours to generate: put `conll2000.train.txt` and `conll2000.test.txt` (plain or `.zst`)
into the data folder, or name their folder in `ONLINEAR_CONLL2000`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import learners
from benchmarks.protocol import Arena, Contestant, Measurement, Scenario, Turn, faster, own_peak_mb, within

CRFSUITE = ("pycrfsuite",)
PASSES = 10
TOKENS = 211_727

Sentence = list[list[str]]
Tags = list[list[str]]


def corpus(arena: Arena, part: str) -> Path:
    """Return the path of a part, as plain text."""
    folder = Path(os.environ.get("ONLINEAR_CONLL2000", arena.data.folder))
    plain, packed = folder / f"conll2000.{part}.txt", folder / f"conll2000.{part}.txt.zst"
    if plain.exists():
        return plain
    if not packed.exists():
        raise FileNotFoundError(
            f"{plain} (or .zst): put the corpus there, or name its folder in ONLINEAR_CONLL2000"
        )
    from backports import zstd

    path = arena.scratch / plain.name
    path.write_bytes(zstd.decompress(packed.read_bytes()))
    return path


# ---------------------------------------------------------------------- what a user of python-crfsuite writes


def read(path: Path) -> list[Sentence]:
    sentences: list[Sentence] = [[]]
    with path.open(encoding="latin-1") as lines:
        for line in lines:
            if fields := line.split():
                sentences[-1].append(fields)
            elif sentences[-1]:
                sentences.append([])
    return [sentence for sentence in sentences if sentence]


def ngrams(values: list[str], name: str, i: int, firsts: range, length: int) -> list[str]:
    out = []
    for first in firsts:
        if i + first >= 0 and i + first + length <= len(values):
            names = "|".join([f"{name}[{first + k}]" for k in range(length)])
            out.append(f"{names}={'|'.join(values[i + first : i + first + length])}")
    return out


def features(sentence: Sentence) -> list[list[str]]:
    """The windows of `onlinear.sequence_labeler.default_templates`, spelt in Python."""
    words, tags = [token[0] for token in sentence], [token[1] for token in sentence]
    out = []
    for i in range(len(sentence)):
        found = ngrams(words, "w", i, range(-2, 3), 1) + ngrams(words, "w", i, range(-1, 1), 2)
        found += ngrams(tags, "pos", i, range(-2, 3), 1)
        found += ngrams(tags, "pos", i, range(-2, 2), 2) + ngrams(tags, "pos", i, range(-2, 1), 3)
        out.append(found + ["__BOS__"] * (i == 0) + ["__EOS__"] * (i == len(sentence) - 1))
    return out


def truth(path: Path) -> Tags:
    return [[token[-1] for token in sentence] for sentence in read(path)]


def missed(right: Tags, found: Tags) -> float:
    """1 - F1 of chunks."""
    from onlinear.sequence_labeler import span_scores

    return 1 - span_scores(right, found)["f1"]


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds, wall seconds and the result."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


# ---------------------------------------------------------------------- contestants


def crfsuite_model(algorithm: str, passes: int, X: list[Any], y: Tags, model: Path) -> tuple[float, float]:
    """Train and return CPU and wall seconds of the training alone, without handing over the data."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": passes}, verbose=False)
    for sentence, tags in zip(X, y, strict=True):
        trainer.append(sentence, tags)
    cpu, wall, _ = timed(lambda: trainer.train(str(model)))
    return cpu, wall


def crfsuite_tags(model: Path, X: list[Any]) -> Tags:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    return [tagger.tag(sentence) for sentence in X]


def a_pass(long: tuple[float, float], short: tuple[float, float]) -> tuple[float, float]:
    """What one pass costs: ten passes less one, over nine."""
    return (long[0] - short[0]) / (PASSES - 1), (long[1] - short[1]) / (PASSES - 1)


def crfsuite_pass(algorithm: str, arena: Arena) -> Turn:
    train, test = read(corpus(arena, "train")), read(corpus(arena, "test"))
    X, y = [features(s) for s in train], [[t[-1] for t in s] for s in train]
    probes, right = [features(s) for s in test], [[t[-1] for t in s] for s in test]
    model = arena.scratch / "crfsuite"

    def turn() -> Measurement:
        short = crfsuite_model(algorithm, 1, X, y, model)
        cpu, wall = a_pass(crfsuite_model(algorithm, PASSES, X, y, model), short)
        held_out = missed(right, crfsuite_tags(model, probes))
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=held_out)

    return turn


def crfsuite_whole(algorithm: str, arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")
    right, model = truth(test), arena.scratch / "crfsuite"

    def work() -> Tags:
        sentences = read(train)
        crfsuite_model(
            algorithm,
            PASSES,
            [features(s) for s in sentences],
            [[t[-1] for t in s] for s in sentences],
            model,
        )
        return crfsuite_tags(model, [features(s) for s in read(test)])

    def turn() -> Measurement:
        cpu, wall, found = timed(work)
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=missed(right, found))

    return turn


def labeler(parameters: dict[str, Any], passes: int) -> Any:
    import onlinear

    chosen = dict(parameters)
    if "C" in chosen:
        chosen["rule"] = onlinear.PassiveAggressiveClassifier(variant=chosen["rule"], C=chosen.pop("C"))
    return onlinear.SequenceLabeler(**chosen, passes=passes, random_state=0)


def our_pass(parameters: dict[str, Any], arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")

    def best(passes: int) -> tuple[float, float, Any]:
        runs = [timed(lambda: labeler(parameters, passes).fit_file(train)) for _ in range(3)]
        return min(runs, key=lambda run: run[0])

    labeler(parameters, 1).fit_file(train)  # imports are not part of a pass

    def turn() -> Measurement:
        short = best(1)[:2]
        cpu, wall, model = best(PASSES)
        held_out = 1 - model.evaluate_file(test)["f1"]
        return Measurement(*a_pass((cpu, wall), short), own_peak_mb(), examples=TOKENS, held_out=held_out)

    return turn


def our_whole(parameters: dict[str, Any], arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")
    right = truth(test)

    def turn() -> Measurement:
        cpu, wall, found = timed(lambda: labeler(parameters, PASSES).fit_file(train).predict_file(test))
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=missed(right, found))

    return turn


PEERS = {"python-crfsuite ap": "ap", "python-crfsuite pa": "pa", "python-crfsuite arow": "arow"}
OURS: dict[str, dict[str, Any]] = {
    "onlinear perceptron": {"rule": "perceptron"},
    "onlinear PA-I": {"rule": "pa1"},
    "onlinear AROW": {"rule": "arow"},
    "onlinear PA-I, C = 0.03": {"rule": "pa1", "C": 0.03},
}
PAIRS = list(zip(PEERS, OURS, strict=False))


def contestants(
    peer: Callable[[str, Arena], Turn], us: Callable[[dict[str, Any], Arena], Turn]
) -> tuple[Contestant, ...]:
    theirs = [
        Contestant(name, "peer", partial(peer, algorithm), CRFSUITE, once=True)
        for name, algorithm in PEERS.items()
    ]
    ours = [
        Contestant(name, "us", partial(us, parameters), learners.ONLINEAR)
        for name, parameters in OURS.items()
    ]
    return (*theirs, *ours)


# An F1 0.002 below theirs is an error 1.03 times theirs.
QUALITY = tuple(within(us, peer, 1.03, "held_out") for peer, us in PAIRS)
BEST = within("onlinear PA-I, C = 0.03", "python-crfsuite pa", 1.0, "held_out")

SCENARIOS = (
    Scenario(
        name="sequence-pass",
        title="One training pass over CoNLL-2000 chunking: 211,727 tokens, 22 labels, 336,000 features",
        rate="microseconds",
        contestants=contestants(crfsuite_pass, our_pass),
        targets=(*(faster(us, peer, 8.0) for peer, us in PAIRS), *QUALITY, BEST),
    ),
    Scenario(
        name="sequence-file",
        title="CoNLL-2000: file, features, ten passes, labelling the test file",
        rate="microseconds",
        contestants=contestants(crfsuite_whole, our_whole),
        targets=tuple(faster(us, peer, 8.0) for peer, us in PAIRS),
    ),
)
