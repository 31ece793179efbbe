"""The questions that one library is expected to be asked: a file of rows in a folder, and the vectors by which they are
found.

A row of `expected_questions.jsonl` is a line of JSON (see QuestionRow):

    {"question": "Which dose?", "document": "doi:10.1/x", "lines": [[120, 131, "5f0c2a91"]]}

Rows are only added, by `ingest/question_files.py`; `expected_questions.npz` has the vectors of the first ones. Those of
the guideline digests come with wellsourced, packed: tools/expected_questions.py writes them, and `maps.npz`.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from wellsourced.encoders.base import Vectors, in_one_thread, normalize_rows
from wellsourced.errors import UnreadableFile
from wellsourced.text.sentences import Span
from wellsourced.types import Document, Value
from wellsourced.types.documents import hash_text, hash_words

FOLDER = "wellsourced.expected_questions"
SHIPPED_FOLDER = Path(__file__).parent
"""Where the questions lie that the guideline digests answer."""

ROWS_FILE, PACKED_FILE = "expected_questions.jsonl", "expected_questions.jsonl.gz"
VECTORS_FILE, MAPS_FILE = "expected_questions.npz", "maps.npz"

MAX_BYTES = 200_000_000
"""Of a file, unpacked."""

GZIP_MARK = b"\x1f\x8b"

BLOCK = 8_192
"""Vectors that are unpacked at a time."""

Floats = NDArray[np.float32]
Packed = NDArray[np.int8]


class AnswerPlace(NamedTuple):
    """Where a line stands in the text of its document, and the hash of its words."""

    start: int
    end: int
    sha256: str


class QuestionRow(Value):
    """A question of one document, as a line of JSON.

    lines      that together are the answer; of a near miss, those that stand nearest to it
    also       what belongs beside it: exceptions, adjustments, alternatives
    near_miss  the document does not answer it: it says something else ("by mouth", "in children")
    author     the language model that wrote it; "" where people did
    """

    question: str
    document: str
    lines: tuple[AnswerPlace, ...] = Field(min_length=1)
    also: tuple[AnswerPlace, ...] = ()
    near_miss: bool = False
    author: str = ""


def build_place(text: str, span: Span) -> AnswerPlace:
    """Return a place of a text, with the hash of what stands there."""
    return AnswerPlace(span.start, span.end, hash_words(text[span.start : span.end]))


def is_row_current(row: QuestionRow, text: str) -> bool:
    """Whether all lines of a question read in its document as they did when it was written."""
    return all(
        0 <= place.start < place.end <= len(text) and hash_words(text[place.start : place.end]) == place.sha256
        for place in (*row.lines, *row.also)
    )


class AnsweredDocument(NamedTuple):
    """A document whose lines answer, and its library; `sha256` is of its text, the beginning."""

    id: str
    sha256: str
    title: str
    library: str = ""


class AnsweringLine(NamedTuple):
    """A line of a document: where it stands, under which headings, and its words."""

    document: AnsweredDocument
    span: Span
    section: str
    text: str


class ExpectedQuestion(NamedTuple):
    """A question of one document, its lines found in the text of today; see QuestionRow."""

    text: str
    lead: tuple[AnsweringLine, ...]
    also: tuple[AnsweringLine, ...]
    is_answered: bool = True

    @property
    def document(self) -> AnsweredDocument:
        """Whose lines answer it."""
        return self.lead[0].document

    @property
    def lead_text(self) -> str:
        """The words of the lines that are the answer."""
        return "\n".join(line.text for line in self.lead)

    @property
    def answered_text(self) -> str:
        """The question with all that belongs to its answer, under its titles."""
        sections = dict.fromkeys(line.section for line in self.lead)
        lines = (line.text for line in (*self.lead, *self.also))
        return "\n".join((self.text, self.document.title, *sections, *lines))


def find_lines(row: QuestionRow, document: Document, library: str = "") -> ExpectedQuestion | None:
    """A question with its lines; None where one of them does not read as it did when the question was written."""
    text = document.text
    if not is_row_current(row, text):
        return None
    reference = document.reference
    title = " ".join(reference.title.split())
    answered = AnsweredDocument(reference.id, hash_text(text), title, library)

    def find_line(start: int, end: int) -> AnsweringLine:
        around = (one for one in document.sections if one.start <= start and end <= one.end)
        section = next((one.title for one in around), "")
        return AnsweringLine(answered, Span(start, end), section, " ".join(text[start:end].split()))

    lead, also = (tuple(find_line(one.start, one.end) for one in places) for places in (row.lines, row.also))
    return ExpectedQuestion(row.question, lead, also, not row.near_miss)


class QuestionMaps(NamedTuple):
    """What vectors of the encoder are multiplied by, and how the products are packed: number · step + middle.

    Turned so, vectors differ most along the first directions and least along the last, where most numbers are small.

    to_question   (width, width): of questions that are asked, and of those that are expected
    to_lead       of what is asked, before it is held against lines
    of_lead       of lines, under their headings
    question_steps, question_middle, lead_steps, lead_middle   (width,)
    """

    to_question: Floats
    to_lead: Floats
    of_lead: Floats
    question_steps: Floats
    question_middle: Floats
    lead_steps: Floats
    lead_middle: Floats


@cache
def load_maps() -> QuestionMaps:
    """What comes with this package; no code in the file is run."""
    with np.load(SHIPPED_FOLDER / MAPS_FILE) as stored:
        return QuestionMaps(*(stored[name].astype(np.float32) for name in QuestionMaps._fields))


def multiply_packed(numbers: Packed, steps: Floats, middle: Floats, asked: Vectors) -> Floats:
    """(n,) the greatest product of each packed vector with one of (m, width) vectors."""
    scaled, base = asked * steps, asked @ middle
    with in_one_thread():
        blocks = [
            (scaled @ numbers[:, start : start + BLOCK].astype(np.float32) + base[:, None]).max(axis=0)
            for start in range(0, numbers.shape[1], BLOCK)
        ]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


class QuestionVectors(NamedTuple):
    """What questions are found by.

    questions   (width, n) of the questions, in the order of their rows
    leads       (width, m) of the lines that answer them, under their headings: those of several questions once
    lead_rows   (n,) of each question, which of them
    """

    questions: Packed
    leads: Packed
    lead_rows: NDArray[np.int32]


class NearRow(NamedTuple):
    """A question that is near, by the cosines of what is asked with it and with the lines that answer it."""

    row: QuestionRow
    by_question: float
    by_lead: float


class QuestionBank:
    """The questions of one folder, in the order in which they were written. Rows are parsed when they are asked for.

    Safe to use from several threads.
    """

    def __init__(self, lines: Sequence[bytes], vectors: QuestionVectors | None = None) -> None:
        """`vectors` are of the first lines."""
        self.lines, self.vectors = lines, vectors

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.lines)

    def row(self, number: int) -> QuestionRow | None:
        """A question by its number; None for one whose row was cut off or is damaged."""
        try:
            return QuestionRow.model_validate_json(self.lines[number])
        except ValidationError:
            return None

    @property
    def searchable(self) -> int:
        """How many rows have vectors."""
        return 0 if self.vectors is None else len(self.vectors.lead_rows)

    def find_nearest(self, asked: Vectors, most: int) -> list[NearRow]:
        """Those nearest to any wording of what is asked, nearest first.

        asked   (wordings, width), unit rows, of the encoder
        """
        if self.vectors is None:
            return []
        maps, vectors = load_maps(), self.vectors
        turned, held = (normalize_rows(asked @ matrix.T) for matrix in (maps.to_question, maps.to_lead))
        by_question = multiply_packed(vectors.questions, maps.question_steps, maps.question_middle, turned)
        by_lead = multiply_packed(vectors.leads, maps.lead_steps, maps.lead_middle, held)[vectors.lead_rows]
        order = np.argsort(-(by_question + by_lead), kind="stable")[:most]
        rows = ((self.row(int(at)), float(by_question[at]), float(by_lead[at])) for at in order)
        return [NearRow(row, *cosines) for row, *cosines in rows if row]


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


def load_bank(folder: Path) -> QuestionBank | None:
    """The questions in a folder, read again when they have changed; None where there are none."""
    stamps = [_stamp(folder / name) for name in (ROWS_FILE, PACKED_FILE, VECTORS_FILE)]
    return _read_bank(folder, tuple(stamps)) if any(stamps[:2]) else None


def _stamp(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None


@lru_cache(maxsize=32)
def _read_bank(folder: Path, stamps: tuple[tuple[int, int] | None, ...]) -> QuestionBank:
    content = read_bytes(folder / (ROWS_FILE if stamps[0] else PACKED_FILE))
    lines = [line for line in content.split(b"\n") if line]
    return QuestionBank(lines, _read_vectors(folder / VECTORS_FILE, lines))


def _read_vectors(path: Path, lines: Sequence[bytes]) -> QuestionVectors | None:
    """The vectors of the first lines; None where they are of others, or were turned by other matrices."""
    try:
        with np.load(path) as stored:
            vectors = QuestionVectors(*(stored[name] for name in QuestionVectors._fields))
            is_theirs = int(stored["crc"]) == hash_rows(lines[: len(vectors.lead_rows)])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return vectors if is_theirs else None


def hash_rows(lines: Sequence[bytes]) -> int:
    """Of rows and of the matrices: it tells whether vectors are theirs."""
    maps = load_maps()
    return zlib.crc32(b"\n".join(lines), zlib.crc32(maps.to_question.tobytes() + maps.of_lead.tobytes()))
