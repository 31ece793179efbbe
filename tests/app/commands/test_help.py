"""Topics and commands are explained, and what the topics show can be typed."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.app.conftest import Run
from tests.tables import each_row
from tests.test_docs import blocks, desk, type_in, typed
from wellsourced.app import commands
from wellsourced.app.cli import command_line
from wellsourced.app.commands.help import list_below_topic, load_topics, summarize_topic

__all__ = ["desk"]

TOPICS = Path(commands.__file__).parents[1] / "topics"
SHOULD_BE_THERE = {
    "sources", "libraries", "verification", "presets", "privacy", "settings", "exit-codes", "query-syntax", "models",
}  # fmt: skip


def test_there_is_a_topic_for_each_idea_of_some_ten_lines_with_a_name_and_a_summary() -> None:
    topics = load_topics()
    assert set(topics) >= SHOULD_BE_THERE
    for name, text in topics.items():
        assert text.startswith(f"# {name.replace('-', ' ')}: ")
        assert 5 < len(summarize_topic(text)) < 80
        assert text.count("\n") <= 30
        listed = list_below_topic(name, click.Context(command_line)).count("\n")
        assert text.count("\n") + listed >= 10


def test_without_a_name_topics_and_commands_are_listed(run: Run) -> None:
    told = run("help")
    assert told.exit_code == 0
    assert "  privacy       what leaves this machine" in told.stdout
    assert "  ask        Answer a question in the words of sources." in told.stdout


def test_a_topic_is_printed_for_a_terminal(run: Run) -> None:
    told = run("help", "query", "syntax")
    assert told.exit_code == 0
    assert told.stdout.startswith("Query syntax: PubMed's and Ovid's, here and over the network\n\n")
    assert "    $ wellsourced search --show-query " in told.stdout
    assert not {"```", "**", "<!--", "# "}.intersection(told.stdout.split())
    assert max(map(len, told.stdout.splitlines())) <= 100
    assert run("help", "history").stdout.endswith("\nOptions of the command: wellsourced history --help\n")
    assert "\n    $ wellsourced setup show" in run("help", "settings").stdout


def test_the_page_of_a_published_system_has_a_command_for_each_feature(run: Run) -> None:
    told = run("help", "sourcecheckup").stdout
    assert told.startswith("SourceCheckup, do cited sources support the answer?")
    assert "\nF11  SourceCleanup\n     wellsourced check --repair FILE\n" in told
    assert max(map(len, told.splitlines())) <= 100
    assert "  omni           Omni-RAG" in run("help").stdout


def test_a_command_is_explained_as_by_its_own_help(run: Run) -> None:
    told, its_own = (run(*words).stdout.split("\n") for words in (("help", "search"), ("search", "--help")))
    assert told[1:] == its_own[1:]
    assert "library add [OPTIONS]" in run("help", "library", "add").stdout


@each_row(
    ("words", "said"),
    [
        (("verfication",), "Did you mean verification?"),
        (("codes",), "exit-codes"),
        (("library", "ad"), "Did you mean library add?"),
        (("xyzzy",), "`wellsourced help` lists all"),
        (("mairag",), "Did you mean lins?"),
        (("lost", "in", "the", "middle"), "Did you mean briefcontext"),
    ],
)
def test_what_is_near_an_unknown_topic_is_named(run: Run, words: tuple[str, ...], said: str) -> None:
    told = run("help", *words)
    assert told.exit_code == 2
    assert said in told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("topic", sorted(TOPICS.glob("*.md")), ids=lambda path: path.stem)
def test_what_a_topic_shows_can_be_typed(topic: Path, desk: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for block in blocks(topic, "console"):
        for one in typed(block.body):
            if one.command.startswith("cat "):
                (desk / one.command.split()[1]).write_text(one.output + "\n", encoding="utf-8")
            elif not block.reason and is_plain(one.command):
                told = type_in(shlex.split(one.command))
                assert told.exit_code == 0, (one.command, told.output)
            elif not block.reason:
                done = subprocess.run(
                    ["bash", "-c", one.command], capture_output=True, text=True, env={**os.environ, "PATH": path}
                )
                assert done.returncode == 0, (one.command, done.stdout[-500:], done.stderr)


def is_plain(command: str) -> bool:
    """Whether it is our command alone, which a shell would pass on as it stands."""
    words = list(shlex.shlex(command, posix=True, punctuation_chars="|&;<>()$`"))
    return words[0] == "wellsourced" and not any(set(word) <= set("|&;<>()$`") for word in words)


def test_a_topic_has_examples_and_says_why_one_is_not_run() -> None:
    for path in TOPICS.glob("*.md"):
        assert any(not one.reason for one in blocks(path, "console")), path
