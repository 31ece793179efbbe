"""Which language a query is in; published strategies and recorded queries; and whatever else may be typed."""

import ast
import gzip
import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.samples import a_tenth_as_long
from tests.tables import each_row
from wellsourced.errors import BadQuery
from wellsourced.query_language import (
    canonical_form,
    detect_dialect,
    parse_ovid,
    parse_pubmed,
    parse_query,
    render_outline,
    write_europe_pmc_query,
    write_pubmed_query,
)
from wellsourced.query_language.query_tree import ParsedQuery

DATA = Path(__file__).parents[2] / "../shared/data"
TOPICS = DATA / "graph/clef_tar.topics.jsonl.gz"
RECORDED = DATA / "benchmarks/pubmedrs200_outputs.jsonl.gz"

IN_PUBMED = {
    "CD007431", "CD008054", "CD008686", "CD009263", "CD009323", "CD010339", "CD011420", "CD011926",
}  # fmt: skip


def rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        pytest.skip("the development data (../shared/data) are not on this machine")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recorded_queries(said: str) -> list[str]:
    """The queries of a list that was written as Python writes it; of a broken one, all of it as one query."""
    try:
        return list(ast.literal_eval(said))
    except (SyntaxError, ValueError):
        return [said]


@each_row(
    ("query", "language"),
    [
        ("gout AND colchicine", "pubmed"),
        ("exp Gout/", "ovid"),
        ("gout[tiab] and exp Child[mesh]", "pubmed"),
        ("gout.tw.\ncolchicine.tw.\n1 and 2", "ovid"),
        ("(hip adj3 pain).ti,ab", "ovid"),
        ("What is the dose of colchicine in gout?", "pubmed"),
    ],
)
def test_the_language_of_a_query_is_recognised(query: str, language: str) -> None:
    assert detect_dialect(query) == language


def test_steps_for_pubmed_are_known_by_their_labels() -> None:
    strategy = """1 Condition
gout[mh] OR gout[tiab]
2a Drug
colchicine[tiab]
2b
aspirin[tiab]
Search combination
A. 1 and (2a or 2b)
Final search: A not 2b"""
    parsed = parse_query(strategy)
    meant = "((gout[mh] OR gout[tiab]) AND (colchicine[tiab] OR aspirin[tiab])) NOT aspirin[tiab]"
    assert parsed.notes == ()
    assert canonical_form(parsed.node) == canonical_form(parse_pubmed(meant).node)


def test_numbers_with_a_hash_refer_to_the_lines_above() -> None:
    strategy = "#1 gout[mh]\n#2 colchicine[tiab]\n#3 #1 AND #2"
    assert canonical_form(parse_query(strategy).node) == canonical_form(
        parse_pubmed("gout[mh] AND colchicine[tiab]").node
    )


def test_a_query_over_several_lines_is_one_query() -> None:
    assert canonical_form(parse_query("gout[mh]\nAND colchicine[ti]").node) == canonical_form(
        parse_query("gout[mh] AND colchicine[ti]").node
    )


def test_every_published_strategy_is_read_and_can_be_sent() -> None:
    for topic in rows(TOPICS):
        parsed = parse_query(topic["boolean_query"])
        written = write_pubmed_query(parsed.node)
        assert (detect_dialect(topic["boolean_query"]) == "pubmed") == (topic["id"] in IN_PUBMED), topic["id"]
        assert write_pubmed_query(parse_pubmed(written.text).node).text == written.text, topic["id"]
        assert write_europe_pmc_query(parsed.node).text


def test_most_published_strategies_need_no_repair() -> None:
    noted = {topic["id"] for topic in rows(TOPICS) if parse_query(topic["boolean_query"]).notes}
    assert len(noted) <= 20
    assert {"CD012930", "CD007868", "CD011436"} <= noted


def test_every_recorded_query_is_read() -> None:
    queries = [query for row in rows(RECORDED) for query in recorded_queries(row["queries"])]
    repaired = [query for query in queries if parse_query(query).notes]
    assert len(queries) >= 100
    # A third of them, less would do: quotation marks around a whole expression.
    assert len(repaired) < len(queries) / 3


def test_a_recorded_query_in_quotation_marks_is_read_for_its_operators() -> None:
    parsed = parse_query('"Hypoalbuminemia AND colorectal cancer"')
    assert canonical_form(parsed.node) == canonical_form(parse_pubmed("Hypoalbuminemia AND (colorectal cancer)").node)


PIECES = st.sampled_from(
    [
        "(", ")", '"', "“", "[", "]", "[tiab]", "[mh]", "[dp]", "[tiab:~2]", "[Filter]", "[zz]", "AND", "OR", "NOT",
        "and", "or", "not", "*", "$", "?", "#", ":", "~", "-", ",", ".", "/", "\\", "adj", "adj3", "exp ", ".tw.",
        ".ti,ab.", ".sh.", ".fs.", ".ed.", "or/1-3", "and/1,2", "limit 1 to ", 'yr="2007 -Current"', "\n", " ", "1",
        "2", "#1", "2010", "gout", "heart failure", '"a b"', "h?em#", "²", "é", "\x00", "\ufeff", "\ud800",
    ]
)  # fmt: skip
TYPED = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join), st.lists(PIECES).map(" ".join))


@settings(deadline=None)
@example("0_$")
@given(TYPED)
def test_any_text_is_read_or_refused_with_a_place_and_what_is_read_can_be_written(text: str) -> None:
    read_by_all(text)


HEAVY = {
    "parentheses": "(" * 100_000, "groups": "((" * 10_000 + "a" + "))" * 10_000, "without": "a NOT " * 8_000,
    "in turns": "a OR b AND " * 4_000, "brackets": "x[" * 20_000, "references": "1 or 1\n" * 7_000,
    "doubling": "a\n" + "\n".join(f"{line} or {line}" for line in range(1, 60)), "spaces": " " * 50_000,
    "lines": "\n" * 50_000, "dots": ". " * 25_000, "quotation marks": '" ' * 25_000, "fields": ".ti" * 16_000,
    "a limit": "x\nlimit 1 to " + "(" * 20_000 + ")" * 20_000, "dates": "2010:" * 9_000 + "[dp]",
}  # fmt: skip


@a_tenth_as_long
@each_row("text", HEAVY.values())
def test_what_nobody_would_type_takes_no_more_than_moments(text: str, step: int) -> None:
    begun = time.process_time()
    read_by_all(text[: len(text) // step])
    assert time.process_time() - begun < 20


def read_by_all(text: str) -> None:
    for reader in (parse_query, parse_pubmed, parse_ovid):
        try:
            parsed = reader(text)
        except BadQuery as refused:
            assert 0 <= refused.at <= len(text)
        else:
            written_and_read_back(parsed)


def written_and_read_back(parsed: ParsedQuery) -> None:
    written = write_pubmed_query(parsed.node)
    assert write_europe_pmc_query(parsed.node).text
    assert list(render_outline(parsed.node))
    if len(written.text) <= 50_000:
        back = parse_pubmed(written.text)
        assert write_pubmed_query(back.node).text == written.text
        assert written.notes or canonical_form(back.node) == canonical_form(parsed.node)
