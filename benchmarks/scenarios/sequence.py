"""Sequence labelling on CoNLL-2000: a pass, and the whole way from a file to a labelled file.

Which of our algorithms is best is decided on the training file alone, by cross-validation over its sentences;
the test file is looked at once, with the winner, over several seeds. The best of python-crfsuite's is found on the
test file itself, which favours it.

The corpus is not ours to generate: put `conll2000.train.txt` and `conll2000.test.txt` (plain or `.zst`)
into the data folder, or name their folder in `ONLINEAR_CONLL2000`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks import learners
from benchmarks.protocol import Arena, Contestant, Measurement, Scenario, Turn, faster, own_peak_mb, within

CRFSUITE = ("pycrfsuite",)
PASSES = 10
TOKENS = 211_727
SEEDS = range(3)
FOLDS = 5

Sentence = list[list[str]]
Tags = list[list[str]]


def corpus(arena: Arena, part: str) -> Path:
    """Return the path of a part, as plain text."""
    name = f"conll2000.{part}.txt"
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"  # a folder of data beside the clone
    folders = [Path(os.environ.get("ONLINEAR_CONLL2000", arena.data.folder)), beside]
    for folder in folders:
        plain, packed = folder / name, folder / f"{name}.zst"
        if plain.exists():
            return plain
        if packed.exists():
            break
    else:
        raise FileNotFoundError(
            f"{folders[0] / name} (or .zst): put the corpus there, or name its folder in ONLINEAR_CONLL2000"
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


#: The same as `features`, as templates.
WINDOWS = (
    *(f"w[{k}]" for k in range(-2, 3)),
    *(f"w[{k}]|w[{k + 1}]" for k in range(-1, 1)),
    *(f"pos[{k}]" for k in range(-2, 3)),
    *(f"pos[{k}]|pos[{k + 1}]" for k in range(-2, 2)),
    *(f"pos[{k}]|pos[{k + 1}]|pos[{k + 2}]" for k in range(-2, 1)),
    "__BOS__",
    "__EOS__",
)


def ngrams(values: list[str], name: str, i: int, firsts: range, length: int) -> list[str]:
    out = []
    for first in firsts:
        if i + first >= 0 and i + first + length <= len(values):
            names = "|".join([f"{name}[{first + k}]" for k in range(length)])
            out.append(f"{names}={'|'.join(values[i + first : i + first + length])}")
    return out


def features(sentence: Sentence) -> list[list[str]]:
    """The windows of words and tags that both sides learn from, spelt in Python."""
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
    from onlinear.sequence import span_scores

    return 1 - span_scores(right, found)["f1"]


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds, wall seconds and the result."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


# ---------------------------------------------------------------------- contestants


def crfsuite_model(
    algorithm: str, passes: int, X: list[Any], y: Tags, model: Path, **parameters: float
) -> tuple[float, float]:
    """Train and return CPU and wall seconds of the training alone, without handing over the data."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": passes, **parameters}, verbose=False)
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


def labeler(parameters: dict[str, Any], passes: int, seed: int = 0) -> Any:
    """Return our labeler; what it does not know are parameters of its rule."""
    import onlinear
    from onlinear.estimators import make

    own = {name: value for name, value in parameters.items() if name in ("average", "cost")}
    rule = {name: value for name, value in parameters.items() if name not in ("rule", *own)}
    chosen = make(parameters["rule"], **rule) if rule else parameters["rule"]
    return onlinear.SequenceLabeler(
        rule=chosen, **own, passes=passes, random_state=seed, templates=list(WINDOWS)
    )


def spread(name: str, scores: list[float]) -> str:
    """Say how F1 varies from seed to seed."""
    return f"{name}: F1 {mean(scores):.4f} ± {stdev(scores):.4f} over {len(scores)} seeds"


