"""`wellsourced search --show-query`: what it prints, where its caret stands, with which exit status it ends."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from wellsourced.app.commands.search import mark_position, search

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """The command by itself."""
    return lambda *words, stdin=None: CliRunner().invoke(search, ["--show-query", *words], input=stdin)


def test_a_query_is_shown_as_a_tree_and_as_it_would_be_sent(run: Run) -> None:
    told = run("gout[mh]", "AND", "colchic*[tiab]")
    assert told.exit_code == 0
    assert told.stdout.startswith(
        "Read as PubMed syntax\n\n"
        "  all of\n    MeSH heading gout and all below it\n    “colchic…” in title or abstract\n"
    )
    assert '\nSent to PubMed:\n  "gout"[mh] AND colchic*[tiab]\n' in told.stdout
    assert '\nSent to Europe PMC:\n  MESH:"gout" AND TITLE_ABS:colchic*\n' in told.stdout


def test_a_note_stands_with_a_caret_under_the_fault(run: Run) -> None:
    lines = run("gout AND flare[pl]").stdout.splitlines()
    note = next(place for place, line in enumerate(lines) if line.startswith("Note: [pl] is not supported here"))
    assert lines[note + 1][lines[note + 2].index("^")] == "["


def test_a_query_that_cannot_be_read_ends_with_status_two_and_a_caret(run: Run) -> None:
    told = run("-", stdin="gout.tw.\n1 or 7")
    assert told.exit_code == 2
    sentence, line, caret = told.stderr.splitlines()
    assert sentence == "wellsourced: No line 7 precedes this one. Refer to earlier lines."
    assert line == "  line 2: 1 or 7"
    assert line[caret.index("^")] == "7"
    assert told.stdout == ""


def test_a_strategy_may_be_piped_in_and_its_language_named(run: Run) -> None:
    assert "Read as Ovid MEDLINE syntax" in run("--syntax", "ovid", "-", stdin="gout\nasthma\n1 or 2").stdout
    assert "Read as PubMed syntax" in run("--syntax", "pubmed", "exp Gout/").stdout


def test_the_json_holds_all_there_is_to_say(run: Run) -> None:
    told = json.loads(run("--json", "humans[Filter] AND gout").stdout)
    assert told.keys() == {"language", "understood", "notes", "pubmed", "europe_pmc"}
    assert told["pubmed"] == {"text": "humans[Filter] AND gout", "notes": []}
    assert len(told["notes"]) == 1


def test_a_long_line_is_cut_around_the_fault() -> None:
    line, caret = mark_position("a" * 300 + "!" + "b" * 300, 300).splitlines()
    assert line[caret.index("^")] == "!"
    assert len(line) < 110


def test_characters_that_command_the_terminal_are_not_printed(run: Run) -> None:
    assert "\x1b" not in run("gout\x1b[31m AND \x1b").output
