"""What the description in a model file may say: every field by its kind and range, in one place.

A file's checksum tells damage from what was written, not what was written by this library from what somebody made
up. A field is checked before anything is done with it, and an error names it.
"""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple

from ..exceptions import ModelFileError

__all__ = [
    "CHECKPOINT",
    "INPUT",
    "MODEL",
    "PROGRESS",
    "SCHEMA",
    "SEQUENCE_MODEL",
    "STREAM",
    "WATCHED",
    "check",
]

#: Counts are kept as float64, which counts one by one up to here.
_MOST = 1 << 53


class Kind(NamedTuple):
    """What a field may be: in words, by a test of the value itself, and by the kinds of its parts."""

    told: str
    test: Callable[[Any], bool]
    parts: Callable[[Any], list[tuple[str, Any, Any]]] = lambda value: []  # (suffix, value, kind)


def check(value: Any, kind: Kind, name: str) -> None:
    """Raise `ModelFileError` naming the field where a value is not of its kind."""
    if not kind.test(value):
        raise ModelFileError(f"field {name!r} must be {kind.told}, and is {_shown(value)}")
    for suffix, part, inner in kind.parts(value):
        check(part, inner, f"{name}{suffix}")


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# ---------------------------------------------------------------------- kinds


def whole(low: int = 0, high: int = _MOST) -> Kind:
    """A whole number in a range."""
    told = f"a whole number from {low} to {'2**53' if high == _MOST else high}"
    return Kind(told, lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high)


def number(low: float = float("-inf"), high: float = float("inf"), *, of_whole: bool = False) -> Kind:
    """A finite number in a range; perhaps one that counts something, though it is written as a float."""
    told = "a count up to 2**53" if of_whole else "a finite number"
    told += f" of at least {low:g}" if low > float("-inf") and not of_whole else ""

    def test(v: object) -> bool:
        if not isinstance(v, int | float) or isinstance(v, bool) or not low <= v <= high:
            return False
        return isfinite(v) and (not of_whole or float(v).is_integer())

    return Kind(told, test)


def maybe(kind: Kind) -> Kind:
    """Something, or null."""
    return Kind(
        f"{kind.told}, or null",
        lambda v: v is None or kind.test(v),
        lambda v: [] if v is None else kind.parts(v),
    )


def list_of(kind: Kind, least: int = 0, most: int = 1 << 28) -> Kind:
    """A list of things of one kind."""
    told = "a list" if least == 0 else f"a list of {least} to {most} items"
    return Kind(
        told,
        lambda v: isinstance(v, list) and least <= len(v) <= most,
        lambda v: [(f"[{i}]", item, kind) for i, item in enumerate(v)],
    )


def tuple_of(*kinds: Kind, least: int) -> Kind:
    """A list with a kind for each place, of which the last may be left out."""
    return Kind(
        f"a list of {len(kinds)} numbers",
        lambda v: isinstance(v, list) and least <= len(v) <= len(kinds),
        lambda v: [(f"[{i}]", item, kind) for i, (item, kind) in enumerate(zip(v, kinds, strict=False))],
    )


def mapping_of(kind: Kind) -> Kind:
    """An object whose values are of one kind."""
    return Kind(
        "an object",
        lambda v: isinstance(v, dict),
        lambda v: [(f".{name}", item, kind) for name, item in v.items()],
    )


def record(
    fields: Mapping[str, Kind],
    *,
    needed: bool = True,
    closed: bool = False,
    optional: Mapping[str, Kind] = MappingProxyType({}),
) -> Kind:
    """An object with known fields; those that are not known are left alone, or refused where it is closed."""
    known = {**fields, **optional}
    told = f"an object with {', '.join(fields)}" if needed else "an object"
    if closed and not needed:
        told = f"an object with nothing but {', '.join(fields)}"

    def test(v: object) -> bool:
        return (
            isinstance(v, dict)
            and (not needed or fields.keys() <= v.keys())
            and (not closed or v.keys() <= known.keys())
        )

    return Kind(
        told, test, lambda v: [(f".{name}", v[name], kind) for name, kind in known.items() if name in v]
    )


def choice(*values: Any) -> Kind:
    """One of some values."""
    return Kind(f"one of {', '.join(map(repr, values))}", lambda v: isinstance(v, str) and v in values)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


ANY = Kind("anything", lambda v: True)
FLAG = Kind("true or false", lambda v: isinstance(v, bool))
STRING = Kind("a string", lambda v: isinstance(v, str))
TEXT = Kind("a string of valid Unicode", _is_text)
COUNT = number(0, _MOST, of_whole=True)

# ---------------------------------------------------------------------- the fields

#: How files were read that a model has learned from: what `predict` hands to `onlinear.read`.
INPUT = record(
    {
        "format": choice("svmlight", "vw", "csv", "tsv", "jsonl", "text", "parquet", "arrow"),
        "bits": whole(1, 31),
        "zero_based": FLAG,
        "label": TEXT,
        "text": list_of(TEXT),
        "categorical": list_of(TEXT),
        "ignore": list_of(TEXT),
        "missing": list_of(TEXT),
        "delimiter": choice(",", ";", "\t", "|", ":"),
        "analyzer": choice("word", "char", "char_wb"),
        "ngram_range": list_of(whole(1, 1 << 10), 2, 2),
        "negative": list_of(whole(0, 1 << 31)),
    },
    needed=False,
    closed=True,
)

