"""Everything onlinear raises on purpose.

::

    OnlinearError
    ├── ParameterError (ValueError)     a parameter is out of range, or parameters do not go together
    ├── DataError (ValueError)          an example was refused; nothing of it was learned
    │   ├── NumericError                a step would have made a weight infinite
    │   └── ReadError                   a line, or a whole file, cannot be read
    ├── NotAvailableError (AttributeError)  this model does not keep what was asked for
    └── ModelFileError (ValueError)     a model file is damaged, hostile, or from the future

Each is also the built-in exception in parentheses, so plain handlers work. `ReadWarning` (UserWarning) is what readers
and models warn with.
"""

from __future__ import annotations

__all__ = [
    "DataError",
    "ModelFileError",
    "NotAvailableError",
    "NumericError",
    "OnlinearError",
    "ParameterError",
    "ReadError",
    "ReadWarning",
]


class OnlinearError(Exception):
    """The common ancestor."""


class ReadWarning(UserWarning):
    """Warns that what was read may mean something else than its owner thinks."""


class ParameterError(OnlinearError, ValueError):
    """Raised when a parameter is out of range or does not go with another."""


class DataError(OnlinearError, ValueError):
    """Raised when an example is refused.

    Attributes
    ----------
    row : int or None
        The row of the array or batch.
    column : int or None
        The column, where one is to blame.
    """

    def __init__(self, message: str, row: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.column = column

    def __reduce__(self) -> tuple[type[DataError], tuple[str, int | None, int | None]]:
        return type(self), (str(self), self.row, self.column)


class NumericError(DataError):
    """Raised when learning a row would overflow; the rows before it stay learned."""


class ReadError(DataError):
    """Raised when a line of a file, or the file as a whole, cannot be read.

    Attributes
    ----------
    path : str
        The file.
    line : int or None
        The line, from 1; None when the file as a whole is to blame.
    column : int or None
        The character in the line, from 1.
    """

    def __init__(self, message: str, path: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message, None, column)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[type[ReadError], tuple[str, str, int | None, int | None]]:  # type: ignore[override]
        return type(self), (str(self), self.path, self.line, self.column)


class NotAvailableError(OnlinearError, AttributeError):
    """Raised when a model does not keep what was asked for, as a standard deviation from a mean alone."""


class ModelFileError(OnlinearError, ValueError):
    """Raised when a model file cannot be read safely."""
