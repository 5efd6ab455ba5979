"""Modules that can be called: `waranalysis.rules` is a module and, to its users, a function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Let a call of the module `name` call `function`.

    Importing a submodule sets it as an attribute of its package, in place of a function of the
    same name; so the module itself has to answer.
    """

    class CallableModule(ModuleType):
        __doc__ = function.__doc__

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

    sys.modules[name].__class__ = CallableModule
