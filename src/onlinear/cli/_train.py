"""``onlinear train``: from files to a model."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import count_numbers
from ..exceptions import DataError, ModelFileError
from ..io import Note, Reader, format_of_name
from ..io._shuffle import Shuffled
from ..io._source import expand
from ..model.stream import Counts
from ..persistence.saving import save
from ..persistence.writing import writable
from ._checkpoint import Checkpoint, Progress, identity
from ._errors import UsageError, printable
from ._estimates import HeldOut, chosen, early_rows, forgotten, in_long_runs
from ._interrupt import Interrupt
from ._progress import Silent, display
from ._reading import spare
from ._task import Task, share

if TYPE_CHECKING:
    from ..io import Batch
    from ..model.model import Model
    from ..model.stream import Baseline
    from ..model.types import Answers, Array, Costs, Values

__all__ = ["Plan", "train"]

#: What a model file remembers of the way its data was read, so that predicting reads alike.
REMEMBERED = (
    "format",
    "bits",
    "zero_based",
    "label",
    "text",
    "categorical",
    "ignore",
    "missing",
    "delimiter",
    "analyzer",
    "ngram_range",
)

#: Estimator parameters that have an option of their own, or no meaning for a stream.
_ELSEWHERE = {
    "passes": "--passes",
    "dtype": "--dtype",
    "bits": "--bits",
    "max_features": "--max-features",
    "max_tokens": "--max-tokens",
    "random_state": "--seed",
    "early_stopping": "--early-stop",
    "n_iter_no_change": "--patience",
    "tol": "--early-stop",
    "shuffle": None,
    "warm_start": None,
    "initial_mean": None,
    "cost_matrix": "--cost-matrix",
    "grow_features": None,
    "n_jobs": None,
}


@dataclass(slots=True, eq=False, repr=False)
class Plan:
    """What the command line asks for."""

    files: list[str]
    algorithm: str
    parameters: Values
    reading: Values
    passes: int = 1
    save: Path | None = None
    checkpoint: Path | None = None
    every: int = 100_000
    resume: bool = False
    holdout: float = 0.0
    test: list[str] = field(default_factory=list)
    early_stop: bool = False
    patience: int = 1
    seed: int = 0
    shuffle: int = 0
    watch: str | None = None
    dtype: str = "float32"
    names: int | None = None
    quiet: bool = False
    task: Task = field(default_factory=Task)
    costs: Costs | None = None
    templates: list[str] | None = None

    def check(self) -> None:
        """Refuse what makes no sense, before a byte is read."""
        if self.names is None:
            self.names = self._usual_names()
        for name, low in (("passes", 1), ("every", 1), ("patience", 1), ("seed", 0), ("names", 0)):
            if getattr(self, name) < low:
                raise UsageError(f"--{name} must be at least {low}, got {getattr(self, name)}")
        if self.seed >= 1 << 32:
            raise UsageError(f"--seed must be below 2^32, got {self.seed}")
        if not 0 <= self.holdout < 1:
            raise UsageError(f"--holdout is a share of the examples, from 0 to below 1, got {self.holdout}")
        if self.dtype not in ("float32", "float64"):
            raise UsageError(f"--dtype must be float32 or float64, got {self.dtype!r}")
        if self.resume and self.checkpoint is None:
            raise UsageError("--resume goes on from a checkpoint; say where with --checkpoint DIR")
        once = [file for file in self.files if _reads_once(file)]
        if once and self.passes > 1:
            raise UsageError(
                f"{_named(once[0])} can be read once only; write it to a file for --passes {self.passes}"
            )
        if once and self.checkpoint is not None:
            raise UsageError(
                f"{_named(once[0])} can be read once only: no run over it can be resumed. Write it to a file."
            )
        if "-" in self.files and "-" in self.test:
            raise UsageError("standard input cannot be both the training and the test data")
        if self.shuffle < 0 or self.shuffle > 1 << 31:
            raise UsageError(f"--buffer must be from 1 to 2^31 rows, got {self.shuffle}")
        self._check_bits()
        self._check_watch()
        self.task.check_reading(self)
        if self.save is not None:
            if str(self.save) == "-":
                raise UsageError("--save needs a file: a model is written aside and moved into place")
            writable(self.save)
            spare(self.save, "--save", [*self.files, *self.test])

    def _check_watch(self) -> None:
        """Refuse to watch what cannot be watched."""
        if self.watch is None:
            return
        if type(self.task) is not Task:
            raise UsageError(f"--watch is for classification, not for --task {self.task.name}")
        if self.passes > 1:
            raise UsageError("--watch follows one pass: rows that come again drift back. Leave --passes out.")
        if self.checkpoint is not None:
            raise UsageError(
                "--watch does not go with --checkpoint, which could not hold what the detector has counted"
            )

    def _check_bits(self) -> None:
        """Refuse more columns than the model may have."""
        bits, most = self.reading.get("bits"), self.reading.get("max_features") or 1 << 28
        allowed = max(min(most.bit_length() - 1, 30), 1)
        if bits is not None and not 1 <= bits <= allowed:
            raise UsageError(
                f"--bits must be from 1 to {allowed}, got {bits}: features are hashed to 2^BITS columns, and a model has "
                f"at most {most:,} (--max-features)"
            )

    def _usual_names(self) -> int:
        """Words are worth a little time and memory, the columns of numeric formats are not."""
        formats = {self.reading.get("format") or format_of_name(file) for file in self.files}
        return 0 if formats <= {"svmlight", "vw"} else 1 << 14

    def model(self) -> Any:
        """A new model."""
        for name in self.parameters:
            if name in _ELSEWHERE or name in self.task.refused:
                option = _ELSEWHERE.get(name)
                hint = f"use {option}" if option else "it has no meaning for a stream"
                raise UsageError(f"-p {name} cannot be given here: {hint}")
        settings: Values = {"random_state": self.seed, "dtype": self.dtype}
        if self.reading.get("bits") is not None:
            settings["bits"] = min(self.reading["bits"], 30)
        for name in ("max_features", "max_tokens"):
            if self.reading.get(name) is not None:
                settings[name] = self.reading[name]
        if self.costs is not None:
            if type(self.task) is not Task:
                raise UsageError(f"--cost-matrix is for classification, not for --task {self.task.name}")
            settings["cost_matrix"] = self.costs
        model: Any = self.task.make(self.algorithm, self.parameters, settings)
        model.recipe.repeats = self.passes > 1
        if self.costs is not None:
            model.costly([])  # the matrix names the classes, and must be one
        return model

    def fingerprint(self, files: list[str]) -> Values:
        """Everything the final model depends on."""
        costs = None if self.costs is None else [[k, list(row.items())] for k, row in self.costs.items()]
        return {
            "task": self.task.name,
            "costs": costs,
            "templates": self.templates,
            "algorithm": self.algorithm,
            "parameters": self.parameters,
            "reading": self.reading,
            "passes": self.passes,
            "holdout": self.holdout,
            "early_stop": self.early_stop,
            "patience": self.patience,
            "seed": self.seed,
            "shuffle": self.shuffle or None,  # of which checkpoints of 0.1.0 know nothing
            "dtype": self.dtype,
            "names": self.names,
            "files": [identity(file) for file in files],
        }


def _reads_once(file: str) -> bool:
    if file == "-":
        return True
    return os.path.exists(file) and not os.path.isfile(file)


def _named(file: str) -> str:
    return "standard input" if file == "-" else file


def train(plan: Plan) -> tuple[Values, int]:
    """Run a plan.

    Returns
    -------
    report : dict
        What ``--json`` prints.
    code : int
        The exit code: 0, or that of an interrupted process.
    """
    plan.check()
    model = plan.model()
    files = [str(file) for file in expand(plan.files)]
    for file in [
        *files,
        *map(str, expand(plan.test)),
    ]:  # a missing test file is better told now than at the end
        if file != "-":
            os.stat(file)
    with Interrupt() as interrupt:
        run = _Run(plan, files, model, interrupt)
        try:
            run.go()
        finally:
            run.display.close()
        code = interrupt.code if interrupt.asked is not None and not run.progress.finished else 0
        return run.report(code != 0), code


class _Run:
    """One training run."""

    def __init__(self, plan: Plan, files: list[str], model: Model, interrupt: Interrupt) -> None:
        self.plan = plan
        self.files = files
        self.interrupt = interrupt
        self.progress = Progress()
        self.checkpoint: Checkpoint | None = None
        self.begun = time.perf_counter()
        if plan.checkpoint is not None:
            self.checkpoint = Checkpoint(plan.checkpoint, plan.fingerprint(files))
            model = self._resumed(model)
        self.before = self.progress.seconds
        self.learner = plan.task.stream(model, plan)
        self.learner.restore(self.progress.class_counts)
        self.learner.baseline = self._baseline()
        self.display: Silent = display(
            plan.quiet, self.progress.position, plan.task.measure, plan.task.baseline
        )
        self.names: dict[int, str] = {}
        self.format = ""
        # Rows that are mixed are early nowhere.
        self.early = 0 if plan.shuffle else early_rows(plan.holdout)
        self.held_out = HeldOut(plan.seed, self.early) if plan.holdout else None
        self.kept = False

    def _resumed(self, model: Model) -> Model:
        assert self.checkpoint is not None
        if not self.plan.resume:
            self.checkpoint.refuse_to_overwrite()
            return model
        found = self.checkpoint.load(model)
        if found is None:
            return model
        model, self.progress = found
        return model

    def _baseline(self) -> Baseline | None:
        """Who always gives the same answer; nobody where a run goes on from before they were asked."""
        progress = self.progress
        if progress.position and progress.baseline is None:
            return None
        try:
            return self.plan.task.constant(progress.baseline)
        except (TypeError, ValueError):
            assert self.checkpoint is not None
            raise ModelFileError(
                f"{self.checkpoint.path}: field 'run.progress.baseline' does not fit the others"
            ) from None

    # ------------------------------------------------------------------ the passes

    def go(self) -> None:
        """Learn, save, and say how it went."""
        progress = self.progress
        if progress.position and not progress.finished:
            self.display.note(f"resuming after {progress.position:,} examples")
        while not progress.finished and self.interrupt.asked is None:
            self._pass()
            if self.interrupt.asked is None:
                self._end_pass()
        if not self.learner.started:
            if self.interrupt.asked is None:
                raise DataError(f"{', '.join(map(_named, self.files))}: no examples")
            return
        if progress.total.held_out and not progress.total.examples and self.interrupt.asked is None:
            raise DataError(
                f"{', '.join(map(_named, self.files))}: all of {progress.total.held_out:,} examples are held out and "
                f"none is left to learn; lower --holdout (now {self.plan.holdout:g})"
            )
        self.plan.task.check_end(self.learner.model, self.files)
        if progress.finished and self.held_out is not None and self.kept:
            progress.final, progress.final_early = self.held_out.judged(self.learner)
        self._remember()
        self._checkpoint()
        if self.plan.save is not None:
            save(self.learner.model, self.plan.save)

    def _pass(self) -> None:
        progress = self.progress
        if len(progress.by_pass) == progress.passes:
            progress.by_pass.append(Counts())
        # Rows that are mixed, or kept for the end, are read again where a run goes on.
        again = bool(self.plan.shuffle) or self.held_out is not None
        behind, first = (progress.rows, 0) if again else (0, progress.rows)
        with self.plan.task.read(self.learner, self.files, self.plan, first) as reader:
            if isinstance(reader, Reader):
                reader.tell = self._tell
            for batch in self._batches(reader):
                over = min(behind, batch.n_rows)
                behind -= over
                self._batch(batch, first, over)
                first += batch.n_rows
                self.display.advance(reader.bytes_read, reader.bytes_total, progress.position)
                if self.interrupt.asked is not None:
                    break
            self._take_names(reader)
            self.format = reader.format
            if progress.passes == 0:
                progress.refused = reader.n_refused

    def _tell(self, note: Note) -> None:
        """Say what there is to say of columns, once."""
        if self.progress.passes == 0:
            self.display.note(f"onlinear: {printable(note.text)}")

    def _batches(self, reader: Reader) -> Iterator[Batch]:
        """The batches, until they end or Ctrl-C is pressed while waiting for one."""
        batches: Iterator[Batch] = reader
        if self.plan.shuffle:
            batches = Shuffled(reader, self.plan.shuffle, self.plan.seed + (self.progress.passes << 32))
        while True:
            try:
                with self.interrupt.waiting():
                    batch = next(batches)
            except StopIteration:
                return
            except KeyboardInterrupt:
                return
            self._reader = reader
            yield batch

    def _batch(self, batch: Batch, first: int, over: int) -> None:
        """Learn a batch that begins at a row of the pass, but for rows that are done already."""
        progress, learner = self.progress, self.learner
        held_out = self._held_out(batch, first)
        if over == batch.n_rows:
            return
        numbers = learner.numbers(batch)
        start = over
        while start < batch.n_rows and self.interrupt.asked is None:
            stop, shown = self._next_stop(start, batch.n_rows)
            guess = self.learner.guess_text(batch, stop - 1) if shown and self.learner.started else "-"
            counts = learner.learn(
                batch, numbers, start, stop, calibrate=progress.passes == 0, held_out=held_out
            )
            progress.total.add(counts)
            progress.by_pass[-1].add(counts)
            progress.position += stop - start
            progress.rows += stop - start
            if progress.passes == 0:
                self._count_classes(learner.class_numbers(batch, numbers, start, stop))
            if shown:
                self._show(batch, stop - 1, guess)
            start = stop
            if progress.position == self.early and progress.passes == 0:
                self._end_of_early()
            if self.checkpoint is not None and progress.position % self.plan.every == 0:
                self._checkpoint()

    def _next_stop(self, start: int, n_rows: int) -> tuple[int, bool]:
        """Where to pause next, and whether the row before it is one for the table, which is learned alone."""
        position = self.progress.position
        stop = n_rows
        if self.checkpoint is not None:
            stop = min(stop, start + self.plan.every - position % self.plan.every)
        if position < self.early:
            stop = min(stop, start + self.early - position)
        ahead = self.display.next_point - position
        if ahead == 1:
            return start + 1, True
        if ahead > 1:
            stop = min(stop, start + ahead - 1)
        return stop, False

    def _held_out(self, batch: Batch, first: int) -> Array | None:
        """Which rows are held out; in the first pass of this process they are kept."""
        if self.held_out is None:
            return None
        import numpy as np

        origin = getattr(batch, "origin", None)
        places = np.arange(first, first + batch.n_rows) if origin is None else np.asarray(origin.places)
        aside = chosen(places, self.plan.seed, self.plan.holdout)
        if not self.kept:
            self.held_out.add(batch, places, aside)
        return aside

    def _end_of_early(self) -> None:
        """Remember how the first rows were answered."""
        self.progress.early = Counts()
        self.progress.early.add(self.progress.total)

    def _show(self, batch: Batch, row: int, guess: str) -> None:
        part, whole = self.plan.task.progress(self.progress.total)
        features = self.learner.size(batch, row)
        label = self.learner.label_text(batch, row)
        constant = (
            None
            if self.learner.baseline is None
            else self.plan.task.baseline_progress(self.progress.total)[0]
        )
        self.display.row(label, guess, features, self.progress.position, whole, part, constant)

    def _count_classes(self, numbers: Answers) -> None:
        if numbers is None:
            return
        counts = self.progress.class_counts
        found = count_numbers(numbers)
        counts.extend([0] * (len(found) - len(counts)))
        for number, count in enumerate(found):
            counts[number] += count

    def _end_pass(self) -> None:
        progress = self.progress
        progress.passes += 1
        progress.rows = 0
        self.kept = True
        if progress.early is None and progress.passes == 1 and self.early:  # all of a short file
            self._end_of_early()
        progress.finished = progress.passes >= self.plan.passes or (
            self.plan.early_stop and self._no_better()
        )
        if self.learner.started:
            self.learner.model.n_passes = progress.passes

    def _no_better(self) -> bool:
        """Whether the last passes brought nothing."""
        last = self.progress.by_pass[-1]
        if last.updates == 0:
            return True
        errors = [self._pass_error(counts) for counts in self.progress.by_pass]
        patience = self.plan.patience
        return len(errors) > patience and min(errors[-patience:]) >= min(errors[:-patience])

    def _pass_error(self, counts: Counts) -> float:
        task = self.plan.task
        return share(*(task.held_out(counts) if self.plan.holdout else task.progress(counts))) or 0.0

    # ------------------------------------------------------------------ keeping

    def _remember(self) -> None:
        """Put into the model what its file should say about its data."""
        if not self.format:  # a finished run was resumed: nothing was read, and its file says it all
            return
        model = self.learner.model
        kept = {name: self.plan.reading[name] for name in REMEMBERED if name in self.plan.reading}
        kept["format"] = self.format
        kept = {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}
        self.plan.task.remember(model, kept, self.names)

    def _take_names(self, reader: Reader) -> None:
        if self.plan.names:
            self.names = reader.names

    def _checkpoint(self) -> None:
        if self.checkpoint is None or not self.learner.started:
            return
        if not self.progress.finished:
            reader = getattr(self, "_reader", None)
            if reader is not None:
                self.format = reader.format
                self._take_names(reader)
            self._remember()
        self.progress.seconds = self._seconds()
        if self.learner.baseline is not None:
            self.progress.baseline = self.learner.baseline.state()
        self.checkpoint.save(self.learner.model, self.progress)

    def _seconds(self) -> float:
        return self.before + time.perf_counter() - self.begun

    # ------------------------------------------------------------------ telling

    def report(self, interrupted: bool) -> Values:
        """What ``--json`` prints."""
        plan, progress, model = self.plan, self.progress, self.learner.model
        seconds = self._seconds()
        started, task = self.learner.started, plan.task
        names = task.class_names(model) if started else []
        counts = progress.class_counts + [0] * (len(names) - len(progress.class_counts))
        last, final = progress.by_pass[-1] if progress.by_pass else Counts(), progress.final
        tested: Values = {"error": None}
        if plan.test and started and not interrupted:
            tested = task.test(model, plan.test, self.plan.reading)
        report = {
            "task": task.name,
            "algorithm": plan.algorithm,
            "parameters": task.told(model, plan),
            "examples": progress.total.examples,
            "features": task.n_features(model) if started else 0,
            "classes": {str(name): count for name, count in zip(names, counts, strict=True)},
            "passes": progress.passes,
            "mistakes": progress.total.mistakes,
            "updates": progress.total.updates,
            "error": share(*task.progress(progress.total)),
            **self._compared(last),
            **task.figures(model, progress.total),
            "pass_errors": [share(*task.progress(counts)) for counts in progress.by_pass],
            "holdout_error": share(*task.held_out(last)) if plan.holdout else None,
            "holdout_final_error": None if final is None else share(*task.held_out(final)),
            "holdout_final_examples": None if final is None else final.held_out,
            "test_error": tested["error"],
            "seconds": seconds,
            "examples_per_second": progress.total.examples / seconds if seconds > 0 else 0.0,
            "peak_rss_mb": peak_rss_mb(),
            "alarms": getattr(self.learner, "alarms", None),
            "refused": progress.refused + progress.total.refused,
            "dtype": task.dtype(model) if started else plan.dtype,
            "model": None if plan.save is None or not started else str(plan.save),
            "warnings": [said for said in self._warnings() if said is not None],
            "interrupted": interrupted,
        }
        if len(tested) > 1:
            report["test"] = {name: value for name, value in tested.items() if name != "error"}
        return report

    def _warnings(self) -> list[str | None]:
        """What is to be said of the figures."""
        progress = self.progress
        return [
            in_long_runs(self.learner.baseline),
            forgotten(self.plan.task, progress.early, progress.final_early),
        ]

    def _compared(self, last: Counts) -> Values:
        """What always giving the same answer gets wrong."""
        task = self.plan.task
        if self.learner.baseline is None:
            return dict.fromkeys(
                ("baseline", "baseline_error", "holdout_baseline_error", "holdout_final_baseline_error")
            )
        final = self.progress.final
        return {
            "holdout_final_baseline_error": None if final is None else share(*task.baseline_held_out(final)),
            "baseline": task.baseline,
            "baseline_error": share(*task.baseline_progress(self.progress.total)),
            "holdout_baseline_error": share(*task.baseline_held_out(last)) if self.plan.holdout else None,
        }


def peak_rss_mb() -> float:
    """The most memory this process has held, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 1024**2
