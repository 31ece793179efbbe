"""JSON files of texts, and lines of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import documents, only, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.types import Document


def file(tmp_path: Path, value: Any, name: str = "a.json") -> Path:
    return written(tmp_path / name, json.dumps(value))


def test_a_list_of_strings_is_a_document_each_and_equal_ones_are_one(tmp_path: Path) -> None:
    found = documents(file(tmp_path, ["Salt is eaten.", "Sugar too.", "Salt is eaten."]))
    assert [document.text for document in found] == ["Salt is eaten.", "Sugar too."]
    assert found[0].reference.id.startswith("words:")


def test_an_id_by_words_is_the_same_in_every_file(tmp_path: Path) -> None:
    first = only(file(tmp_path, ["Salt is eaten."]))
    second = only(written(tmp_path / "b.jsonl", '"Salt is eaten."\n'))
    assert first.reference.id == second.reference.id


@each_row("name", ["text", "content", "abstract", "body", "passage"])
def test_the_text_of_an_object_goes_by_several_names(tmp_path: Path, name: str) -> None:
    row = {name: "Salt is eaten.", "id": "x:7", "title": "Salt", "url": "http://x", "year": 2020, "authors": ["A B"]}
    document = only(file(tmp_path, [row]))
    assert document.text == "Salt\n\nSalt is eaten."
    assert document.reference.id == "x:7"
    assert (document.reference.title, document.reference.url) == ("Salt", "http://x")
    assert (document.reference.year, document.reference.authors) == (2020, ("A B",))


@each_row(
    "value",
    [{"text": "one"}, {"about": "salt", "n": 2, "texts": ["one"]}, {"items": [{"text": "one"}], "tags": []}, ["one"]],
)
def test_one_list_inside_an_object_is_found(tmp_path: Path, value: Any) -> None:
    assert only(file(tmp_path, value)).text == "one"


@each_row("value", [[], {}, 5, "text", None, [1, 2], {"a": ["x"], "b": ["y"]}, [[["x"]]], {"a": "b"}])
def test_any_other_shape_is_refused_with_those_that_can_be_read(tmp_path: Path, value: Any) -> None:
    with pytest.raises(UnreadableFile, match=r'not a list of texts\. Write it as \["a text", …\] or \[\{"text": "…"'):
        read(file(tmp_path, value))


@each_row("text", ["{", "[" * 100_000, "[1" + "0" * 5_000 + "]", '["\\ud800"]'])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableFile, match="Write it as"):
        read(written(tmp_path / "a.json", text))


def test_one_bad_item_costs_nothing_but_itself(tmp_path: Path) -> None:
    rows = ["one", " ", 5, {"text": ["x"]}, {"id": "7", "text": "two"}, {"id": "7", "text": "three"}]
    items = read(file(tmp_path, rows))
    assert [item.text for item in items if isinstance(item, Document)] == ["one", "two"]
    assert [(item.where, item.reason) for item in items if isinstance(item, UnreadablePart)] == [
        ("item 2", "it has neither title nor text"),
        ("item 3", "it is not a JSON object"),
        ("item 4", "its text is not a string"),
        ("item 6", "the id '7' already belongs to an earlier record"),
    ]


def test_lines_may_be_strings_or_objects_without_an_id(tmp_path: Path) -> None:
    lines = ['"one"', '{"content": "two", "pmid": "12"}', '{"id": 3, "text": "three"}', '"one"']
    found = documents(written(tmp_path / "a.jsonl", "\n".join(lines)))
    assert [document.text for document in found] == ["one", "two", "three"]
    assert found[1].reference.url == "https://pubmed.ncbi.nlm.nih.gov/12/"
    assert found[2].reference.id == "3"
