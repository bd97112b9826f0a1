"""From files and pipes to batches of rows.

`read` takes svmlight, Vowpal Wabbit's text, CSV, JSON Lines, plain text, Parquet and Arrow, compressed or
not.
Neither scipy nor scikit-learn is imported here; `Batch.X` imports scipy when it is asked for.
"""

from __future__ import annotations

from ._batch import Batch
from ._formats import ENDINGS, FORMATS, format_of_name
from ._notes import Note
from ._problem import Problem
from ._reader import Reader, read

__all__ = ["ENDINGS", "FORMATS", "Batch", "Note", "Problem", "Reader", "format_of_name", "read"]
