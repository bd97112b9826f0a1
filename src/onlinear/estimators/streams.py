"""Streams: batches and single examples as they come, in passes that can be watched, broken off and taken up again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import _safe_indexing

from ..exceptions import DataError, ModelFileError, NumericError, ParameterError, ReadError
from ..io import Batch, Reader
from ..io._shuffle import Shuffled, rows_to_mix
from ..model.parameters import check_flag, check_number
from ..model.rounds import Rounds
from ..persistence.description import STREAM, check
from ..persistence.loading import check_parameters, load_with_description
from ..persistence.saving import save
from .random import seed_of
from .rounds import KeepsRounds

if TYPE_CHECKING:
    from ..model.model import RowModel
    from ..model.types import MatrixLike, PathLike, Values

__all__ = ["LearnsStreams", "StreamProgress"]


@dataclass
class StreamProgress:
    """How far a `fit_stream` has come; what its callback is called with.

    Attributes
    ----------
    passes : int
        Passes completed.
    rows : int
        Rows of the open pass that are done.
    position : int
        Rows of all passes that are done.
    n_mistakes, n_updates : int
        Rounds of this stream that were predicted wrongly before learning, and those that changed the model.
    seconds : float
        Time taken, of all processes that took part.
    finished : bool
        Whether nothing is left to do.
    """

    passes: int = 0
    rows: int = 0
    position: int = 0
    n_mistakes: int = 0
    n_updates: int = 0
    seconds: float = 0.0
    finished: bool = False

    @property
    def error(self) -> float:
        """The progressive error: the share of rows predicted wrongly before they were learned."""
        return self.n_mistakes / max(self.position, 1)


class LearnsStreams:
    """What an estimator of rows does with a stream."""

    if TYPE_CHECKING:
        recipe: Any
        random_state: Any
        _model: Any
        _rounds: Any
        _repeats: bool

        def partial_fit(self, *args: Any, **kwargs: Any) -> Self:
            """Learn from one batch."""

        def _begun(self) -> Any: ...
        def _recipe(self) -> Any: ...
        def _keep(self, model: Any) -> None: ...

    def _check_shuffle(self) -> None:
        """Refuse to mix rows where that has no meaning."""

    def _to_learn(self, batch: Batch) -> Batch | tuple[Any, ...]:
        """What `onlinear.read` gives, as the estimator learns it."""
        return batch

    # ------------------------------------------------------------------ learning

    def fit_stream(
        self,
        batches: Any,
        *,
        passes: int = 1,
        shuffle: bool | int = False,
        record: str | Sequence[str] | None = None,
        progress: bool = False,
        callback: Callable[[StreamProgress], object] | None = None,
        checkpoint: PathLike | None = None,
        every: int = 100_000,
        resume: bool = False,
    ) -> Self:
        """Learn from batches or examples as they come.

        What has been learned before counts. How a stream is cut into batches does not show in the bits, nor does
        where it was broken off and resumed.

        Parameters
        ----------
        batches : iterable, or function that gives one
            The stream: pairs (X, y), triples with weights, dicts with their answers, (x, y) or (x, y, w), or what
            `onlinear.read` gives (with ``multilabel=True`` where rows have sets of labels). Several passes need what can
            be gone through again: a list, or a function that opens the stream, as in
            ``lambda: onlinear.read("mail.svm")``.
        passes : int, default=1
            How often to go through the stream.
        shuffle : bool or int, default=False
            Mixes the rows that `onlinear.read` gives, so many at a time, or 100,000; `random_state` chooses the order, which
            is another one in each pass.
        record : str or sequence of str, optional
            What to keep of every round in `rounds_`, which says what there is. It grows with the stream.
        progress : bool, default=False
            Whether to print a line to standard error whenever the number of rows has doubled.
        callback : callable, optional
            Called with a `StreamProgress` after every batch (a thousand examples where they come singly). The stream ends
            there when it returns True.
        checkpoint : path, optional
            A model file that is written every so often, with how far the stream has come.
        every : int, default=100000
            Rows between checkpoints, at least; a batch is not cut for one.
        resume : bool, default=False
            Whether to go on from the checkpoint, where there is one: its model takes the place of this one's, and the rows
            it has learned are passed over.

        Returns
        -------
        self

        Raises
        ------
        ModelFileError
            If the checkpoint is of another model or another number of passes, or is of a run that has not ended and
            `resume` was not asked for.

        Examples
        --------
        >>> from onlinear import AROWClassifier
        >>> mail = [({"free": 1, "money": 2}, "spam"), ({"meeting": 1}, "ham")]
        >>> model = AROWClassifier().fit_stream(mail, passes=2)
        >>> model.predict_one({"money": 1}), model.n_seen_
        ('spam', 4)
        """
        owner = type(self).__name__
        check_number(owner, "passes", passes, 1, whole=True)
        check_number(owner, "every", every, 1, whole=True)
        check_flag(owner, "progress", progress)
        check_flag(owner, "resume", resume)
        if resume and checkpoint is None:
            raise ParameterError(
                f"{owner}: resume goes on from a checkpoint; say where it is with checkpoint=PATH."
            )
        _need_stream(owner, batches, passes)
        mixed = rows_to_mix(shuffle)
        if mixed:
            self._check_shuffle()
        if mixed and checkpoint is not None and not isinstance(self.random_state, int | np.integer):
            raise ParameterError(
                f"{owner}: a stream that is mixed can be resumed only in the same order; give random_state a number, "
                f"not {self.random_state!r}"
            )
        run = _Run(self, passes, self._rounds_of(record, of_stream=True), progress, callback)
        run.mix(mixed, seed_of(owner, self.random_state) if mixed else 0)
        if checkpoint is not None:
            run.keep_at(Path(checkpoint), every, resume)
        self._repeats = passes > 1
        try:
            run.go(batches)
        finally:
            del self._repeats
            if run.rounds is not None:
                self._rounds = run.rounds.made()
        return self

    def _learn_stream(self, X: MatrixLike, record: str | Sequence[str] | None = None) -> bool:
        """Learn what `onlinear.read` gives, where X is that, and has the answers with it."""
        if not isinstance(X, Batch | Reader):
            return False
        self.fit_stream([X] if isinstance(X, Batch) else X, record=record)
        return True

    # ------------------------------------------------------------------ the record of rounds

    def _rounds_of(
        self, record: str | Sequence[str] | Rounds | None, *, of_stream: bool = False
    ) -> Rounds | None:
        """The record that is asked for; that of a stream is handed on to what learns its batches."""
        if record is None or isinstance(record, Rounds):
            return record
        if not isinstance(self, KeepsRounds):
            raise ParameterError(f"{type(self).__name__}: its rounds have no record; leave record out")
        has_classes = self.recipe.kind == "classification"
        return Rounds(type(self).__name__, record, has_classes=has_classes, of_stream=of_stream)

    @contextmanager
    def _kept(self, rounds: Rounds | None, model: RowModel, n_rows: int) -> Iterator[None]:
        """Keep the rounds of a batch: all where it is learned, those learned where it breaks off."""
        if rounds is None:
            yield
            return
        rounds.begin(n_rows)
        try:
            yield
            rounds.complete()
        except BaseException as error:
            if isinstance(error, DataError) and not isinstance(error, NumericError | ReadError):
                rounds.begin(0)  # the call has learned nothing
                raise
            self._end_rounds(rounds, model)
            raise
        self._end_rounds(rounds, model)

    def _end_rounds(self, rounds: Rounds, model: RowModel) -> None:
        rounds.end(model)
        if not rounds.of_stream:
            self._rounds = rounds.made()


class _Run:
    """One `fit_stream`."""

    #: Single examples between two calls of the callback.
    _SINGLE = 1000

    def __init__(
        self,
        shell: Any,
        passes: int,
        rounds: Rounds | None,
        shown: bool,
        callback: Callable[[StreamProgress], object] | None,
    ) -> None:
        self.shell = shell
        self.passes = passes
        self.rounds = rounds
        self.progress = StreamProgress()
        self._shown_at = 1 if shown else None
        self._callback = callback
        self._path: Path | None = None
        self._every = self._next = 0
        self._stream: Any = None
        self._stopped = False
        self._mixed, self._seed = 0, 0

    def mix(self, rows: int, seed: int) -> None:
        """Have so many rows in memory mixed."""
        self._mixed, self._seed = rows, seed

    # ------------------------------------------------------------------ checkpoints

    def keep_at(self, path: Path, every: int, resume: bool) -> None:
        """Write checkpoints to a path, and go on from the one that is there if that is asked for."""
        self._path, self._every = path, every
        if path.exists():
            model, content = load_with_description(path)
            told = content.get("stream")
            try:
                if told is not None:
                    check(told, STREAM, "stream")
                self._compare(model, told, resume)
            except ModelFileError as error:
                raise ModelFileError(f"{path}: {error}") from None
            if resume and told is not None:
                self.progress = StreamProgress(**told["progress"])
                self.shell._model = model
                self.shell._changed = False
        self._next = self.progress.position + every

    def _compare(self, model: Any, told: Values | None, resume: bool) -> None:
        """Refuse a checkpoint that is not this run's, and one that would be lost."""
        if told is None:
            raise ModelFileError("a model, but not a checkpoint of fit_stream. Give another path.")
        if not resume:
            if not told["progress"]["finished"]:
                raise ModelFileError(
                    "a run that has not ended. Go on with it (resume=True), remove it, or give another path."
                )
            return
        check_parameters(model, self.shell.model_class(self.shell._recipe()))
        for name, mine in (("passes", self.passes), ("shuffle", self._mixed), ("seed", self._seed)):
            if told[name] != mine:
                raise ModelFileError(f"a run with {name}={told[name]}, and this one has {mine}")

    def _checkpoint(self) -> None:
        if self._path is not None and self.shell._model is not None:
            told = {
                "passes": self.passes,
                "shuffle": self._mixed,
                "seed": self._seed,
                "progress": asdict(self.progress),
            }
            save(self.shell.model_, self._path, extra={"stream": told})
            self._next = self.progress.position + self._every

    # ------------------------------------------------------------------ the passes

    def go(self, batches: Any) -> None:
        """Make the passes that are left."""
        progress = self.progress
        before, begun = progress.seconds, time.perf_counter()
        try:
            while not progress.finished and not self._stopped:
                self._pass(batches, lambda: before + time.perf_counter() - begun)
        finally:
            progress.seconds = before + time.perf_counter() - begun
        self._checkpoint()

    def _pass(self, batches: Any, clock: Callable[[], float]) -> None:
        progress = self.progress
        to_skip, self._stream = progress.rows, None
        opened = batches if isinstance(batches, Iterable) else batches()
        alone = self.shell.recipe.kind == "one-class"
        given_out = (
            Shuffled(opened, self._mixed, self._seed + (progress.passes << 32)) if self._mixed else opened
        )
        try:
            for given in given_out:
                if isinstance(given, Batch):
                    given = self.shell._to_learn(given)
                batch, to_skip = _left(given, to_skip, alone)
                if batch is None:
                    continue
                self._learn(batch)
                progress.seconds = clock()
                self._tell(isinstance(batch, tuple) and isinstance(batch[0], Mapping))
                if self._stopped:
                    return
        finally:
            if opened is not batches and hasattr(opened, "close"):
                opened.close()
        if to_skip:
            raise DataError(
                f"{type(self.shell).__name__}: the stream has ended {to_skip} rows before the checkpoint that it was to "
                "be resumed from; it is not the same stream"
            )
        progress.passes += 1
        progress.rows = 0
        progress.finished = progress.passes == self.passes
        if self.shell._model is not None:
            self.shell._model.n_passes = progress.passes

    def _tell(self, single: bool) -> None:
        progress = self.progress
        if self._shown_at is not None and progress.position >= self._shown_at:
            while self._shown_at <= progress.position:
                self._shown_at *= 2
            line = f"{progress.position:>14,} rows   error {progress.error:.4f}   {progress.seconds:8.1f} s"
            print(line, file=sys.stderr, flush=True)
        if self._path is not None and progress.position >= self._next:
            self._checkpoint()
        if self._callback is not None and (not single or progress.position % self._SINGLE == 0):
            self._stopped = self._callback(progress) is True

    # ------------------------------------------------------------------ learning

    def _learn(self, batch: Any) -> None:
        """Learn a batch or an example, and count what came of it."""
        model = self.shell._model
        seen = (0, 0) if model is None else (model.n_mistakes, model.n_updates)
        native = None if model is None or self.progress.passes == 0 else model.native
        if native is not None:
            native.again = True
        try:
            n_rows = self._learn_batch(batch)
        finally:
            if native is not None:
                native.again = False
        model = self.shell._model
        if model is not None:
            self.progress.n_mistakes += model.n_mistakes - seen[0]
            self.progress.n_updates += model.n_updates - seen[1]
        self.progress.rows += n_rows
        self.progress.position += n_rows

    def _learn_batch(self, batch: Any) -> int:
        shell, rounds = self.shell, self.rounds
        if isinstance(batch, Batch):  # as the command line learns them, bit for bit
            if self._stream is None:
                model = shell._begun()
                self._stream = model.stream()
                self._stream.rounds = rounds
            try:
                with shell._kept(rounds, self._stream.model, batch.n_rows):
                    self._stream.learn(
                        batch, self._stream.numbers(batch), calibrate=self.progress.passes == 0
                    )
            finally:
                shell._keep(self._stream.model)
            return int(batch.n_rows)
        self._stream = None
        recorded = {} if rounds is None else {"record": rounds}
        X, *rest = batch
        if isinstance(X, Mapping):
            if rounds is not None:
                raise DataError(
                    f"{type(shell).__name__}: dicts have no record of rounds; leave record out, or give arrays"
                )
            shell.learn_one(X, *rest)
            return 1
        y, *weights = rest
        shell.partial_fit(X, y, sample_weight=weights[0] if weights else None, **recorded)
        return _n_rows(X)


