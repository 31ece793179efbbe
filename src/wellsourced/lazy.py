"""What is made when somebody first asks for it, so that a program which starts loads only what it needs.

A package that passes names on from heavy modules says them twice: under TYPE_CHECKING, where readers and type checkers
find them, and to `import_lazily`, which imports them.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, cast


def load_name(module: str, name: str) -> Any:
    """What a module calls by this name; the module is imported if it was not yet."""
    return getattr(import_module(module), name)


def import_lazily(package: str, passed_on: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package (PEP 562) that imports a name when it is first asked for.

    passed_on   module → the names that the package passes on from it
    """
    modules = {name: module for module, names in passed_on.items() for name in names}

    def find_name(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = load_name(modules[name], name)
        setattr(sys.modules[package], name, found)
        return found

    return find_name


def lazy_regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, compiled when it is first used: for long expressions that few questions need.

    It has a pattern's methods and is none: functions of `re` do not take it. An expression that cannot be compiled
    raises re.error where it is used; tests/test_lazy.py compiles all of them.
    """
    return cast("re.Pattern[str]", LazyPattern(expression, flags))


class LazyPattern:
    """A regular expression that is compiled when it is first asked for a method."""

    def __init__(self, expression: str, flags: int) -> None:
        self._expression = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        # Next time it is an attribute, and nobody comes here.
        vars(self)[name] = getattr(self._pattern, name)
        return vars(self)[name]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._expression, self._flags)