#: How rows become columns; docs/file_formats.md says what it means.
SCHEMA = record(
    {"hash": maybe(choice("murmur", "murmur-signed", "vw")), "bits": whole(1, 30)},
    optional={
        "columns": mapping_of(
            choice("undecided", "numeric", "categorical", "text", "label", "weight", "tag", "ignored")
        ),
        "open": FLAG,
        "text": maybe(
            record(
                {
                    "analyzer": choice("word", "char", "char_wb"),
                    "ngram_range": list_of(whole(1, 1 << 10), 2, 2),
                    "lowercase": FLAG,
                    "weighting": choice("count", "binary", "log"),
                    "norm": maybe(choice("l2")),
                },
                closed=True,
            )
        ),
    },
)

#: What a file says of a model of rows, beside what its tensors say.
MODEL = {
    "estimator": STRING,
    "parameters": mapping_of(ANY),
    "feature_names": maybe(list_of(STRING)),
    "extras": mapping_of(ANY),
    "n_passes": maybe(whole()),
    "vectors": record(
        {
            "calibration": tuple_of(*[number()] * 5, COUNT, number(), number(), least=7),
            "counters": tuple_of(COUNT, COUNT, COUNT, number(0), least=4),
            "class_counts": list_of(number(0)),
        },
        # Where answers are cut: rounds, two sums, the last distances. Targets: how many, their centre and their size.
        optional={
            "cut": list_of(number(0), 3, 3 + 1024),
            "targets": tuple_of(number(1), number(), number(0), least=3),
        },
    ),
}

#: The same of a model of sequences, and of the counters among its tensors.
SEQUENCE_MODEL = {
    "parameters": mapping_of(ANY),
    "classes": list_of(ANY),
    "single_precision": FLAG,
    "columns": maybe(list_of(TEXT, least=1)),
    "usual_templates": maybe(list_of(TEXT)),
    "scalars": mapping_of(number()),
    "counters": tuple_of(*[COUNT] * 5, least=5),
}

_COUNTS = record(
    {
        "examples": whole(),
        "mistakes": whole(),
        "updates": whole(),
        "refused": whole(),
        "held_out": whole(),
        "held_out_mistakes": whole(),
        "sums": mapping_of(number()),
        "held_out_sums": mapping_of(number()),
    },
    closed=True,
)

_MAJORITY = record(
    {
        "counts": list_of(whole()),
        "answer": whole(-1, 1 << 31),
        "seen": list_of(whole()),
        "last": whole(-1, 1 << 31),
        "changes": whole(),
    },
    closed=True,
)
_MEAN = record(
    {
        "learned": whole(),
        "mean": number(),
        "seen": whole(),
        "centre": number(),
        "spread": number(0),
        "steps": number(0),
        "last": number(),
    },
    closed=True,
)
#: What the error of a constant answer goes on from.
_BASELINE = Kind(
    "the counts of a majority or the sums of a mean",
    lambda v: _MAJORITY.test(v) or _MEAN.test(v),
    lambda v: (_MAJORITY if _MAJORITY.test(v) else _MEAN).parts(v),
)

#: How far a run had come.
PROGRESS = record(
    {
        "passes": whole(),
        "rows": whole(),
        "position": whole(),
        "total": _COUNTS,
        "by_pass": list_of(_COUNTS),
        "refused": whole(),
        "class_counts": list_of(whole()),
        "seconds": number(0),
        "finished": FLAG,
    },
    closed=True,
    optional={  # which checkpoints of 0.1.0 lack
        "baseline": maybe(_BASELINE),
        "early": maybe(_COUNTS),
        "final": maybe(_COUNTS),
        "final_early": maybe(_COUNTS),
    },
)

#: What a checkpoint adds to the description of its model.
CHECKPOINT = record({"plan": mapping_of(ANY), "progress": PROGRESS})

#: What a checkpoint of `fit_stream` says beside its model: the passes of the run, and how far it had come.
STREAM = record(
    {
        "passes": whole(1),
        "shuffle": COUNT,
        "seed": COUNT,
        "progress": record(
            {
                "passes": COUNT,
                "rows": COUNT,
                "position": COUNT,
                "n_mistakes": COUNT,
                "n_updates": COUNT,
                "seconds": number(0),
                "finished": FLAG,
            },
            closed=True,
        ),
    }
)

#: What a file says of a model that was watched (`onlinear.drift.Watched`).
WATCHED = record(
    {
        "detector": maybe(choice("adwin", "page_hinkley", "kswin")),
        "action": choice("reset", "inflate", "restart"),
        "share": number(0, 1),
        "alarms": list_of(COUNT),
        "seen": COUNT,
        "expected": FLAG,
    }
)