def _need_stream(owner: str, batches: Any, passes: int) -> None:
    """Refuse what is no stream, and several passes over one that can be gone through once only."""
    if isinstance(batches, str | bytes) or not (isinstance(batches, Iterable) or callable(batches)):
        raise DataError(
            f"batches must be an iterable of (X, y), or what onlinear.read gives, got {batches!a}"
        )
    if passes > 1 and isinstance(batches, Iterator):
        raise DataError(
            f"{owner}: {type(batches).__name__} can be gone through once only, not in {passes} passes. Give a list, or a "
            "function that opens the stream: fit_stream(lambda: onlinear.read(path), passes=2)."
        )


def _left(given: Any, to_skip: int, alone: bool) -> tuple[Any, int]:
    """A batch without the rows to be skipped, None where that is all; and how many are to be skipped after it."""
    if isinstance(given, Batch):
        if to_skip >= given.n_rows:
            return None, to_skip - given.n_rows
        return (given.rows_from(to_skip) if to_skip else given), 0
    if isinstance(given, Mapping) and alone:
        given = (given, None)
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise DataError(
            "a batch must be (X, y), (X, y, weights), a dict with its answer (x, y), or what onlinear.read gives, "
            f"got {given!a}"
        )
    if isinstance(given[0], Mapping):
        return (None, to_skip - 1) if to_skip else (given, 0)
    n_rows = _n_rows(given[0])
    if to_skip >= n_rows > 0:
        return None, to_skip - n_rows
    if to_skip:
        given = tuple(None if part is None else _safe_indexing(part, slice(to_skip, None)) for part in given)
    return given, 0


def _n_rows(X: MatrixLike) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
