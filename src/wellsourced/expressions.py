"""Regular expressions of the program, compiled once: what Python made of each is kept beside this module, as it keeps
what it made of modules, and is read when a process starts.

A question needs some 1,400 expressions, which a new process compiled in .65 s, and reads in .02. Only expressions that
stand in the program or its tables come here, none with words of a question or a record in it: what is kept is the
same for whoever uses this installation.
"""

import os
import re
import sys
from array import array
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import cache_from_source
from marshal import dumps, loads
from pathlib import Path
from typing import Any

MAX_KEPT = 6_000
"""Expressions in the file; with more it is begun again, since those of former versions are among them."""

_Compiled = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""Flags, the code that Python's engine runs, how many groups there are, and their names: what `_sre.compile` takes."""

_HASH_SIZE = 32
_new: set[tuple[str, int]] = set()


def compile_regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, from the file where it is there."""
    key = expression, int(flags)
    kept = _read_kept().get(key)
    if kept is None:
        _new.add(key)
        return re.compile(expression, flags)
    own_flags, code, groups, index, names = kept
    # The engine checks code before it takes it.
    pattern: re.Pattern[str] = _engine().compile(
        expression, own_flags, array("I", code).tolist(), groups, dict(index), names
    )
    return pattern


def keep_compiled() -> None:
    """Write what was compiled in this process into the file, where Python would write its own."""
    if not _new or sys.dont_write_bytecode or sys.implementation.name != "cpython":
        return
    known = _read_kept()
    rows = {**(known if len(known) < MAX_KEPT else {}), **{key: _compile(*key) for key in _new}}
    body = dumps((_version(), rows))
    path = find_kept_file()
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    # Whoever may not write there compiles each time.
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        partial.write_bytes(sha256(body).digest() + body)
        partial.replace(path)
    _new.clear()


def find_kept_file() -> Path:
    """Where the expressions of this version of Python are kept."""
    return Path(cache_from_source(__file__)).with_suffix(".kept")


@cache
def _read_kept() -> dict[tuple[str, int], _Compiled]:
    try:
        content = find_kept_file().read_bytes()
    except OSError:
        return {}
    head, body = content[:_HASH_SIZE], content[_HASH_SIZE:]
    if sha256(body).digest() != head:
        return {}
    version, rows = loads(body)  # noqa: S302 (values alone, and those that were written here)
    return rows if version == _version() else {}


def _compile(expression: str, flags: int) -> _Compiled:
    """What `re.compile` hands to the engine."""
    compiler = import_module("re._compiler")
    tree = import_module("re._parser").parse(expression, flags)
    code = compiler._code(tree, flags)
    names: list[str | None] = [None] * tree.state.groups
    for name, place in tree.state.groupdict.items():
        names[place] = name
    index = dict(tree.state.groupdict)
    return flags | tree.state.flags, array("I", code).tobytes(), tree.state.groups - 1, index, tuple(names)


@cache
def _engine() -> Any:
    return import_module("_sre")


def _version() -> str:
    """Code is only good for the interpreter that made it."""
    return f"{sys.version} {_engine().MAGIC} {array('I').itemsize} {sys.byteorder}"
