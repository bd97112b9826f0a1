"""How good a classifier is on labelled rows.

Counts are kept, not rows, so memory stays bounded. Only the curves need scores; past a bound they are drawn
from a sample, which is said. The figures are computed here and not by `sklearn.metrics`, whose import takes 14 times
that of NumPy, ten times the whole of ``onlinear evaluate`` on 100 lines; tests compare the two.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import DataError
from ..model.classifier import ClassifierModel
from ..model.stream import StreamLabels
from ..persistence.writing import writable, written_aside
from ._errors import UsageError, printable
from ._reading import named_label, open_like
from ._scoring import Scored, score

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["Evaluation", "check_plots", "draw", "error_of", "evaluate_classes", "render"]


_BINS = 10
_MOST_SCORES = 1 << 22
_TINY = 1e-15


def error_of(model: ClassifierModel, files: list[str], reading: Values) -> float:
    """Share of wrong predictions."""
    labels = StreamLabels(model.labels.names)
    order = model.labels.order
    wrong = rows = 0
    with open_like(model, files, reading, labelled=True) as reader:
        for scored in score(model, reader):
            wrong += int((order[scored.decided] != np.asarray(labels.encode(scored.batch))).sum())
            rows += scored.batch.n_rows
    if rows == 0:
        raise DataError(f"{', '.join(files)}: no examples")
    return wrong / rows


class Evaluation:
    """Counts over labelled rows, from which all figures follow.

    Parameters
    ----------
    model : ClassifierModel
        What has been learned.
    """

    def __init__(self, model: ClassifierModel) -> None:
        self.model = model
        self.labels = StreamLabels(model.labels.names)
        self.names = [named_label(name) for name in model.labels.classes.ranked]
        self.position = np.empty(
            len(self.names) + 1, dtype=np.intp
        )  # from a class's number to its place; the last: unknown
        self.position[model.labels.order] = np.arange(len(self.names))
        self.position[-1] = len(self.names)
        k = len(self.names)
        self.confusion = np.zeros((k + 1, k), dtype=np.int64)  # the last row: classes the model does not know
        self.bin_count = np.zeros(_BINS, dtype=np.int64)
        self.bin_right = np.zeros(_BINS, dtype=np.int64)
        self.bin_sum = np.zeros(_BINS)
        self.log_loss = 0.0
        self.brier = 0.0
        self.rows = 0
        self.refused = 0
        self._kept: list[tuple[Array, Array]] = []
        self._thinning = 1

    def add(self, scored: Scored) -> None:
        """Take in a batch."""
        truth = self.position[np.asarray(self.labels.encode(scored.batch))]
        decided = scored.decided
        k = len(self.names)
        self.confusion += np.bincount(truth * k + decided, minlength=(k + 1) * k).reshape(k + 1, k)
        known = truth < k
        probability = scored.probabilities
        chosen = probability[np.arange(len(decided)), decided]
        place = np.minimum((chosen * _BINS).astype(np.intp), _BINS - 1)
        self.bin_count += np.bincount(place, minlength=_BINS)
        self.bin_right += np.bincount(place[truth == decided], minlength=_BINS)
        self.bin_sum += np.bincount(place, weights=chosen, minlength=_BINS)
        given = np.zeros(len(decided))
        given[known] = probability[np.flatnonzero(known), truth[known]]
        self.log_loss -= float(np.log(np.maximum(given, _TINY)).sum())
        self.brier += float((probability**2).sum() - 2 * given.sum() + len(given))
        self._keep(truth, scored.scores)
        self.rows += len(decided)

    def _keep(self, truth: Array, scores: Array) -> None:
        """Keep scores for the curves; when they become many, every other row is let go."""
        rows = np.arange(self.rows, self.rows + len(truth)) % self._thinning == 0
        self._kept.append((truth[rows], scores[rows].astype(np.float32)))
        while sum(kept.size for _, kept in self._kept) > _MOST_SCORES:
            self._kept = [(t[::2], s[::2]) for t, s in self._kept]
            self._thinning *= 2

    # ------------------------------------------------------------------ figures

    @property
    def error(self) -> float:
        """Share of wrong predictions."""
        return 1 - float(np.trace(self.confusion[:-1])) / self.rows

    def per_class(self) -> list[Values]:
        """Precision, recall and F1 of each class."""
        right = np.diagonal(self.confusion[:-1]).astype(float)
        said = self.confusion.sum(axis=0)
        true = self.confusion.sum(axis=1)[:-1]
        out = []
        for i, name in enumerate(self.names):
            precision = right[i] / said[i] if said[i] else 0.0
            recall = right[i] / true[i] if true[i] else 0.0
            f1 = 2 * right[i] / (said[i] + true[i]) if said[i] + true[i] else 0.0
            support = int(true[i])
            out.append(
                {"label": name, "precision": precision, "recall": recall, "f1": f1, "support": support}
            )
        return out

    def calibration(self) -> list[Values]:
        """For each range of the predicted class's probability: how often it was right."""
        filled = np.maximum(self.bin_count, 1)
        return [
            {
                "from": i / _BINS,
                "to": (i + 1) / _BINS,
                "count": int(self.bin_count[i]),
                "confidence": float(self.bin_sum[i] / filled[i]),
                "accuracy": float(self.bin_right[i] / filled[i]),
            }
            for i in range(_BINS)
            if self.bin_count[i]
        ]

    def calibration_error(self) -> float:
        """Expected calibration error: the mean gap between confidence and accuracy."""
        return float(np.abs(self.bin_sum - self.bin_right).sum() / self.rows)

    def curve(self, place: int) -> tuple[Array, Array] | None:
        """Whether each kept row is of a class, and its score, highest first; None where a side is missing."""
        truth = np.concatenate([t for t, _ in self._kept])
        scores = np.concatenate([s for _, s in self._kept])
        towards = scores[:, place] if scores.ndim == 2 else scores if place == 1 else -scores
        order = np.argsort(-towards, kind="stable")
        positive = truth[order] == place
        if not positive.any() or positive.all():
            return None
        return positive, towards[order]

    def figures(self) -> Values:
        """Everything as JSON."""
        per_class = self.per_class()
        auc = {name: self._areas(i) for i, name in self.asked()}
        return {
            "examples": self.rows,
            "refused": self.refused,
            "error": self.error,
            "accuracy": 1 - self.error,
            "majority_error": 1 - int(self.confusion[:-1].sum(axis=1).max()) / self.rows,
            "macro_f1": sum(item["f1"] for item in per_class) / len(per_class),
            "log_loss": self.log_loss / self.rows,
            "brier": self.brier / self.rows,
            "calibration_error": self.calibration_error(),
            "labels": self.names,
            "confusion": self.confusion[:-1].tolist(),
            "unknown_labels": int(self.confusion[-1].sum()),
            "per_class": per_class,
            "calibration": self.calibration(),
            "roc_auc": {name: areas[0] for name, areas in auc.items() if areas is not None},
            "average_precision": {name: areas[1] for name, areas in auc.items() if areas is not None},
            "curves_from": self.curves_from,
        }

    @property
    def curves_from(self) -> int:
        """How many rows the curves are drawn from."""
        return sum(len(truth) for truth, _ in self._kept)

    def asked(self) -> list[tuple[int, str]]:
        """The classes whose curves are worth drawing: the second of two, or each of several."""
        listed = list(enumerate(self.names))
        return listed[1:] if len(listed) == 2 else listed

    def _areas(self, place: int) -> tuple[float, float] | None:
        curve = self.curve(place)
        if curve is None:
            return None
        fpr, tpr, precision = curve_points(*curve)
        steps = np.diff(tpr)
        return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)), float(np.sum(steps * precision[1:]))


