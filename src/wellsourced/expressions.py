"""Regular expressions of the program, compiled once: what Python made of each is kept beside this module, as it keeps
what it made of modules, and is read when a process starts.

A question needs some 1,400 expressions, which a new process compiled in .65 s, and reads in .02. Only expressions that
stand in the program or its tables come here, none with words of a question or a record in it: what is kept is the
same for whoever uses this installation.
"""

import _sre  # type: ignore[import-not-found]
import json
import os
import re
import sys
from array import array
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import NamedTuple

MAX_KEPT = 6_000
"""Expressions in the file; with more it is begun again, since those of former versions are among them."""

_HASH_SIZE = 32
_new: set[tuple[str, int]] = set()


class CompiledRegex(NamedTuple):
    """What Python's engine is handed of an expression: its flags, its code, how many groups it has, and their names."""

    flags: int
    code: bytes
    groups: int
    places: dict[str, int]
    names: list[str | None]


def compile_regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, from the file where it is there."""
    key = expression, int(flags)
    kept = _read_kept().get(key)
    if kept is None:
        _new.add(key)
        return re.compile(expression, flags)
    # The engine checks code before it takes it.
    code = array("I", kept.code).tolist()
    pattern: re.Pattern[str] = _sre.compile(expression, kept.flags, code, kept.groups, kept.places, tuple(kept.names))
    return pattern


def keep_compiled() -> None:
    """Write what was compiled in this process into the file, where Python would write its own."""
    if not _new or sys.dont_write_bytecode or sys.implementation.name != "cpython":
        return
    known = _read_kept()
    rows = {**(known if len(known) < MAX_KEPT else {}), **{key: _compile(*key) for key in _new}}
    # A line of JSON, and the code of all expressions behind it.
    table = [(*key, *one._replace(code=len(one.code))) for key, one in rows.items()]  # type: ignore[arg-type]
    body = json.dumps([_version(), table]).encode() + b"\n" + b"".join(one.code for one in rows.values())
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
def _read_kept() -> dict[tuple[str, int], CompiledRegex]:
    try:
        content = find_kept_file().read_bytes()
    except OSError:
        return {}
    head, body = content[:_HASH_SIZE], content[_HASH_SIZE:]
    if sha256(body).digest() != head:
        return {}
    table, _, code = body.partition(b"\n")
    version, rows = json.loads(table)
    if version != _version():
        return {}
    found, start = {}, 0
    for expression, asked, flags, length, *rest in rows:
        found[expression, asked] = CompiledRegex(flags, code[start : start + length], *rest)
        start += length
    return found


def _compile(expression: str, flags: int) -> CompiledRegex:
    """What `re.compile` hands to the engine."""
    tree = _parser.parse(expression, flags)
    state, code = tree.state, array("I", _compiler._code(tree, flags)).tobytes()
    names: list[str | None] = [None] * state.groups
    for name, place in state.groupdict.items():
        names[place] = name
    return CompiledRegex(flags | state.flags, code, state.groups - 1, dict(state.groupdict), names)


def _version() -> str:
    """Code is only good for the interpreter that made it."""
    return f"{sys.version} {_sre.MAGIC} {array('I').itemsize} {sys.byteorder}"
