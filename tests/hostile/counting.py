"""How many generated objects were tried; `tests/conftest.py` says it at the end of a run."""

from __future__ import annotations

tried = 0


def count(objects: int) -> None:
    """Add to the number."""
    global tried
    tried += objects
