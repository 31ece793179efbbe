"""A checked text as each report shows it."""

import csv
import io
import json
import re
from datetime import date
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from tests.tables import each_row
from wellsourced.app.factcheck.checked_text import (
    COLUMNS,
    RULES,
    CheckedText,
    artifact_uri,
    line_starts,
    neutralize_cell,
    render_csv,
    render_json,
    render_sarif,
    summary_line,
    text_region,
)
from wellsourced.app.factcheck.report_output import render_html
from wellsourced.app.factcheck.text_report import describe_faults, find_shared_reasons, render_text
from wellsourced.factcheck.verdicts import find_issues, is_cut_off, issue_kinds, pool_shares
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.types import Checkup, Notice, Retraction, SourceAddress, SourceResolution

FLARE = "Colchicine shortens gout flares."
NAUSEA = "=Colchicine never causes <b>nausea</b>."
CURE = "Colchicine cures gout."
OLD = "Gout is old."
TEXT = submitted(f"{FLARE} \n{NAUSEA}\n{CURE}\n{OLD}".replace(" \n", "\n"), 4, c0=("1",), c1=("2",), c2=("3",))
WITHDRAWN = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed", published="2020"),))
SOURCES = (
    opened("1", "Colchicine shortened flares. It is old."),
    opened(
        "2",
        "Nausea was frequent with colchicine.",
        address=SourceAddress(url="https://example.org/2", domain="example.org"),
    ),
    opened("3", "Colchicine cures gout.", retraction=WITHDRAWN),
    opened("4", fetched="dead", standing="invented", reason="Crossref knows no such title"),
)
TOLD = {
    (FLARE, "shortened"): verdict("supports"),
    (NAUSEA, "Nausea"): verdict("contradicts", quote="Nausea was frequent with colchicine."),
    (CURE, "cures"): verdict("supports"),
    (OLD, "old"): verdict("unjudged", 0.0, "the reply could not be read"),
}


@pytest.fixture
async def checkup() -> Checkup:
    return await run_checkup(TEXT, ToldTracer(*SOURCES), Pairs(TOLD), as_of=date(2026, 11, 21))


def test_the_terminal_shows_each_statement_with_its_mark_its_source_and_the_words(checkup: Checkup) -> None:
    lines = render_text([CheckedText("answer.md", checkup)], {}, TerminalPage(width=120)).splitlines()
    assert lines[0] == (
        "answer.md: 4 statements: 1 verified, 1 contradicted, 1 not supported, 1 not judged; 4 sources, 3 read"
    )
    text = "\n".join(lines)
    assert f"  ✓ {FLARE} [1]\n      “Colchicine shortened flares.” ([1], 0–28)" in text
    assert f"  ✗ {NAUSEA} [2]\n      contradicted" in text
    assert (
        f"  ✗ {CURE} [3]\n      not supported: the source was retracted (PubMed, 2020), and cannot support it" in text
    )
    assert f"  ? {OLD}\n      not judged: the reply could not be read" in text
    assert "  [4] https://example.org/4\n      invented; dead; Crossref knows no such title" in text
    assert "source validity" in text
    assert re.search(r"source validity +75.0 % +3 of 4 +25.0–100.0", text)
    assert "judged by pairs" in text


async def test_a_source_whose_page_is_gone_is_read_where_its_abstract_was_had_elsewhere() -> None:
    sources = (opened("1", FLARE), opened("2", CURE, fetched="dead"), opened("3", fetched="dead"))
    text = submitted(f"{FLARE}\n{CURE}", 3, c0=("1",), c1=("2",))
    done = await run_checkup(text, ToldTracer(*sources), Pairs({(FLARE, FLARE): verdict("supports")}))
    assert summary_line(CheckedText("a.md", done)).endswith("; 3 sources, 2 read")


def test_several_texts_have_their_figures_together(checkup: Checkup) -> None:
    results = [CheckedText("a.md", checkup), CheckedText("b.md", checkup)]
    together = pool_shares([checkup, checkup])
    assert "All 2 texts together" in render_text(results, together, TerminalPage())
    data = json.loads(render_json(results, together))
    assert (data["shares"]["source validity"]["part"], list(data["checkups"])) == (6, ["a.md", "b.md"])


def test_the_json_of_one_text_is_its_checkup(checkup: Checkup) -> None:
    assert Checkup.model_validate_json(render_json([CheckedText("a.md", checkup)], {})) == checkup


def test_the_rows_are_all_pairs_and_no_cell_is_run_by_a_spreadsheet(checkup: Checkup) -> None:
    rows = [*csv.DictReader(io.StringIO(render_csv([CheckedText("a.md", checkup)])))]
    assert len(rows) == 16
    assert tuple(rows[0]) == COLUMNS
    assert rows[4]["statement"] == f"'{NAUSEA}"
    assert (rows[0]["label"], rows[0]["excerpt"], rows[0]["own"]) == ("verified", "Colchicine shortened flares.", "yes")
    assert (rows[3]["url class"], rows[3]["standing"], rows[3]["label"]) == ("dead", "invented", "unjudged")
    assert {(row["model"], row["date"]) for row in rows} == {("pairs", "2026-11-21")}


