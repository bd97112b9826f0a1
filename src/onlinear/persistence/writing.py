"""Files that appear whole or not at all: written aside, fsynced, moved into place."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["sweep", "writable", "written", "written_aside"]


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, fsynced and moved onto it when all went well: whole or not at all."""
    path = writable(path)
    sweep(path)
    # In the manner of tempfile, whose import costs more than a small model's writing.
    aside = path.parent / f"{_prefix(path)}{os.urandom(4).hex()}.{os.getpid()}.part"
    with _blaming(path, aside):
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with _blaming(path, aside):
            yield aside
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        aside.chmod(0o666 & ~mask)
        aside.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    finally:
        aside.unlink(missing_ok=True)


@contextlib.contextmanager
def written(path: Path) -> Iterator[Path]:
    """The same for what may also go straight into a pipe or a device."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        with _blaming(path):
            yield path
        return
    with written_aside(path) as aside:
        yield aside


@contextlib.contextmanager
def _blaming(path: Path, aside: Path | None = None) -> Iterator[None]:
    """Let an error of writing, which has no name or that of the file beside, name the file that is to be written."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(aside)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def writable(path: Path) -> Path:
    """The real path behind `path`, once it is known that a file can be put there."""
    real = Path(os.path.realpath(path))
    if real.is_symlink():  # a link that leads to itself has no file behind it
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if not real.parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(real.parent))
    if real.is_dir():
        raise IsADirectoryError(21, "a folder, not a file", str(path))
    if real.exists() and not real.is_file():  # moving a file onto /dev/null would be a bad surprise
        raise OSError(22, "not a regular file", str(path))
    if not os.access(real.parent, os.W_OK):
        raise PermissionError(13, "the folder cannot be written to", str(real.parent))
    return real


def _prefix(path: Path) -> str:
    # The name of a file has 255 bytes at most, and letters have up to four.
    return f".{os.fsdecode(os.fsencode(path.name)[:100])}."


def sweep(path: Path) -> None:
    """Remove what a killed process left beside `path`; files of living processes stay."""
    prefix = _prefix(path)
    for name in os.listdir(path.parent):
        if name.startswith(prefix) and name.endswith(".part"):
            owner = name.split(".")[-2]
            if owner.isdigit() and not _alive(int(owner)):
                (path.parent / name).unlink(missing_ok=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
