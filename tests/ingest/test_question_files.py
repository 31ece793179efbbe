"""Rows as people write them become places in a document; what cannot be used is named with its line and reason."""

import gzip
import json
from pathlib import Path

import pytest

from tests.tables import each_row
from tests.world import document
from wellsourced.errors import UnreadableFile
from wellsourced.expected_questions.bank import (
    AnswerPlace,
    QuestionBank,
    QuestionRow,
    build_place,
    is_row_current,
)
from wellsourced.ingest.question_files import find_words, place_row, read_question_file, write_row
from wellsourced.text.sentences import Span
from wellsourced.types import hash_words

TEXT = "Colchicine 1.2 mg at once,\nthen 0.6 mg an hour later. In CKD 4: 0.6 mg once. Ice helps. Ice helps."
GOUT = document("doi:10.1000/gout", TEXT)


def row(**fields: object) -> dict[str, object]:
    return {"question": "Which dose?", "document": "doi:10.1000/gout", **fields}


def test_exact_words_are_found_however_they_are_spaced_and_keep_their_place() -> None:
    placed = place_row(row(answer=["1.2 mg at once, then 0.6 mg", "In CKD 4: 0.6 mg once"]), GOUT)
    assert isinstance(placed, QuestionRow)
    assert [TEXT[one.start : one.end] for one in placed.lines] == [
        "1.2 mg at once,\nthen 0.6 mg",
        "In CKD 4: 0.6 mg once",
    ]
    assert is_row_current(placed, TEXT)
    assert not is_row_current(placed, TEXT.replace("mg", "g"))
    assert is_row_current(placed, TEXT.replace("\n", " ")), "a line that is wrapped otherwise reads the same"


@each_row(
    ("fields", "reason"),
    [
        (row(answer="Colchicine 2 mg"), "not in the document"),
        (row(answer="Ice helps."), "several times"),
        (row(answer=".6 mg an hour"), "not in the document"),
        (row(answer=" "), "no answer"),
        (row(), "no answer"),
        (row(answer=["Ice", 3]), "several times"),
        (row(answer="In CKD 4", question=" "), "no question"),
        (row(answer="In CKD 4", question="x" * 1_001), "no question"),
        (row(lines=[[0, 10]]), "“lines” is not as"),
        (row(lines=[[0, 10, "00000000"]]), "changed since"),
        (row(lines=[[-5, 10, hash_words("x")]]), "changed since"),
        (row(lines=[]), "“lines” is not as"),
    ],
)
def test_a_row_that_cannot_be_used_says_why(fields: dict[str, object], reason: str) -> None:
    placed = place_row(fields, GOUT)
    assert isinstance(placed, str) and reason in placed


def test_a_part_of_a_figure_is_no_place() -> None:
    assert find_words("1300 mg and 300 mg", "300 mg") == [Span(12, 18)]
    assert find_words("300 mgs", "300 mg") == []


def test_a_kept_row_is_read_as_it_was_written() -> None:
    lead, also = build_place(TEXT, Span(0, 26)), build_place(TEXT, Span(27, 53))
    for kept in (
        QuestionRow(question="Which dose?", document="doi:1", lines=(lead,), also=(also,)),
        QuestionRow(
            question="Intravenously?", document="doi:1", lines=(lead,), near_miss=True, author="compatible:sim"
        ),
    ):
        assert QuestionBank([write_row(kept).encode()]).row(0) == kept


@each_row(
    "fields",
    [
        row(lines="[[0, 1, 'x']]"),
        row(lines=[[0, 1.5, "x"]]),
        row(lines=[[0, 1, "x"]], also=[[0]]),
        row(lines=[[0, 1, "x"]], author=3),
        {"lines": [[0, 1, "x"]]},
    ],
)
def test_what_is_no_kept_row_is_none(fields: dict[str, object]) -> None:
    assert QuestionBank([json.dumps(fields).encode()]).row(0) is None
    assert isinstance(place_row({"question": "?", **fields}, GOUT), str)


def _read(content: bytes, name: str = "q.jsonl") -> list:  # type: ignore[type-arg]
    path = Path(name)
    path.write_bytes(content)
    return list(read_question_file(path))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_lines_that_are_no_rows_are_named_and_the_others_read() -> None:
    rows = _read(b'\xef\xbb\xbf{"question": "a"}\n\nnonsense\n[1]\n' + b"[" * 100_000 + b'\n{"question": "b"}')
    assert [(one.line, one.fault) for one in rows] == [
        (1, ""),
        (3, "not JSON"),
        (4, "not a JSON object"),
        (5, "not JSON"),
        (6, ""),
    ]
    assert [one.fields.get("question") for one in rows if not one.fault] == ["a", "b"]
    assert [one.fields for one in _read(gzip.compress(b'{"question": "a"}'))] == [{"question": "a"}]


def test_csv_names_its_columns_in_any_order_and_a_row_may_take_several_lines() -> None:
    rows = _read(b'answer,question,document,note\n"1.2 mg\nat once",Dose?,doi:1,x\nshort\n', "q.CSV")
    assert dict(rows[0].fields) == {"answer": "1.2 mg\nat once", "question": "Dose?", "document": "doi:1", "note": "x"}
    assert (rows[0].line, rows[1].line, rows[1].fields["question"]) == (3, 4, None)
    unfinished = _read(b'question,document,answer\na,b,c\n"d', "q.csv")
    assert [bool(one.fault) for one in unfinished] == [False, True]


@each_row(
    ("content", "name", "reason"),
    [
        (b"\xff\xfe\x00", "q.jsonl", "not UTF-8"),
        (b"question,words\na,b\n", "q.csv", "answer, document"),
        (b"", "q.csv", "no column"),
        (b"\x1f\x8bnonsense", "q.jsonl.gz", "damaged"),
        (gzip.compress(b"x" * 1_000)[:-9], "q.jsonl.gz", "damaged"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content: bytes, name: str, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        _read(content, name)


def test_a_place_is_what_stands_there() -> None:
    assert build_place(TEXT, Span(0, 10)) == AnswerPlace(0, 10, hash_words("Colchicine"))