def curve_points(positive: Array, scores: Array) -> tuple[Array, Array, Array]:
    """False and true positive rates and precision at every threshold; equal scores share one."""
    last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    hits = np.cumsum(positive)[last].astype(float)
    misses = (last + 1) - hits
    tpr = np.concatenate([[0.0], hits / hits[-1]])
    fpr = np.concatenate([[0.0], misses / misses[-1]])
    precision = np.concatenate([[1.0], hits / (last + 1)])
    return fpr, tpr, precision


def evaluate_classes(model: ClassifierModel, files: list[str], reading: Values) -> Evaluation:
    """Counts of a classifier over labelled files."""
    result = Evaluation(model)
    with open_like(model, files, reading, labelled=True) as reader:
        for scored in score(model, reader):
            result.add(scored)
        result.refused = reader.n_refused
    if result.rows == 0:
        raise DataError(f"{', '.join(files)}: no examples")
    return result


# ---------------------------------------------------------------------- showing

_MOST_SHOWN = 20


def render(result: Evaluation) -> str:
    """The figures as text."""
    f = result.figures()
    lines = [
        f"examples           {f['examples']:,}",
        f"error              {f['error']:.4f}   accuracy {f['accuracy']:.4f}   macro F1 {f['macro_f1']:.4f}   "
        f"always the majority {f['majority_error']:.4f}",
        f"log loss           {f['log_loss']:.4f}   Brier {f['brier']:.4f}   "
        f"calibration error {f['calibration_error']:.4f}",
    ]
    for name, area in list(f["roc_auc"].items())[:_MOST_SHOWN]:
        lines.append(f"ROC AUC ({name})    {area:.4f}   average precision {f['average_precision'][name]:.4f}")
    if f["refused"]:
        lines.append(f"refused            {f['refused']:,} lines")
    if f["unknown_labels"]:
        lines.append(f"unknown labels     {f['unknown_labels']:,} rows of classes the model has never met")
    lines += ["", *_per_class(f["per_class"]), "", *_confusion(result), "", *_calibration(f["calibration"])]
    return "\n".join(map(printable, lines))


