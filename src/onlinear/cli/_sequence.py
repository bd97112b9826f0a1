"""Sequences on the command line: a labeler at the end of a stream of CoNLL files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..algorithms.sequence import SequenceLabeling
from ..exceptions import NumericError
from ..model.rows import refuse
from ..model.stream import Counts, RowStream, refused_line
from ..persistence.values import plain
from ..sequence.model import SequenceModel
from ._conll import ConllFiles, Sentences, check_options
from ._errors import UsageError
from ._sequence_results import evaluate_sequences
from ._tally import Tally
from ._task import Figure, Task, share

if TYPE_CHECKING:
    from ..model.model import Model
    from ..model.types import Answers, Array, Label, Values
    from ._train import Plan

__all__ = ["SequenceStream", "Sequences"]


class SequenceStream(RowStream):
    """A labeler at the end of a stream of sequences; measures tokens, and spans of held-out sequences."""

    def __init__(self, model: SequenceModel, *, skip: bool = False) -> None:
        self.model: Any = model
        self.skip, self.measure = skip, True
        self.baseline = None
        self.known = 0  # labels met by the sequences learned so far

    @property
    def started(self) -> bool:
        """Whether the model has met a sequence."""
        native = self.model.native
        return native is not None and native.n_labels > 0 and self.known > 0

    def restore(self, class_counts: list[int]) -> None:
        """Labels that were read ahead of a checkpoint, but not learned, are in the model and not in play."""
        present = [number for number, count in enumerate(class_counts) if count]
        self.known = present[-1] + 1 if present else 0

    def numbers(self, batch: Any) -> None:
        """The answers are in the batch."""
        return

    def learn(
        self,
        batch: Any,
        answers: Answers,
        start: int = 0,
        stop: int | None = None,
        *,
        calibrate: bool = True,
        held_out: Array | None = None,
    ) -> Counts:
        """Learn the sequences from `start` to `stop`; held-out ones are labelled as the model stands."""
        stop = batch.n_rows if stop is None else stop
        done = Counts()
        while start < stop:
            end, apart = stop, held_out is not None and bool(held_out[start])
            if held_out is not None:
                other = np.flatnonzero(held_out[start:stop] != apart)
                end = start + int(other[0]) if len(other) else stop
            if apart:
                self._judge(batch, start, end, done)
                start = end
            else:
                start = self._learn_some(batch, start, end, done)
        return done

    def _learn_some(self, batch: Sentences, start: int, stop: int, done: Counts) -> int:
        """Learn sequences one after the other; returns where to go on."""
        native = self.model.native
        order = np.arange(batch.first + start, batch.first + stop, dtype=np.int64)
        learned, mistakes, updates, tokens, wrong, fault, row = native.learn(
            batch.native,
            order,
            None,
            self.model.recipe.cost,
            self.model.classes,
            self.known,
            *self.model.class_weights(self.model.classes),
        )
        self._meet(batch, start, start + learned)
        constant = self._compared(batch, start, start + learned, learn=True)
        done.add(
            Counts(
                examples=learned,
                mistakes=mistakes,
                updates=updates,
                sums={"tokens": float(tokens), "wrong_tokens": float(wrong), **constant},
            )
        )
        if not fault:
            return stop
        bad = int(row) - batch.first
        error = refuse(fault, bad, -1, single_precision=native.single_precision)
        if not self.skip or not isinstance(error, NumericError):
            raise refused_line(batch, bad, error)
        done.refused += 1
        return bad + 1

    def _meet(self, batch: Sentences, start: int, stop: int) -> None:
        self.known = max(self.known, int(batch.labels_of(start, stop).max(initial=-1)) + 1)

    def judge(self, batch: Any, rows: Array) -> Counts:
        """Label some sequences as the model stands."""
        done = Counts()
        for row in rows.tolist():
            self._judge(batch, row, row + 1, done)
        return done

    def _judge(self, batch: Sentences, start: int, stop: int, done: Counts) -> None:
        """Label held-out sequences and count what is right."""
        self._meet(batch, start, stop)
        numbers = self.model.native.tag(batch.native, False, batch.first + start, batch.first + stop)[0]
        names = self.model.classes
        tally = Tally()
        ends = (batch.starts[start : stop + 1] - batch.starts[start]).tolist()
        tally.add(
            [names[k] for k in batch.labels_of(start, stop).tolist()],
            [names[k] for k in numbers.tolist()],
            ends,
        )
        constant = self._compared(batch, start, stop, learn=False)
        done.add(
            Counts(
                held_out=stop - start,
                held_out_mistakes=stop - start - tally.whole,
                held_out_sums={
                    "tokens": float(tally.tokens),
                    "wrong_tokens": float(tally.tokens - tally.right),
                    **constant,
                },
            )
        )

    def _compared(self, batch: Sentences, start: int, stop: int, *, learn: bool) -> dict[str, float]:
        """What always giving the most frequent label gets wrong of some sequences."""
        if not isinstance(self.baseline, _core.MajorityClass):
            return {}
        ends = batch.starts[start : stop + 1]
        return {"baseline": float(self.baseline.watch_tokens(batch.labels_of(start, stop), ends, learn))}

    def label_text(self, batch: Any, row: int) -> str:
        """The labels of a sequence."""
        names = self.model.classes
        return " ".join(str(names[number]) for number in batch.labels_of(row, row + 1).tolist())

    def guess_text(self, batch: Any, row: int) -> str:
        """The labels the model would give a sequence."""
        place = batch.first + row
        numbers = self.model.native.tag(batch.native, False, place, place + 1)[0]
        return " ".join(str(self.model.classes[number]) for number in numbers.tolist())

    def size(self, batch: Any, row: int) -> int:
        """How many tokens a sequence has."""
        return int(batch.starts[row + 1] - batch.starts[row])

    def class_numbers(self, batch: Any, answers: Answers, start: int, stop: int) -> Array:
        """The labels of all tokens of some sequences."""
        numbers: Array = batch.labels_of(start, stop)
        return numbers


class Sequences(Task):
    """A label for every token."""

    name = "sequence"
    algorithm = "pa1"
    measure = "token error"
    refused = ("cost_update", "fit_intercept", "templates", "columns", "belief", "rule")

    #: What is the labeler's own and not its rule's, and what of it is always told.
    _OWN = ("average", "cost", "class_weight")
    _TOLD = ("average", "cost")

    def make(self, algorithm: str, parameters: Values, settings: Values) -> SequenceModel:
        """A new labeler by the given rule."""
        own = {name: value for name, value in parameters.items() if name in self._OWN}
        rest = {name: value for name, value in parameters.items() if name not in self._OWN}
        entry = self.find(algorithm)
        own.setdefault("average", entry.preset.get("average", True))
        recipe = SequenceLabeling(rule=entry.make(**rest), **own, **settings)
        recipe.check()
        model = SequenceModel(recipe)
        model.make()  # what does not go together is told before there is any data
        return model

    def stream(self, model: Any, plan: Plan) -> RowStream:
        """The model at the end of a stream."""
        if plan.templates:
            model.recipe.templates = list(plan.templates)
        return SequenceStream(model, skip=self.skips(plan))

    def read(self, stream: RowStream, files: list[str], plan: Plan, skip_rows: int) -> Any:
        """A reader of the files."""
        model: Any = stream.model
        return ConllFiles(model, files, plan.reading, learning=True, skip_rows=skip_rows)

    def check_reading(self, plan: Plan) -> None:
        """Refuse options that CoNLL files do not have, and templates that cannot be read."""
        if plan.shuffle:
            raise UsageError(
                "--shuffle is for rows; sequences are learned in the order of their files. Mix the sequences there"
            )
        check_options(plan.reading)
        for template in plan.templates or []:
            if not template.isascii() and any("\ud800" <= letter <= "\udfff" for letter in template):
                raise UsageError(
                    f"--template {template!r} is not text in this locale; use a UTF-8 one, as LC_ALL=C.UTF-8"
                )

    def told(self, model: Model, plan: Plan) -> Values:
        """The parameters of rule and labeler."""
        entry, recipe = self.find(plan.algorithm), model.recipe
        names = dict.fromkeys([*entry.preset, *entry.parameters, *plan.parameters, *self._TOLD])
        owner = {name: recipe if name in self._OWN else recipe.rule for name in names}
        return {name: plain(getattr(owner[name], name)) for name in names}

    def progress(self, counts: Counts) -> tuple[float, float]:
        """Share of wrong tokens."""
        return counts.sums.get("wrong_tokens", 0.0), counts.sums.get("tokens", 0.0)

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """Share of wrong tokens."""
        return counts.held_out_sums.get("wrong_tokens", 0.0), counts.held_out_sums.get("tokens", 0.0)

    def figures(self, model: Model, counts: Counts) -> dict[str, Figure]:
        """Tokens and whole sequences that were right before they were learned."""
        wrong, tokens = self.progress(counts)
        return {
            "tokens": int(tokens),
            "token_accuracy": share(tokens - wrong, tokens),
            "sequence_accuracy": share(counts.examples - counts.mistakes, counts.examples),
        }

    def n_features(self, model: Model) -> int:
        """Features known."""
        return int(model.native.n_columns)

    def dtype(self, model: Model) -> str:
        """Type of the weights."""
        return "float32" if model.native.single_precision else "float64"

    def class_names(self, model: Any) -> list[Label]:
        """The labels in the order of their numbers."""
        return list(model.classes)

    def remember(self, model: Model, kept: Values, names: dict[int, str]) -> None:
        """The templates and the columns are part of the model."""

    def test(self, model: Any, files: list[str], reading: Values) -> dict[str, Figure]:
        """Figures on labelled files."""
        figures = evaluate_sequences(model, files, reading)
        accuracy = figures["token_accuracy"]
        return {"error": 1 - accuracy, **figures}
