"""The table of commands: how many there are, what is guessed, and the page made from it."""

import click
import pytest

from tests.app.conftest import Run
from tests.tables import each_row
from tools.command_table import DOCS, count_options, render_commands, walk_commands
from wellsourced.app.cli import command_line
from wellsourced.app.command_group import read_examples
from wellsourced.app.command_table import TABLE

MAX_COMMANDS, MAX_OPTIONS = 37, 146
"""With `library copy` and `library move`, `--engine` and `--ray`, which came with clusters."""


def test_there_are_no_more_commands_and_options_than_a_user_can_survey() -> None:
    commands = dict(walk_commands(command_line))
    runnable = [one for one in commands.values() if not isinstance(one, click.Group) or one.invoke_without_command]
    assert len(runnable) <= MAX_COMMANDS
    assert sum(map(count_options, [command_line, *commands.values()])) <= MAX_OPTIONS
    assert {row.path for row in TABLE} == set(commands)


def test_the_page_is_as_the_commands_are() -> None:
    assert DOCS.read_text(encoding="utf-8") == render_commands()


@each_row(("typed", "meant"), [(("serch",), "search"), (("library", "ad"), "add"), (("ask", "--quote"), "--quotes")])
def test_a_misspelt_command_or_option_is_guessed(run: Run, typed: tuple[str, ...], meant: str) -> None:
    done = run(*typed)
    assert done.exit_code == 2
    assert meant in done.stderr and "Traceback" not in done.stderr


def test_the_help_of_the_program_fits_a_screen(run: Run) -> None:
    lines = run("--help").stdout.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 100


def test_the_help_of_ask_fits_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(run("ask", "--help").stdout.splitlines()) <= 24


def test_examples_are_of_commands_and_are_shown_as_they_are_written(run: Run) -> None:
    assert set(read_examples()) <= {row.path for row in TABLE}
    assert "\n    wellsourced history delete --keep 100\n" in run("history", "--help").stdout
