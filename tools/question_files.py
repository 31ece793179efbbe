"""Questions that the guideline digests answer, as people write them; and the rows and vectors that the package has.

People name a digest and the exact words in it that answer, in JSON lines:

    {"question": "Which dose?", "document": "guideline:gout", "answer": "10 mg a day"}

`answer` may be a list. Rows as the package keeps them (see `expected_questions/bank.py`) are taken as well.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced.expected_questions.bank import (
    VECTORS_FILE,
    ExpectedQuestion,
    Floats,
    Packed,
    QuestionRow,
    QuestionVectors,
    build_place,
    hash_rows,
    is_row_current,
    read_bytes,
)
from wellsourced.text.sentences import Span
from wellsourced.types import Document

MAX_QUESTION_CHARS = 1_000


class WrittenRow(NamedTuple):
    """A row of a file: its line in the file, and its fields, or why it cannot be read."""

    line: int
    fields: Mapping[str, Any]
    fault: str = ""


def read_question_file(path: Path) -> Iterator[WrittenRow]:
    """The rows of a file of JSON lines; blank lines are left out.

    Raises UnreadableFile for a file that cannot be read at all.
    """
    text = _decode(path, read_bytes(path))
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
            return f"“{error.errors()[0]['loc'][0]}” is not as the package keeps it"
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


def write_row(row: QuestionRow) -> str:
    """The line of a question."""
    return row.model_dump_json(exclude_defaults=True)


def save_vectors(folder: Path, lines: Sequence[bytes], vectors: QuestionVectors) -> None:
    """Store the vectors of the first of these lines. Raises OSError."""
    crc = hash_rows(lines[: len(vectors.lead_rows)])
    np.savez_compressed(folder / VECTORS_FILE, **vectors._asdict(), crc=crc)


# Vectors of questions, in eight bits.


LARGEST = 127
"""Packed numbers go up to this."""


def pack_vectors(vectors: Floats, steps: Floats, middle: Floats) -> Packed:
    """(n, width) vectors in eight bits, (width, n): neighbours along one direction are alike, and pack well."""
    numbers = np.rint((vectors - middle) / steps).clip(-LARGEST, LARGEST)
    return np.ascontiguousarray(numbers.astype(np.int8).T)


def lead_under_headings(question: ExpectedQuestion | None) -> str:
    """The lines that answer a question, as they are encoded; "" of one whose lines are not found."""
    return f"{question.lead[0].section}\n{question.lead_text}" if question else ""