async def test_a_source_that_no_statement_was_put_to_has_a_row_too() -> None:
    done = await run_checkup(submitted("", 1), ToldTracer(opened("1", fetched="dead")), Pairs({}))
    rows = [*csv.DictReader(io.StringIO(render_csv([CheckedText("a.md", done)])))]
    assert [(row["statement"], row["url"], row["url class"]) for row in rows] == [("", "https://example.org/1", "dead")]


@each_row("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(cell: str) -> None:
    assert neutralize_cell(cell) == f"'{cell}"


class Seen(HTMLParser):
    """What a browser would see: tags with their attributes, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_marks_the_text_and_lets_nothing_of_it_be_markup(checkup: Checkup) -> None:
    page = Seen(render_html([CheckedText("a.md", checkup)], {}))
    marks = [attributes["class"] for tag, attributes in page.tags if tag == "mark"]
    assert marks == ["verified", "contradicted", "unsupported", "unjudged"]
    assert NAUSEA in page.text
    assert {"script", "img", "link", "iframe"}.isdisjoint(tag for tag, _ in page.tags)
    inside = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    ids = {f"#{attributes['id']}" for _, attributes in page.tags if "id" in attributes}
    assert {one for one in inside if one and one.startswith("#")} == ids


async def test_an_address_that_is_none_is_no_link() -> None:
    text = submitted(FLARE, 1)
    hostile = text.sources[0].model_copy(update={"url": "javascript:alert(1)", "written": "<script>"})
    done = await run_checkup(text.model_copy(update={"sources": (hostile,)}), ToldTracer(*SOURCES), Pairs({}))
    page = Seen(render_html([CheckedText("a.md", done)], {}))
    assert [one for one in page.tags if one[0] == "script"] == []
    assert not any("javascript" in (attributes.get("href") or "") for _, attributes in page.tags)


def test_sarif_says_what_is_wrong_at_its_line_and_column(checkup: Checkup) -> None:
    log = json.loads(render_sarif([CheckedText("notes/a b.md", checkup, has_file_offsets=True)]))
    run = log["runs"][0]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == [rule for rule, _, _ in RULES.values()]
    found = {one["ruleId"] for one in run["results"]}
    assert found == {"contradicted", "unsupported", "unverified", "retracted", "fabricated", "dead-link"}
    for one in run["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
        assert one["message"]["text"]
    place = next(one for one in run["results"] if one["ruleId"] == "contradicted")["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "notes/a%20b.md"
    assert (place["region"]["startLine"], place["region"]["startColumn"], place["region"]["endLine"]) == (2, 1, 2)
    assert place["region"]["endColumn"] == len(NAUSEA) + 1
    bare = json.loads(render_sarif([CheckedText("a.pdf", checkup)]))["runs"][0]["results"][0]["locations"][0]
    assert "region" not in bare["physicalLocation"]


def test_a_region_counts_from_one_and_ends_behind_its_last_character() -> None:
    place = text_region("ab\ncdé\nf", line_starts("ab\ncdé\nf"), 4, 8)
    assert place == {
        "startLine": 2, "startColumn": 2, "endLine": 3, "endColumn": 2, "snippet": {"text": "dé\nf"},
    }  # fmt: skip


def test_names_become_references() -> None:
    assert [artifact_uri(name) for name in ("-", "https://example.org/a", "a/b c.md", "/a/b.md")] == [
        "stdin", "https://example.org/a", "a/b%20c.md", "file:///a/b.md",
    ]  # fmt: skip


def test_findings_are_in_the_order_of_the_text_and_a_contradicted_statement_is_unsupported_too(
    checkup: Checkup,
) -> None:
    found = find_issues(checkup)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert issue_kinds(found) == {"contradicted", "unsupported", "unverified", "retracted", "fabricated", "dead"}
    contradicted = [one for one in found if one.kind == "contradicted"]
    assert issue_kinds(contradicted) == {"contradicted", "unsupported"}


async def test_a_text_none_of_whose_sources_is_reached_is_cut_off_and_one_behind_a_login_is_not() -> None:
    text = submitted(FLARE, 1)
    offline = await run_checkup(text, ToldTracer(opened("1", fetched="offline")), Pairs({}))
    login = await run_checkup(text, ToldTracer(opened("1", fetched="refused")), Pairs({}))
    assert (is_cut_off(offline), is_cut_off(login)) == (True, False)


def test_a_text_without_a_statement_says_so_in_one_line() -> None:
    nothing = Checkup(submitted=submitted(""))
    assert summary_line(CheckedText("a.md", nothing)) == "0 statements; 0 sources, 0 read"
    assert render_text([CheckedText("-", nothing)], {}, TerminalPage()).startswith(
        "The text: 0 statements; 0 sources, 0 read\n"
    )


def test_what_is_to_be_known_of_several_sources_is_told_once_with_their_keys() -> None:
    down = "Crossref: it could not be asked"
    reasons = {"1": down, "2": f"the id was not checked; {down}", "3": ""}
    traced = {
        key: SourceResolution(key=key, fetched="ok", standing="found", reason=reason) for key, reason in reasons.items()
    }
    shared = find_shared_reasons(traced)
    assert shared == {down: ["1", "2"]}
    assert [describe_faults(one, shared) for one in traced.values()] == ["", "the id was not checked", ""]
    assert describe_faults(traced["2"]) == reasons["2"]
