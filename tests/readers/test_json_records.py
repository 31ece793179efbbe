"""BEIR and SciFact corpora."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.decompressed_file import MB, RECORD_LIMIT
from wellsourced.readers.json_records import read_json_lines
from wellsourced.types import Document, SourceKind


def corpus(tmp_path: Path, *rows: Any, name: str = "corpus.jsonl") -> Path:
    return written(tmp_path / name, "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))


def test_the_title_is_a_heading_that_no_passage_can_contain(tmp_path: Path) -> None:
    document = only(corpus(tmp_path, {"_id": "PMID:7", "title": " On salt ", "text": "Salt is eaten. \r\nDaily."}))
    assert document.reference.id == "PMID:7"
    assert document.reference.title == "On salt"
    assert document.text == "On salt\n\nSalt is eaten. \nDaily."
    assert parts(document) == [("", "Salt is eaten. \nDaily.")]


def test_without_a_text_the_title_can_be_quoted(tmp_path: Path) -> None:
    assert parts(only(corpus(tmp_path, {"_id": 7, "title": "On salt", "text": ""}))) == [("", "On salt")]


def test_the_labels_of_a_structured_abstract_become_sections(tmp_path: Path) -> None:
    text = "BACKGROUND: Salt is eaten. METHODS AND RESULTS: We asked. BRCA1: a gene.\nCONCLUSION(S): It is."
    assert parts(only(corpus(tmp_path, {"_id": "1", "title": "T", "text": text}))) == [
        ("BACKGROUND", "Salt is eaten."),
        ("METHODS AND RESULTS", "We asked. BRCA1: a gene."),
        ("CONCLUSION(S)", "It is."),
    ]


def test_words_before_the_first_label_are_a_section_without_a_name(tmp_path: Path) -> None:
    assert parts(only(corpus(tmp_path, {"_id": "1", "text": "Salt, they say. RESULTS: none. ACE: an enzyme."}))) == [
        ("", "Salt, they say."),
        ("RESULTS", "none. ACE: an enzyme."),
    ]


def test_the_sentences_of_scifact_are_joined(tmp_path: Path) -> None:
    assert only(corpus(tmp_path, {"_id": "1", "sentences": ["One. ", "Two."]})).text == "One. Two."


@each_row(
    ("metadata", "kind", "depth", "url"),
    [
        ({"pmid": "12"}, "research", "abstract", "https://pubmed.ncbi.nlm.nih.gov/12/"),
        ({"pmid": "12", "partial": True, "url": "http://x"}, "research", "excerpt", "http://x"),
        ({"url": "http://x"}, "consumer", "web page", "http://x"),
        ({"url": "http://x"}, "guideline", "full text", "http://x"),
        ({}, "own", "full text", ""),
    ],
)
def test_the_reference_says_what_was_read(
    tmp_path: Path, metadata: dict[str, Any], kind: SourceKind, depth: str, url: str
) -> None:
    reference = only(corpus(tmp_path, {"_id": "1", "text": "x", "metadata": metadata}), kind).reference
    assert (reference.depth, reference.url, reference.kind) == (depth, url, kind)


@each_row(
    ("line", "reason"),
    [
        ("{broken", "it is not JSON"),
        ("[1, 2]", "it is not a JSON object"),
        ("[" * 100_000, "it is not JSON"),
        ('{"_id": "", "text": "x"}', "it has no _id"),
        ('{"_id": true, "text": "x"}', "it has no _id"),
        ('{"_id": "first", "text": "x"}', "the id 'first' already belongs to an earlier record"),
        ('{"_id": "2", "text": ["x"]}', "its text is not a string"),
        ('{"_id": "2", "title": 5, "text": "x"}', "its title is not a string"),
        ('{"_id": "2", "sentences": [1]}', "its sentences are not strings"),
        ('{"_id": "2", "text": " "}', "it has neither title nor text"),
        ('{"_id": "2", "text": "x", "metadata": [1]}', "its metadata is not a JSON object"),
        ('{"_id": "2", "text": "\\ud800"}', "it contains half a surrogate pair"),
        ('{"_id": "2", "text": "x", "metadata": {"url": "\\udc00"}}', "it contains half a surrogate pair"),
        ('{"_id": 1' + "0" * 5000 + ', "text": "x"}', "it is not JSON"),
    ],
)
def test_one_bad_line_costs_nothing_but_itself(tmp_path: Path, line: str, reason: str) -> None:
    before, after = {"_id": "first", "text": "one"}, {"_id": "last", "text": "two"}
    first, fault, last = read(corpus(tmp_path, before, "", line, after))
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert isinstance(fault, UnreadablePart)
    assert fault.where == "line 3"
    assert reason in fault.reason
    assert fault.remedy


def test_a_line_that_is_not_utf8_is_told_with_its_column(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", b'{"_id":"1","text":"\xff"}\n{"_id":"2","text":"ok"}\n')
    fault, document = read(path)
    assert isinstance(fault, UnreadablePart)
    assert "invalid byte at column 20" in fault.reason
    assert isinstance(document, Document)


def test_a_byte_order_mark_is_not_part_of_the_first_line(tmp_path: Path) -> None:
    assert only(written(tmp_path / "c.jsonl", b'\xef\xbb\xbf{"_id":"1","text":"x"}')).text == "x"


def test_reading_is_lazy(tmp_path: Path) -> None:
    items = read_json_lines(corpus(tmp_path, {"_id": "1", "text": "one"}, "{broken"), "own")
    assert isinstance(next(items), Document)


@pytest.mark.nightly
@each_row(("name", "count"), [("research", 16_896), ("consumer", 16_407)])
def test_the_real_corpora_are_read_whole_and_fast(shared_data: Path, name: str, count: int) -> None:
    began = time.process_time()
    read_in = documents(shared_data / "corpora" / f"{name}.jsonl.gz", "research" if name == "research" else "consumer")
    assert len(read_in) == count
    # Measured 19,000 to 28,000 documents a second on a busy two-core machine.
    assert time.process_time() - began < count / 1_000
    assert all(item.reference.url for item in read_in)


def test_scifact_is_read_whole(shared_data: Path) -> None:
    assert len(documents(shared_data / "verification" / "scifact.corpus.jsonl.gz")) == 5_183


def test_the_record_limit_holds_for_a_line(tmp_path: Path) -> None:
    long = '{"_id":"2","text":"' + "x" * (RECORD_LIMIT + MB) + '"}'
    first, fault = read(corpus(tmp_path, {"_id": "1", "text": "x"}, long, {"_id": "3", "text": "x"}))
    assert isinstance(first, Document)
    assert isinstance(fault, UnreadablePart)
    assert fault.reason == "one part of it is larger than 64 MB"
