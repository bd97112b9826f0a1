"""Checkpoints: a model and how far its run had come, in one file that appears whole.

Resuming reads the input again from the start of the pass and leaves out the rows already learned: what the
reader remembers (texts of labels, names of columns, lines refused) is then just what it was, whatever the
compression.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from ..exceptions import ModelFileError
from ..model.stream import Counts
from ..persistence.description import CHECKPOINT, check
from ..persistence.loading import check_parameters, load_with_description, read_file
from ..persistence.saving import save
from ._errors import UsageError

if TYPE_CHECKING:
    from ..model.model import Model
    from ..model.types import Values

__all__ = ["Checkpoint", "Progress", "identity"]

_PLACES, _PIECE = 256, 1 << 12  # a file up to a megabyte is read whole


@dataclass(slots=True, eq=False, repr=False)
class Progress:
    """How far a run has come.

    Attributes
    ----------
    passes : int
        Passes completed.
    rows : int
        Rows of the open pass that are done.
    position : int
        Rows of all passes that are done.
    total : Counts
        Of all passes.
    by_pass : list of Counts
        Of each pass, the open one last.
    refused : int
        Lines refused in the first pass.
    class_counts : list of int
        Examples of each class in the first pass.
    seconds : float
        Time taken, of all processes that took part.
    finished : bool
        Nothing is left to do.
    baseline : dict or None
        What the error of a constant answer goes on from; None where it is not told.
    early : Counts or None
        Of the first rows, when the last of them was done.
    final, final_early : Counts or None
        How the final model answers held-out rows, and those of the first rows.
    """

    passes: int = 0
    rows: int = 0
    position: int = 0
    total: Counts = field(default_factory=Counts)
    by_pass: list[Counts] = field(default_factory=list)
    refused: int = 0
    class_counts: list[int] = field(default_factory=list)
    seconds: float = 0.0
    finished: bool = False
    baseline: Values | None = None
    early: Counts | None = None
    final: Counts | None = None
    final_early: Counts | None = None

    def plain(self) -> Values:
        """As JSON."""
        return asdict(self)

    @classmethod
    def restored(cls, given: Values) -> Progress:
        """From JSON."""
        values = {item.name: given[item.name] for item in fields(cls) if item.name in given}
        values["total"] = Counts(**values["total"])
        for name in ("early", "final", "final_early"):
            values[name] = None if values.get(name) is None else Counts(**values[name])
        values["by_pass"] = [Counts(**counts) for counts in values["by_pass"]]
        return cls(**values)


def identity(path: str) -> list[object]:
    """What tells an input file from another: its name, its size, and its bytes in places all over it."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(
            f"{path}: a pipe can be read once only, so a run over it cannot be resumed. Write it to a file."
        )
    with open(path, "rb") as file:
        total = 0
        for place in range(_PLACES):
            file.seek(status.st_size * place // _PLACES)
            total = crc32(file.read(_PIECE), total)
        return [os.path.basename(path), status.st_size, total]


def _rows(counts: Counts) -> int:
    return counts.examples + counts.held_out + counts.refused


def _check_progress(progress: Progress, plan: Values, seen: int) -> None:
    """Refuse numbers that do not go together."""
    passes, total = progress.passes, Counts()
    for counts in progress.by_pass:
        total.add(counts)

    def need(good: bool, name: str) -> None:
        if not good:
            raise ModelFileError(f"field 'run.progress.{name}' does not fit the others")

    need(passes <= plan["passes"], "passes")
    need(len(progress.by_pass) in (passes, passes + 1), "by_pass")
    need(len(progress.by_pass) > passes or progress.rows == 0, "rows")
    need(progress.rows <= progress.position, "position")
    for name in ("examples", "mistakes", "updates", "refused", "held_out", "held_out_mistakes"):
        need(getattr(total, name) == getattr(progress.total, name), f"total.{name}")
    need(seen == progress.total.examples, "total.examples")
    # Rows without weight are in no count, so that the counts are a lower bound, and exact where there are none.
    rows, position = _rows(total) - sum(map(_rows, progress.by_pass[:passes])), _rows(total)
    need(progress.position >= position, "position")
    need(progress.rows == rows if progress.position == position else progress.rows >= rows, "rows")
    need(passes > 0 or progress.rows == progress.position, "rows")
    ended = passes > 0 and len(progress.by_pass) == passes
    need(not progress.finished or (ended and (passes == plan["passes"] or plan["early_stop"])), "finished")
    need(progress.finished or passes < plan["passes"], "finished")


class Checkpoint:
    """The checkpoint of a run in a folder.

    Parameters
    ----------
    folder : Path
        Made when it is not there.
    plan : dict
        Everything the final model depends on; a run can only be resumed with the same.
    """

    def __init__(self, folder: Path, plan: Values) -> None:
        self.path = folder / "checkpoint.safetensors"
        self.plan = plan
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, model: Model, progress: Progress) -> None:
        """Write it, so that it is there whole or the one before still is."""
        save(model, self.path, extra={"run": {"plan": self.plan, "progress": progress.plain()}})

    def load(self, fresh: Model) -> tuple[Model, Progress] | None:
        """The model and how far it had come; None when no checkpoint was reached.

        Parameters
        ----------
        fresh : Model
            What the run would begin with: the model of the checkpoint must have its parameters.
        """
        if not self.path.exists():
            return None
        model, content = load_with_description(self.path)
        if "run" not in content:
            raise ModelFileError(f"{self.path}: a model, but not a checkpoint")
        try:
            check(content["run"], CHECKPOINT, "run")
            progress = Progress.restored(content["run"]["progress"])
            self._compare(content["run"]["plan"])
            check_parameters(model, fresh)
            _check_progress(progress, self.plan, model.n_seen)
        except ModelFileError as error:
            raise ModelFileError(f"{self.path}: {error}") from None
        return model, progress

    def _compare(self, plan: Values) -> None:
        now = json.loads(json.dumps(self.plan))
        for name, value in now.items():
            if plan.get(name) != value:
                raise UsageError(
                    f"{self.path}: made by another run, with {name} {plan.get(name)!r} and not {value!r}. "
                    "Use the same command, or another folder."
                )

    def refuse_to_overwrite(self) -> None:
        """Raise when an unfinished run's checkpoint is there and nobody asked to resume it."""
        if not self.path.exists():
            return
        try:
            content, _ = read_file(self.path)
            finished = bool(content["run"]["progress"]["finished"])
        except (ModelFileError, KeyError, TypeError):
            finished = False
        if not finished:
            raise UsageError(f"{self.path}: an unfinished run. Add --resume to go on with it, or remove it.")
