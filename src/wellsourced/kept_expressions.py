"""Regular expressions of the package, read once and not in every process, as Python does with modules: what their
compiler made of them is kept beside the compiled modules.

It took a fifth of the processor time of a question from the shell. Only for expressions that are in the package or its
tables: the file is for everybody who runs it, so that nothing that somebody has typed may get into it.
"""

import _sre  # type: ignore[import-not-found]
import atexit
import json
import os
import re
import sys
from array import array
from base64 import b64decode, b64encode
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import NamedTuple, cast

VERSION = f"{sys.version} {_sre.MAGIC}"
"""Whatever may change what the compiler makes of an expression, or how it is run."""

MAX_KEPT = 6_000
"""Expressions of a file: in a larger one, most are of earlier versions of the package."""


class CompiledExpression(NamedTuple):
    """What the compiler of `re` hands to its engine, which looks at it once more before it runs it.

    code     numbers of 32 bits, in base 64
    groups   how many there are
    named    name → number of a group
    """

    flags: int
    code: str
    groups: int
    named: dict[str, int]

    @classmethod
    def compile(cls, expression: str, flags: int) -> "CompiledExpression":
        """As re._compiler.compile does."""
        parsed = _parser.parse(expression, flags)
        code, state = array("I", _compiler._code(parsed, flags)), parsed.state
        return cls(flags | state.flags, b64encode(code.tobytes()).decode(), state.groups - 1, dict(state.groupdict))

    def to_pattern(self, expression: str) -> re.Pattern[str]:
        names: list[str | None] = [None] * (self.groups + 1)
        for name, number in self.named.items():
            names[number] = name
        code = array("I", b64decode(self.code)).tolist()
        return cast(
            "re.Pattern[str]", _sre.compile(expression, self.flags, code, self.groups, self.named, tuple(names))
        )


class ExpressionFile:
    """The expressions that are kept, in a file that is written when the process ends, if there are others to keep."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._used: dict[str, CompiledExpression] = {}
        self._has_new = False
        self._kept = self._load()
        atexit.register(self._save)

    def compile(self, expression: str, flags: int) -> re.Pattern[str]:
        """Return what `re.compile` would."""
        key = f"{flags} {expression}"
        found = self._used.get(key) or self._kept.get(key)
        if found is None:
            found, self._has_new = CompiledExpression.compile(expression, flags), True
        self._used[key] = found
        return found.to_pattern(expression)

    def _load(self) -> dict[str, CompiledExpression]:
        # Damaged, of another version of Python, or not there: it is made again.
        with suppress(OSError, ValueError, TypeError):
            version, kept = json.loads(self._path.read_bytes())
            if version == VERSION:
                return {key: CompiledExpression(*one) for key, one in kept.items()}
        return {}

    def _save(self) -> None:
        if not self._has_new or sys.dont_write_bytecode:
            return
        everything = {**self._kept, **self._used}
        kept = self._used if len(everything) > MAX_KEPT else everything
        # Where nothing may be written, every process reads the expressions themselves.
        with suppress(OSError):
            aside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            aside.write_text(json.dumps((VERSION, kept)), encoding="utf-8")
            aside.replace(self._path)


@cache
def _open_file() -> ExpressionFile:
    place = Path(cache_from_source(__file__))
    return ExpressionFile(place.with_name(f"expressions.{sys.implementation.cache_tag}.json"))


def compile_kept(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, for an expression that is in the package or in one of its tables."""
    try:
        return _open_file().compile(expression, int(flags))
    except (AttributeError, TypeError, RuntimeError, ValueError):
        # The inside of `re` is another one here, or the file is damaged in a way that only its engine sees.
        return re.compile(expression, flags)
