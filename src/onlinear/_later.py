"""Modules that are imported when something of them is first used."""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["Later"]


class Later(ModuleType):
    """A stand-in for a module; it fills itself with that module's names when the first is asked for."""

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # asked of every module by those who import from it
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = __import__(self.__name__)
        self.__dict__.update(vars(module))
        self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(module, name)
