"""Expressions that were kept are those that were compiled."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced import expressions
from wellsourced.expressions import compile_regex, keep_compiled

EXPRESSIONS = [
    (r"\b(?P<dose>\d+)\s?(mg|µg)(?!\w)", re.IGNORECASE),
    (r"[À-ÖØ-Þ]\w{2,30}(?<=[a-zé])", 0),
    (r"(?i:no|not) (?P<what>[^.;]{0,40}?)(?:\Z|(?=[.;]))", re.MULTILINE),
    (r"^\s+(a)|(b)\1?", re.VERBOSE | re.DOTALL),
]
TEXT = "Émile got 30 MG and 5µg; not a dose of\n 12 mg. No more"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of its own, in a process that writes what it compiled."""
    path = tmp_path / "made" / "expressions.kept"
    monkeypatch.setattr(expressions, "find_kept_file", lambda: path)
    monkeypatch.setattr(expressions, "_new", set())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    expressions._read_kept.cache_clear()
    yield path
    expressions._read_kept.cache_clear()


def keep(*rows: tuple[str, int]) -> None:
    for expression, flags in rows:
        compile_regex(expression, flags)
    keep_compiled()
    expressions._read_kept.cache_clear()


@each_row("expression, flags", EXPRESSIONS)
def test_what_was_kept_finds_what_was_compiled(kept: Path, expression: str, flags: int) -> None:
    keep(*EXPRESSIONS)
    found, wanted = compile_regex(expression, flags), re.compile(expression, flags)
    assert not expressions._new
    assert (found.pattern, found.flags, found.groups) == (wanted.pattern, wanted.flags, wanted.groups)
    assert found.groupindex == wanted.groupindex
    spans = [[(one.span(), one.groups()) for one in pattern.finditer(TEXT)] for pattern in (found, wanted)]
    assert spans[0] == spans[1]


def test_more_are_added_to_those_that_were_kept(kept: Path) -> None:
    keep(EXPRESSIONS[0])
    keep(EXPRESSIONS[1])
    assert expressions._read_kept().keys() == {(text, int(flags)) for text, flags in EXPRESSIONS[:2]}


@each_row("content", [b"", b"cut off", b"\0" * 32 + b"other words"])
def test_a_damaged_file_is_not_read(kept: Path, content: bytes) -> None:
    keep(*EXPRESSIONS)
    kept.write_bytes(content)
    assert compile_regex(*EXPRESSIONS[0]).findall(TEXT) == re.compile(*EXPRESSIONS[0]).findall(TEXT)
    keep_compiled()
    assert len(kept.read_bytes()) > len(content)


def test_what_another_python_compiled_is_not_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(*EXPRESSIONS)
    monkeypatch.setattr(expressions, "_version", lambda: "another")
    assert expressions._read_kept() == {}


def test_nothing_is_written_where_python_may_not_write(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keep(*EXPRESSIONS)
    assert not kept.exists()
