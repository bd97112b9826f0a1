"""Parsers, hashing and text features of the native core."""

from typing import Any

def __getattr__(name: str) -> Any: ...