def our_pass(parameters: dict[str, Any], arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")

    def run(passes: int, seed: int) -> tuple[float, float, Any]:
        return timed(lambda: labeler(parameters, passes, seed).fit_file(train))

    labeler(parameters, 1).fit_file(train)  # imports are not part of a pass

    def turn() -> Measurement:
        short = min(run(1, seed)[:2] for seed in SEEDS)
        runs = [run(PASSES, seed) for seed in SEEDS]
        scores = [model.evaluate_file(test)["f1"] for _, _, model in runs]
        long = min((cpu, wall) for cpu, wall, _ in runs)
        return Measurement(
            *a_pass(long, short),
            own_peak_mb(),
            examples=TOKENS,
            held_out=1 - mean(scores),
            note=spread(str(parameters["rule"]), scores),
        )

    return turn


def our_whole(parameters: dict[str, Any], arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")
    right = truth(test)
    labeler(parameters, 1).fit_file(test)  # imports are not part of the way

    def turn() -> Measurement:
        cpu, wall, found = timed(lambda: labeler(parameters, PASSES).fit_file(train).predict_file(test))
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=missed(right, found))

    return turn


# ---------------------------------------------------------------------- the best of each


def candidates() -> Iterator[dict[str, Any]]:
    """Everything worth a try; each is judged on parts of the training file."""
    yield {"rule": "perceptron"}
    for C in (0.001, 0.003, 0.01, 0.03, 0.1, 1.0):
        yield {"rule": "pa1", "C": C}
        yield {"rule": "pa2", "C": C}
    yield {"rule": "pa1", "C": 0.03, "average": False}
    for r in (1.0, 10.0, 100.0):
        yield {"rule": "arow", "r": r}
        yield {"rule": "arow-h", "r": r}
    for C in (0.01, 0.1):
        yield {"rule": "scw1", "C": C}


def folds(train: Path, scratch: Path) -> list[tuple[Path, Path]]:
    """Split the training file by sentences: to learn and to judge, five ways."""
    sentences = train.read_bytes().strip().split(b"\n\n")
    out = []
    for k in range(FOLDS):
        first, last = len(sentences) * k // FOLDS, len(sentences) * (k + 1) // FOLDS
        learn, judge = scratch / f"learn{k}.txt", scratch / f"judge{k}.txt"
        learn.write_bytes(b"\n\n".join(sentences[:first] + sentences[last:]) + b"\n")
        judge.write_bytes(b"\n\n".join(sentences[first:last]) + b"\n")
        out.append((learn, judge))
    return out


def choose(train: Path, scratch: Path) -> tuple[dict[str, Any], float]:
    """Return the candidate with the best mean F1 over the folds of the training file, and that F1."""
    parts = folds(train, scratch)

    def judged(parameters: dict[str, Any]) -> float:
        models = [labeler(parameters, PASSES, seed).fit_file(learn) for seed, (learn, _) in enumerate(parts)]
        scores = zip(models, parts, strict=True)
        return mean(model.evaluate_file(judge)["f1"] for model, (_, judge) in scores)

    scored = [(judged(parameters), parameters) for parameters in candidates()]
    best, parameters = max(scored, key=lambda pair: pair[0])
    return parameters, best


def our_best(arena: Arena) -> Turn:
    train, test = corpus(arena, "train"), corpus(arena, "test")
    parameters, expected = choose(train, arena.scratch)

    def turn() -> Measurement:
        runs = [timed(lambda s=seed: labeler(parameters, PASSES, s).fit_file(train)) for seed in range(5)]
        scores = [model.evaluate_file(test)["f1"] for _, _, model in runs]
        cpu, wall, _ = min(runs, key=lambda run: run[0])
        name = " ".join(f"{key}={value}" for key, value in parameters.items())
        told = f"{spread(name, scores)}; {expected:.4f} in {FOLDS}-fold cross-validation"
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=1 - mean(scores), note=told)

    return turn


THEIRS: tuple[tuple[str, dict[str, float]], ...] = (
    ("ap", {}),
    ("pa", {}),
    ("pa", {"c": 0.01}),
    ("pa", {"c": 0.1}),
    ("arow", {}),
    ("arow", {"gamma": 10.0}),
)


def crfsuite_best(arena: Arena) -> Turn:
    train, test = read(corpus(arena, "train")), read(corpus(arena, "test"))
    X, y = [features(s) for s in train], [[t[-1] for t in s] for s in train]
    probes, right = [features(s) for s in test], [[t[-1] for t in s] for s in test]
    model = arena.scratch / "crfsuite"

    def turn() -> Measurement:
        found = []
        for algorithm, parameters in THEIRS:
            cpu, wall = crfsuite_model(algorithm, PASSES, X, y, model, **parameters)
            error = missed(right, crfsuite_tags(model, probes))
            name = " ".join([algorithm, *(f"{key}={value}" for key, value in parameters.items())])
            found.append((error, cpu, wall, name))
        error, cpu, wall, name = min(found)
        told = f"{name}: F1 {1 - error:.4f}, chosen on the test file among {len(THEIRS)}"
        return Measurement(cpu, wall, own_peak_mb(), examples=TOKENS, held_out=error, note=told)

    return turn


PEERS = {"python-crfsuite ap": "ap", "python-crfsuite pa": "pa", "python-crfsuite arow": "arow"}
OURS: dict[str, dict[str, Any]] = {
    "onlinear perceptron": {"rule": "perceptron"},
    "onlinear PA-I": {"rule": "pa1"},
    "onlinear AROW": {"rule": "arow"},
}
PAIRS = list(zip(PEERS, OURS, strict=True))


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

SCENARIOS = (
    Scenario(
        name="sequence-pass",
        title="One training pass over CoNLL-2000 chunking: 211,727 tokens, 22 labels, 336,000 features",
        rate="microseconds",
        contestants=contestants(crfsuite_pass, our_pass),
        targets=(*(faster(us, peer, 8.0) for peer, us in PAIRS), *QUALITY),
    ),
    Scenario(
        name="sequence-file",
        title="CoNLL-2000: file, features, ten passes, labelling the test file",
        rate="microseconds",
        contestants=contestants(crfsuite_whole, our_whole),
        targets=tuple(faster(us, peer, 8.0) for peer, us in PAIRS),
    ),
    Scenario(
        name="sequence-best",
        title="CoNLL-2000: the best of ours, chosen on the training file, and the best of theirs on the test file",
        rate="microseconds",
        contestants=(
            Contestant("python-crfsuite, best", "peer", crfsuite_best, CRFSUITE, once=True),
            Contestant("onlinear, chosen", "us", our_best, learners.ONLINEAR, once=True),
        ),
        targets=(within("onlinear, chosen", "python-crfsuite, best", 1.0, "held_out"),),
    ),
)
