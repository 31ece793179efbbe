"""The file of expected questions: JSON lines or CSV as people write them, and JSON lines as a library keeps them.

A row that people write names a document and the exact words in it that answer; a row that is kept names their places:

    {"question": "Which dose?", "document": "doi:10.1/x", "answer": "10 mg a day"}
    {"question": "Which dose?", "document": "doi:10.1/x", "lines": [[120, 131, "5f0c2a91"]]}

`answer` may be a list. "also" has the places that belong beside the answer, "near_miss": true says that the document
does not answer the question and the lines are those nearest to it, "author" names the model that wrote the row.
"""

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.text.sentences import Span
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

HASH_DIGITS = 8
"""Of the SHA-256 of a line's words: it tells whether they read as they did."""

MAX_BYTES = 200_000_000
"""Of a file, unpacked."""

MAX_QUESTION_CHARS = 1_000

GZIP_MARK = b"\x1f\x8b"


class AnswerPlace(NamedTuple):
    """Where a line stands in the text of its document, and the hash of its words."""

    start: int
    end: int
    sha256: str


class QuestionRow(NamedTuple):
    """A question of one document.

    lead         the lines that together are the answer; of a near miss, those that stand nearest to it
    also         what belongs beside it: exceptions, adjustments, alternatives
    is_answered  whether the document answers it: of a near miss it says something else ("by mouth", "in children")
    author       the language model that wrote it; "" where people did
    """

    text: str
    document: str
    lead: tuple[AnswerPlace, ...]
    also: tuple[AnswerPlace, ...] = ()
    is_answered: bool = True
    author: str = ""


class WrittenRow(NamedTuple):
    """A row of a file: its line in the file, and its fields, or why it cannot be read."""

    line: int
    fields: Mapping[str, Any]
    fault: str = ""


def hash_words(words: str) -> str:
    """Return what tells whether a line reads as it did, however its words are spaced."""
    return hash_text(" ".join(words.split()))[:HASH_DIGITS]


def build_place(text: str, span: Span) -> AnswerPlace:
    """Return a place of a text, with the hash of what stands there."""
    return AnswerPlace(span.start, span.end, hash_words(text[span.start : span.end]))


def is_current(place: AnswerPlace, text: str) -> bool:
    """Whether the words of a place are those that it was made of."""
    return 0 <= place.start < place.end <= len(text) and hash_words(text[place.start : place.end]) == place.sha256


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


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where it is packed by gzip. Raises UnreadableFile."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if content.startswith(GZIP_MARK):
            with gzip.open(io.BytesIO(content)) as packed:
                content = packed.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise UnreadableFile(str(path), str(reason), "Check the file and its permissions.") from error
    if len(content) > MAX_BYTES:
        raise UnreadableFile(str(path), "it is larger than 200 MB", "Split it into several files.")
    return content


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


def place_row(fields: Mapping[str, Any], document: Document, author: str = "") -> QuestionRow | str:
    """The question of a row, its answer found in its document; or why it cannot be used, in a sentence without stop."""
    question = fields.get("question")
    text = " ".join(question.split()) if isinstance(question, str) else ""
    if not text or len(text) > MAX_QUESTION_CHARS:
        return f"no question of 1 to {MAX_QUESTION_CHARS:,} characters"
    is_answered = fields.get("near_miss") is not True
    if "lines" in fields:
        row = read_kept_row(fields)
        if row is None:
            return "“lines” has something other than [start, end, hash]"
        if not all(is_current(place, document.text) for place in (*row.lead, *row.also)):
            return "its lines have changed since the question was written"
        return row
    answer = fields.get("answer")
    quotes = answer if isinstance(answer, list) else [answer]
    spans: list[Span] = []
    for quote in quotes:
        found = find_words(document.text, quote) if isinstance(quote, str) else []
        if len(found) != 1:
            return _explain_places(quote, len(found))
        spans += found
    lead = tuple(build_place(document.text, span) for span in dict.fromkeys(spans))
    return QuestionRow(text, document.reference.id, lead, is_answered=is_answered, author=author)


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


def read_kept_row(fields: Mapping[str, Any]) -> QuestionRow | None:
    """A row that names places; None where it is none."""
    lead, also = (_read_places(fields.get(name, [])) for name in ("lines", "also"))
    text, document, author = fields.get("question"), fields.get("document"), fields.get("author", "")
    if (
        not lead
        or also is None
        or not (isinstance(text, str) and isinstance(document, str) and isinstance(author, str))
    ):
        return None
    return QuestionRow(" ".join(text.split()), document, lead, also, fields.get("near_miss") is not True, author)


def _read_places(written: object) -> tuple[AnswerPlace, ...] | None:
    if not isinstance(written, list):
        return None
    places = [AnswerPlace(*one) for one in written if isinstance(one, list) and len(one) == len(AnswerPlace._fields)]
    sound = all(type(one.start) is int and type(one.end) is int and isinstance(one.sha256, str) for one in places)
    return tuple(places) if sound and len(places) == len(written) else None


def write_row(row: QuestionRow) -> str:
    """The line of a question in a file that is kept."""
    fields: dict[str, Any] = {"question": row.text, "document": row.document, "lines": row.lead}
    fields |= {"also": row.also} if row.also else {}
    fields |= {} if row.is_answered else {"near_miss": True}
    fields |= {"author": row.author} if row.author else {}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
