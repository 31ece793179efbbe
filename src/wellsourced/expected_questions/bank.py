"""The expected questions of one library, in a folder: a file of rows, and the vectors by which they are found.

`expected_questions.jsonl` is only ever added to, so that who stops keeps what was written; `expected_questions.npz` has
the vectors of its first rows. Those of the guideline digests come with wellsourced, packed; tools/expected_questions.py
writes them. `maps.npz` is written by wellsourced_evaluate/fitting/question_maps.py and the tool.
"""

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Vectors, in_one_thread, normalize_rows
from wellsourced.expected_questions.question_file import QuestionRow, is_current, read_bytes, read_kept_row, write_row
from wellsourced.storage.private_files import make_private_file, write_private_file
from wellsourced.text.sentences import Span
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

FOLDER = "wellsourced.expected_questions"
SHIPPED_FOLDER = Path(__file__).parent
"""Where the questions lie that the guideline digests answer."""

ROWS_FILE, PACKED_FILE = "expected_questions.jsonl", "expected_questions.jsonl.gz"
VECTORS_FILE, MAPS_FILE = "expected_questions.npz", "maps.npz"

BLOCK = 8_192
"""Vectors that are unpacked at a time."""

Floats = NDArray[np.float32]
Packed = NDArray[np.int8]


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

    lead, also = (tuple(find_line(one.start, one.end) for one in places) for places in (row.lead, row.also))
    return ExpectedQuestion(row.text, lead, also, row.is_answered)


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


class NearRow(NamedTuple):
    """A question that is near, by the cosines of what is asked with it and with the lines that answer it."""

    row: QuestionRow
    by_question: float
    by_lead: float


LARGEST = 127
"""Packed numbers go up to this."""


def pack_vectors(vectors: Floats, steps: Floats, middle: Floats) -> Packed:
    """(n, width) vectors in eight bits, (width, n): neighbours along one direction are alike, and pack well."""
    numbers = np.rint((vectors - middle) / steps).clip(-LARGEST, LARGEST)
    return np.ascontiguousarray(numbers.astype(np.int8).T)


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

    def extend(self, other: "QuestionVectors") -> "QuestionVectors":
        """These, and behind them those of further rows."""
        return QuestionVectors(
            np.concatenate((self.questions, other.questions), axis=1),
            np.concatenate((self.leads, other.leads), axis=1),
            np.concatenate((self.lead_rows, other.lead_rows + self.leads.shape[1]), dtype=np.int32),
        )


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
            fields = json.loads(self.lines[number])
        except ValueError:
            return None
        return read_kept_row(fields) if isinstance(fields, dict) else None

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

    def count_stale(self, texts: Mapping[str, str]) -> int:
        """How many questions are on words that do not stand in these texts of today, by the ids of documents."""
        rows = (self.row(number) for number in range(len(self)))
        return sum(row is None or not is_row_current(row, texts.get(row.document, "")) for row in rows)


def is_row_current(row: QuestionRow, text: str) -> bool:
    """Whether all lines of a question read in its document as they did when it was written."""
    return all(is_current(place, text) for place in (*row.lead, *row.also))


def load_bank(folder: Path) -> QuestionBank | None:
    """The questions in a folder, read again when they have changed; None where there are none."""
    stamps = [_stamp(folder / name) for name in (ROWS_FILE, PACKED_FILE, VECTORS_FILE)]
    return _read_bank(folder, tuple(stamps)) if any(stamps[:2]) else None


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


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
            crc = int(stored["crc"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return vectors if crc == _crc(lines[: len(vectors.lead_rows)]) else None


def _crc(lines: Sequence[bytes]) -> int:
    maps = load_maps()
    return zlib.crc32(b"\n".join(lines), zlib.crc32(maps.to_question.tobytes() + maps.of_lead.tobytes()))


# What a library is given to keep. Its rows are in before their vectors are computed: who is stopped in between computes
# them the next time.


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
    np.savez_compressed(made, **vectors._asdict(), crc=_crc(lines[: len(vectors.lead_rows)]))
    made.replace(path)
