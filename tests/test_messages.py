"""Messages of the lower layers: short, in plain English, and without the commands of any surface."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import get_args

from tests.tables import each_row
from tests.wording import SRC, find_faults, raised_messages
from wellsourced.app.messages import spell_next_step
from wellsourced.errors import NextStep, NextStepKind

PARTS = (
    "config", "sources", "http", "ingest", "readers", "storage", "privacy", "query_language", "encoders", "judges",
    "factcheck", "plugins.py", "reading_worker.py", "budget.py", "context.py", "policy.py", "converse.py",
)  # fmt: skip
"""Folders and modules below the surfaces."""

COMMAND = re.compile(r"`|\bwellsourced [a-z]|(?<!\w)--[a-z]|\bpip install\b|https?://(?:localhost|127\.)")
"""What only a terminal, or only a page, can do."""


def modules(part: str) -> Iterator[Path]:
    path = SRC / part
    yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def faults(message: str) -> list[str]:
    return [*find_faults(message), *(f"“{found[0]}” is of one surface" for found in COMMAND.finditer(message))]


@each_row("part", PARTS)
def test_what_is_raised_is_short_plain_and_of_no_surface(part: str) -> None:
    found = [
        f"{path.relative_to(SRC)}:{line}: {fault}"
        for path in modules(part)
        for line, message in raised_messages(ast.parse(path.read_text(encoding="utf-8")))
        for fault in faults(message)
    ]
    assert found == []


@each_row("message", ["Run `wellsourced library add`.", "Leave out --offline.", "It is told so."])
def test_the_checker_finds_a_command_a_flag_and_a_banned_word(message: str) -> None:
    assert faults(message)


@each_row("kind", get_args(NextStepKind))
def test_every_step_is_spelled_at_the_terminal(kind: NextStepKind) -> None:
    for value in ("", "mine"):
        assert spell_next_step(NextStep(kind, value))


def test_a_folder_with_blanks_is_quoted() -> None:
    assert spell_next_step(NextStep("trust folder", "/my work")) == "Run: wellsourced setup trust '/my work'"


CATALOGUES = {
    name: import_module(name)
    for path in (*(SRC / "app").glob("messages.py"), *(SRC / "server").rglob("messages.py"))
    for name in [".".join(path.relative_to(SRC.parent).with_suffix("").parts)]
}


@each_row(("part", "least"), [("app", 40), ("server", 15)])
def test_every_template_of_a_surface_is_given_the_values_that_it_names(part: str, least: int) -> None:
    found, known = [], set()
    for path in sorted((SRC / part).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" in CATALOGUES
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(ast.Attribute(ast.Name(catalogue), name), "format")) if (
                    catalogue in imported
                ):
                    template = getattr(CATALOGUES[imported[catalogue]], name)
                    fields = {field for _, field, _, _ in Formatter().parse(template) if field}
                    given = {keyword.arg for keyword in node.keywords}
                    found += [] if fields == given and not node.args else [f"{path.name}:{node.lineno}: {name}"]
                    known.add(name)
    assert found == []
    assert len(known) > least
