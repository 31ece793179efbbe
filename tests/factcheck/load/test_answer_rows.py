"""Answers of other systems in rows: every row is checked or told, and its marks lead to its sources."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.citations.links import find_links
from wellsourced.errors import UnreadableFile
from wellsourced.factcheck.load.answer_rows import AnswerRows, compose_answer_text, holds_rows, read_answer_rows
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.types import Document, Reference, SubmittedText, TextOrigin

KQA = Path(__file__).parents[4] / "shared/data/qa/kqa.jsonl.gz"
A, B = "https://example.org/a", "https://example.org/b"
FLARE = "Colchicine shortens gout flares in adults"


def rows(*values: Any) -> AnswerRows:
    return read_answer_rows("answers.jsonl", "\n".join(map(json.dumps, values)).encode())


def submitted(answer: str, sources: Any) -> SubmittedText:
    (row,) = rows({"answer": answer, "sources": sources}).rows
    return decompose_text(Document(reference=Reference(id="x"), text=compose_answer_text(row)))


def test_a_row_says_who_answered_what() -> None:
    said = {"ID": 7, "Query": "Q?", "Response": FLARE, "Model": "gpt", "question source": "forum", "citations": [A]}
    (row,) = rows(said).rows
    assert row.origin == TextOrigin(id="7", question="Q?", system="gpt", kind="forum")
    assert (row.answer, row.sources, row.name) == (FLARE, (A,), "7")


@each_row(
    ("sources", "expected"),
    [
        ([A, B], [A, B]),
        (f"{A}\n \n\n {B}", [A, B]),
        (f"{A}, {B}", [A, B]),
        (json.dumps([A, B]), [A, B]),
        ({"url": A}, [A]),
        ([{"title": "Gout.", "url": A}, {"link": B}], [f"Gout. {A}", B]),
        ([{"title": "Gout", "pmid": 123}], ["Gout. PMID: 123"]),
        (f"Smith J. Gout. 2020. {A}\nDoe A. Pain. 2019.", [f"Smith J. Gout. 2020. {A}", "Doe A. Pain. 2019."]),
        (None, []),
        ("", []),
    ],
)
def test_sources_are_a_list_or_lines_or_addresses_in_a_row(sources: Any, expected: list[str]) -> None:
    (row,) = rows({"answer": FLARE, "sources": sources}).rows
    assert list(row.sources) == expected


def test_marks_lead_to_the_sources_in_the_order_of_the_row() -> None:
    text = submitted(f"{FLARE} [2]. Naproxen is as good [1].", [A, B])
    urls = {one.key: one.url for one in text.sources}
    assert [[urls[key] for key in claim.cites] for claim in text.claims] == [[B], [A]]


def test_a_source_keeps_the_number_that_its_row_gives_it() -> None:
    text = submitted(f"{FLARE} [7].", [{"number": 7, "url": A}, {"number": 9, "url": B}])
    assert [(one.key, one.url) for one in text.sources] == [("7", A), ("9", B)]
    assert text.claims[0].cites == ("7",)


def test_a_source_that_the_answer_links_and_lists_is_one_under_the_number_of_the_list() -> None:
    text = submitted(f"{FLARE} ({A}).", [f"{A}/?utm_source=chatgpt.com", B])
    assert [(one.key, one.url.partition("?")[0].rstrip("/")) for one in text.sources] == [("1", A), ("2", B)]
    assert text.claims[0].cites == ("1",)


def test_an_answer_with_a_list_of_its_own_gets_only_what_it_does_not_name() -> None:
    text = submitted(f"{FLARE} [1].\n\nReferences\n1. {A}\n", [A, B])
    assert [(one.key, one.url) for one in text.sources] == [("1", A), ("2", B)]


BAD = [
    ({"question": "Q?"}, "no answer"),
    ({"answer": " "}, "no answer"),
    ({"answer": 3}, "not a text"),
    ({"answer": FLARE, "sources": 3}, "neither a text nor a list"),
    ({"answer": FLARE, "sources": [{"year": 2020}]}, "neither title, url, doi nor pmid"),
    ({"answer": FLARE, "system": ["a"]}, "its system is not a text"),
    ({"answer": FLARE, "id": "first"}, "its id “first” is also that of row 1"),
    (["a"], "not a JSON object"),
]


@each_row(("value", "why"), BAD)
def test_what_is_wrong_with_a_row_is_told_by_its_number_and_costs_nothing_else(value: Any, why: str) -> None:
    read = rows({"answer": FLARE, "id": "first"}, value, {"answer": FLARE, "id": "last"})
    assert [row.origin.id for row in read.rows] == ["first", "last"]
    ((number, reason),) = read.rejected
    assert (number, why in reason) == (2, True), reason


def test_bytes_that_are_no_json_or_no_text_are_told_too() -> None:
    good = json.dumps({"answer": FLARE}).encode()
    read = read_answer_rows("a.jsonl", b"\n".join([good, b"{nope", b"\xff\xfe\x00", b"[" * 100_000, b"", good]))
    assert [row.row for row in read.rows] == [1, 6]
    assert [one.row for one in read.rejected] == [2, 3, 4]


@each_row(("name", "mark"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_a_table_is_read_with_its_delimiter_and_lines_within_cells(name: str, mark: str) -> None:
    table = "\r\n".join(
        [
            mark.join(["id", "answer", "sources", "model"]),
            mark.join(["1", f'"{FLARE} [2].\nIt is ""old""."', f'"{A}\n{B}"', "gpt"]),
            mark.join(["2", "", A, "gpt"]),
            mark.join(["3", FLARE, A, "gpt", "one", "too many"]),
            "",
            mark.join(["4", FLARE]),
        ]
    )
    read = read_answer_rows(name, f"\ufeff{table}".encode())
    assert [(row.row, row.origin.id, len(row.sources)) for row in read.rows] == [(2, "1", 2), (6, "4", 0)]
    assert read.rows[0].answer == f'{FLARE} [2].\nIt is "old".'
    assert [one.row for one in read.rejected] == [3, 4]
    assert "6 cells; the header has 4 columns" in read.rejected[1].reason


@each_row(
    ("name", "data", "why"),
    [
        ("a.jsonl", b"{}\n", "row 1: it has no answer"),
        ("a.csv", b"id,text\n", "it is empty"),
        ("a.json", b"[nope", "it is not JSON"),
        ("a.csv", b"\xff\xff\xff", "is not UTF-8 text"),
    ],
)
def test_a_file_without_any_answer_is_refused_with_the_form_of_a_row(name: str, data: bytes, why: str) -> None:
    with pytest.raises(UnreadableFile, match=why):
        read_answer_rows(name, data)


def test_a_file_is_one_of_rows_by_its_ending() -> None:
    assert holds_rows("a.JSONL.gz", b"") and holds_rows("a.csv", b"") and holds_rows("a.json", b"[")
    assert not holds_rows("a.json", b'{"statements": []}') and not holds_rows("a.md", b"[1]")
    packed = gzip.compress(json.dumps({"answer": FLARE}).encode())
    assert len(read_answer_rows("a.jsonl.gz", packed).rows) == 1


@pytest.mark.skipif(not KQA.exists(), reason="the development data (../shared/data) are not on this machine")
def test_the_addresses_of_k_qa_are_all_there() -> None:
    lines = gzip.decompress(KQA.read_bytes()).decode().splitlines()
    given = [{"answer": one["ideal_answer"], "sources": one["sources"]} for one in map(json.loads, lines)]
    read = rows(*given)
    urls = [link.url for row in read.rows for source in row.sources for link in find_links(source)]
    assert (len(read.rows), len(read.rejected), len(urls), len(set(urls))) == (101, 0, 326, 323)
