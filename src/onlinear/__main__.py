"""``python -m onlinear`` is the command ``onlinear``."""

from __future__ import annotations

from .cli import entry

if __name__ == "__main__":
    entry()