def _per_class(items: list[Values]) -> list[str]:
    width = max(5, *(len(item["label"]) for item in items[: _MOST_SHOWN * 5]))
    lines = [f"{'class':<{width}}  precision   recall       F1   support"]
    for item in items[: _MOST_SHOWN * 5]:
        lines.append(
            f"{item['label']:<{width}}  {item['precision']:9.4f} {item['recall']:8.4f} {item['f1']:8.4f}  "
            f"{item['support']:8,}"
        )
    if len(items) > _MOST_SHOWN * 5:
        lines.append(f"and {len(items) - _MOST_SHOWN * 5} more; --json has all")
    return lines


def _confusion(result: Evaluation) -> list[str]:
    names = result.names
    if len(names) > _MOST_SHOWN:
        return [f"confusion matrix of {len(names)} classes: see --json"]
    width = max(8, *(len(name) for name in names), len(str(int(result.confusion.max(initial=0))))) + 2
    lines = [
        "confusion (rows: true, columns: predicted)",
        " " * width + "".join(f"{name:>{width}}" for name in names),
    ]
    for name, row in zip(names, result.confusion[:-1].tolist(), strict=True):
        lines.append(f"{name:>{width}}" + "".join(f"{count:{width}d}" for count in row))
    return lines


def _calibration(items: list[Values]) -> list[str]:
    lines = ["probability   said   right     count"]
    for item in items:
        lines.append(
            f"{item['from']:.1f} to {item['to']:.1f}  {item['confidence']:6.3f}  {item['accuracy']:6.3f}  "
            f"{item['count']:8,}"
        )
    return lines


def check_plots(path: Path) -> None:
    """Refuse a picture that cannot be drawn, before anything is read."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UsageError(f"--plots writes .png, .svg or .pdf, got {str(path)!r}")
    writable(path)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError("--plots needs matplotlib. Install it with: pip install 'onlinear[plot]'") from None


def draw(result: Evaluation, path: Path, title: str) -> None:
    """ROC, precision against recall, and calibration, in one picture under a title."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 4.2), layout="constrained")
    figure.suptitle(title, parse_math=False)
    roc, pr, reliability = figure.subplots(1, 3)
    for place, name in result.asked()[:_MOST_SHOWN]:
        curve = result.curve(place)
        if curve is None:
            continue
        fpr, tpr, precision = curve_points(*curve)
        keep = np.unique(np.linspace(0, len(fpr) - 1, 2000).astype(int))
        roc.plot(fpr[keep], tpr[keep], label=name)
        pr.plot(tpr[keep], precision[keep], label=name)
    roc.plot([0, 1], [0, 1], color="0.7", lw=0.8)
    roc.set(title="ROC", xlabel="false positive rate", ylabel="true positive rate")
    pr.set(title="Precision and recall", xlabel="recall", ylabel="precision", ylim=(0, 1.02))
    if roc.get_legend_handles_labels()[1]:
        roc.legend(fontsize="small")
    bins = result.calibration()
    reliability.plot([0, 1], [0, 1], color="0.7", lw=0.8)
    reliability.plot([b["confidence"] for b in bins], [b["accuracy"] for b in bins], marker="o")
    reliability.set(
        title="Calibration", xlabel="probability of the predicted class", ylabel="share right", ylim=(0, 1.02)
    )
    with written_aside(path) as aside, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks is shown as a box
        figure.savefig(aside, format=path.suffix[1:].lower(), dpi=130)
