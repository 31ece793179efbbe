"""Files of expected questions: rows as people write them, and what a library's own file is given.

People name a document and the exact words in it that answer, in JSON lines or CSV:

    {"question": "Which dose?", "document": "doi:10.1/x", "answer": "10 mg a day"}

`answer` may be a list. Rows as a library keeps them (see `expected_questions/bank.py`) are taken as well.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from wellsourced.encoders.base import Encoder, normalize_rows
from wellsourced.errors import UnreadableFile
from wellsourced.expected_questions.bank import (
    ROWS_FILE,
    VECTORS_FILE,
    ExpectedQuestion,
    Floats,
    Packed,
    QuestionBank,
    QuestionRow,
    QuestionVectors,
    build_place,
    hash_rows,
    is_row_current,
    load_maps,
    read_bytes,
)
from wellsourced.storage.private_files import make_private_file, write_private_file
from wellsourced.text.sentences import Span
from wellsourced.types import Document

MAX_QUESTION_CHARS = 1_000


class WrittenRow(NamedTuple):
    """A row of a file: its line in the file, and its fields, or why it cannot be read."""

    line: int
    fields: Mapping[str, Any]
    fault: str = ""


def read_question_file(path: Path) -> Iterator[WrittenRow]:
    """The rows of a file of JSON lines, or of CSV where its name ends so; blank lines are left out.

    Raises UnreadableFile for a file that cannot be read at all.
    """
    text = _decode(path, read_bytes(path))
    if path.suffix.lower() == ".csv":
        yield from _read_csv(path, text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _read_json(number, line)


def _decode(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(str(path), "it is not UTF-8", "Save it as UTF-8.") from error


def _read_json(number: int, line: str) -> WrittenRow:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return WrittenRow(number, {}, "not JSON")
    return WrittenRow(number, fields) if isinstance(fields, dict) else WrittenRow(number, {}, "not a JSON object")


def _read_csv(path: Path, text: str) -> Iterator[WrittenRow]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = {"question", "document", "answer"}.difference(rows.fieldnames or ())
        if missing:
            reason = f"the first line names no column {', '.join(sorted(missing))}"
            raise UnreadableFile(str(path), reason, "Name the columns question, document and answer.")
        for row in rows:
            yield WrittenRow(rows.line_num, {name: value for name, value in row.items() if name})
    except csv.Error as error:
        yield WrittenRow(rows.line_num, {}, f"not CSV ({error}); the lines after it were not read")


def place_row(fields: Mapping[str, Any], document: Document) -> QuestionRow | str:
    """The question of a row, its answer found in its document; or why it cannot be used, in a sentence without stop."""
    question = fields.get("question")
    text = " ".join(question.split()) if isinstance(question, str) else ""
    if not text or len(text) > MAX_QUESTION_CHARS:
        return f"no question of 1 to {MAX_QUESTION_CHARS:,} characters"
    if "lines" in fields:
        try:
            row = QuestionRow.model_validate({**fields, "question": text, "document": document.reference.id})
        except ValidationError as error:
            return f"“{error.errors()[0]['loc'][0]}” is not as a library keeps it"
        return row if is_row_current(row, document.text) else "its lines have changed since the question was written"
    answer = fields.get("answer")
    quotes = answer if isinstance(answer, list) else [answer]
    spans: list[Span] = []
    for quote in quotes:
        found = find_words(document.text, quote) if isinstance(quote, str) else []
        if len(found) != 1:
            return _explain_places(quote, len(found))
        spans += found
    lines = tuple(build_place(document.text, span) for span in dict.fromkeys(spans))
    return QuestionRow(question=text, document=document.reference.id, lines=lines)


def find_words(text: str, quote: str) -> list[Span]:
    """Everywhere that these words stand in a text, spaced in any way; at most two places."""
    words = quote.split()
    if not words:
        return []
    # No part of a word or figure: "300 mg" does not stand in "1300 mg".
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Span(*match.span()) for match in islice(re.finditer(pattern, text), 2)]


def _explain_places(quote: object, count: int) -> str:
    if not isinstance(quote, str) or not quote.strip():
        return "no answer"
    return "the answer occurs several times in the document; quote more of it" if count else "not in the document"


# What a library's file is given. Rows are in before their vectors are computed: who is stopped in between computes them
# the next time.


def write_row(row: QuestionRow) -> str:
    """The line of a question."""
    return row.model_dump_json(exclude_defaults=True)


def add_rows(folder: Path, rows: Sequence[QuestionRow]) -> None:
    """Add questions behind those that are there; they are on the disk when this returns. Raises OSError."""
    path = folder / ROWS_FILE
    make_private_file(path)
    with path.open("rb+") as file:
        content = file.read()
        # A process that was killed while it wrote has left half a row: it ends here.
        torn = b"\n" if content and not content.endswith(b"\n") else b""
        file.write(torn + "".join(f"{write_row(row)}\n" for row in rows).encode())


def keep_rows(folder: Path, bank: QuestionBank, kept: Sequence[int]) -> None:
    """Leave only these questions in a folder, and their vectors. Raises OSError."""
    lines = [bank.lines[number] for number in kept]
    write_private_file(folder / ROWS_FILE, b"".join(line + b"\n" for line in lines).decode())
    if bank.vectors:
        numbers = [number for number in kept if number < bank.searchable]
        questions, leads, lead_rows = bank.vectors
        save_vectors(folder, lines, QuestionVectors(questions[:, numbers], leads, lead_rows[numbers]))


def save_vectors(folder: Path, lines: Sequence[bytes], vectors: QuestionVectors) -> None:
    """Store the vectors of the first of these lines. Raises OSError."""
    path = folder / VECTORS_FILE
    made = path.with_suffix(".new.npz")
    make_private_file(made)
    np.savez_compressed(made, **vectors._asdict(), crc=hash_rows(lines[: len(vectors.lead_rows)]))
    made.replace(path)


# Vectors of questions, in eight bits.


LARGEST = 127
"""Packed numbers go up to this."""


def pack_vectors(vectors: Floats, steps: Floats, middle: Floats) -> Packed:
    """(n, width) vectors in eight bits, (width, n): neighbours along one direction are alike, and pack well."""
    numbers = np.rint((vectors - middle) / steps).clip(-LARGEST, LARGEST)
    return np.ascontiguousarray(numbers.astype(np.int8).T)


def encode_questions(texts: Sequence[str], leads: Sequence[str], encoder: Encoder) -> QuestionVectors:
    """The vectors of questions, and of the lines that answer each, under their headings."""
    maps, numbers = load_maps(), {text: at for at, text in enumerate(dict.fromkeys(leads))}
    asked = normalize_rows(encoder.encode(list(texts)) @ maps.to_question.T)
    answers = normalize_rows(encoder.encode(list(numbers)) @ maps.of_lead.T)
    return QuestionVectors(
        pack_vectors(asked, maps.question_steps, maps.question_middle),
        pack_vectors(answers, maps.lead_steps, maps.lead_middle),
        np.array([numbers[text] for text in leads], dtype=np.int32),
    )


def lead_under_headings(question: ExpectedQuestion | None) -> str:
    """The lines that answer a question, as they are encoded; "" of one whose lines are not found."""
    return f"{question.lead[0].section}\n{question.lead_text}" if question else ""


def join_vectors(first: QuestionVectors | None, further: QuestionVectors) -> QuestionVectors:
    """The vectors of rows, and behind them those of further rows."""
    if first is None:
        return further
    return QuestionVectors(
        np.concatenate((first.questions, further.questions), axis=1),
        np.concatenate((first.leads, further.leads), axis=1),
        np.concatenate((first.lead_rows, further.lead_rows + first.leads.shape[1]), dtype=np.int32),
    )
