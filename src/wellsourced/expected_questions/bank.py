"""The questions, the lines that answer each, and their vectors, as they come with wellsourced.

`questions.tsv`, `near_misses.tsv`, `lines.tsv` and `documents.tsv` are written by tools/expected_questions.py,
`maps.npz` by wellsourced_evaluate/fitting/question_maps.py, `vectors.npz` by the tool with both.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.readers.guidelines import GuidelineDigests, document_id, load_digests, render_digest
from wellsourced.text.sentences import Span
from wellsourced.text.tables import read_rows
from wellsourced.types import Section
from wellsourced.types.documents import hash_text

FOLDER = "wellsourced.expected_questions"
QUESTIONS_FILE, NEAR_MISSES_FILE = "questions.tsv", "near_misses.tsv"
LINES_FILE, FILES_FILE, DOCUMENTS_FILE = "lines.tsv", "files.tsv", "documents.tsv"
VECTORS_FILE, MAPS_FILE = "vectors.npz", "maps.npz"

WORDS_HASH_DIGITS = 8
"""Of the hash of a line's words, whose file was compared byte for byte: it tells whether they are read as they were."""

Floats = NDArray[np.float32]


class AnsweredDocument(NamedTuple):
    """A document whose lines answer; `sha256` is of its text, the beginning: the lines of another text are others."""

    id: str
    sha256: str
    title: str


class AnsweringLine(NamedTuple):
    """A line of a document: where it stands, under which headings, and its words."""

    document: AnsweredDocument
    span: Span
    section: str
    text: str


class ExpectedQuestion(NamedTuple):
    """A question of one document.

    lead         the lines that together are the answer; of a near miss, those that stand nearest to it
    also         what belongs beside it: exceptions, adjustments, alternatives
    is_answered  whether the document answers it: of a near miss it says something else ("by mouth", "in children")
    """

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


class LineRow(NamedTuple):
    """Where a line stands: in a file of the digests, as that reads without its marks, with the hash of its words."""

    path: str
    span: Span
    sha256: str


class QuestionRow(NamedTuple):
    """A question, and the numbers of its lines in the table of lines: see ExpectedQuestion."""

    text: str
    lead: tuple[int, ...]
    also: tuple[int, ...] = ()
    is_answered: bool = True


class QuestionBank:
    """Every question, in a fixed order; near misses, which no document answers, come last.

    A file is read with the first question that names a line of it: all together would take most of a second.
    Safe to use from several threads, which at worst read a file twice.
    """

    def __init__(
        self,
        questions: Sequence[QuestionRow],
        lines: Sequence[LineRow],
        digests: GuidelineDigests,
        starts: dict[str, int],
        hashes: dict[str, str],
    ) -> None:
        """
        starts   path of a file → where it begins in the document of its guideline
        hashes   id of a guideline → hash of the text of its document, as the questions were written to it
        """
        self._questions, self._lines, self._digests, self._starts = questions, lines, digests, starts
        self._documents = {
            id: AnsweredDocument(document_id(entry), hashes[id], " ".join(entry.title.split()))
            for id, entry in digests.entries.items()
        }
        self._pages: dict[str, tuple[str, tuple[Section, ...]]] = {}

    def __len__(self) -> int:
        """How many questions there are, found or not."""
        return len(self._questions)

    def __iter__(self) -> Iterator[ExpectedQuestion]:
        """Those whose lines are found."""
        return (one for number in range(len(self)) if (one := self.find(number)))

    def find(self, number: int) -> ExpectedQuestion | None:
        """A question by its number; None where one of its lines does not read as it did when it was written.

        That is so where another release of the reader of Markdown takes marks for words, or words for marks.
        """
        row = self._questions[number]
        lead, also = ([self._find_line(self._lines[at]) for at in numbers] for numbers in (row.lead, row.also))
        found = [line for line in (*lead, *also) if line]
        if len(found) < len(lead) + len(also):
            return None
        return ExpectedQuestion(row.text, tuple(found[: len(lead)]), tuple(found[len(lead) :]), row.is_answered)

    def _find_line(self, row: LineRow) -> AnsweringLine | None:
        text, sections = self._read_page(row.path)
        words = " ".join(text[row.span.start : row.span.end].split())
        if hash_words(words) != row.sha256:
            return None
        around = (one for one in sections if one.start <= row.span.start and row.span.end <= one.end)
        section = next((one.title for one in around), "")
        begins = self._starts[row.path]
        document = self._documents[row.path.split("/")[1]]
        return AnsweringLine(document, Span(begins + row.span.start, begins + row.span.end), section, words)

    def _read_page(self, path: str) -> tuple[str, tuple[Section, ...]]:
        if path not in self._pages:
            page = render_digest(self._digests, path)
            self._pages[path] = page.text, page.sections
        return self._pages[path]


def hash_words(words: str) -> str:
    """What tells whether a line reads as it did."""
    return hash_text(words)[:WORDS_HASH_DIGITS]


@cache
def load_questions() -> QuestionBank:
    """The questions, with the lines of the installed digests. Raises UnusableDigests as `load_digests` does."""
    return read_bank(load_digests())


def read_bank(digests: GuidelineDigests) -> QuestionBank:
    """The questions, with the lines of these digests."""
    starts = {path: int(start) for path, start in read_rows(FOLDER, FILES_FILE)}
    paths = list(starts)
    lines = [
        LineRow(paths[int(file)], Span(int(start), int(end)), sha256)
        for file, start, end, sha256 in read_rows(FOLDER, LINES_FILE)
    ]
    answered = (
        QuestionRow(text, _read_numbers(lead), _read_numbers(also))
        for lead, also, text in read_rows(FOLDER, QUESTIONS_FILE)
    )
    missed = (
        QuestionRow(text, _read_numbers(near), is_answered=False) for near, text in read_rows(FOLDER, NEAR_MISSES_FILE)
    )
    hashes = {row[0]: row[1] for row in read_rows(FOLDER, DOCUMENTS_FILE)}
    return QuestionBank((*answered, *missed), lines, digests, starts, hashes)


def _read_numbers(written: str) -> tuple[int, ...]:
    return tuple(map(int, written.split()))


class QuestionVectors(NamedTuple):
    """What questions are found by, float32, rows of length 1 but for the rounding of `PackedVectors`.

    questions   (n, width) of the questions as they are asked, by their numbers in the bank
    leads       (m, width) of the lines that answer them, under their headings: those of several questions once
    lead_rows   (n,) of each question, which of them
    to_question, to_lead   (width, width): what a vector of the encoder is multiplied by before it is held against these
    """

    questions: Floats
    leads: Floats
    lead_rows: NDArray[np.uint16]
    to_question: Floats
    to_lead: Floats


class PackedVectors(NamedTuple):
    """Vectors in eight bits: number · step + middle, each along its direction.

    Along directions in which they differ most to least (`tools/expected_questions.py` finds them), most numbers are
    small: packed they take five bits, and one step for nearly all makes the error of every product as small as can be.

    numbers   int8 (width, n)
    steps     float32 (width,)
    middle    float32 (width,): their mean
    """

    numbers: NDArray[np.int8]
    steps: Floats
    middle: Floats

    def unpack(self) -> Floats:
        """The vectors, (n, width)."""
        found = self.numbers.astype(np.float32)
        found *= self.steps[:, None]
        found += self.middle[:, None]
        return found.T


@cache
def load_vectors() -> QuestionVectors:
    """Their vectors; no code in the files is run."""
    with as_file(files(FOLDER) / VECTORS_FILE) as path, np.load(path) as stored:
        questions, leads = (
            PackedVectors(*(stored[f"{kind}_{field}"] for field in PackedVectors._fields)).unpack()
            for kind in ("question", "lead")
        )
        lead_rows = stored["lead_rows"]
    maps = load_maps()
    return QuestionVectors(questions, leads, lead_rows, maps["to_question"], maps["to_lead"])


def load_maps() -> dict[str, Floats]:
    """The matrices by which vectors of the encoder are turned: `to_question`, `to_lead`, and `of_lead` of the lines."""
    with as_file(files(FOLDER) / MAPS_FILE) as path, np.load(path) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def normalize_rows(vectors: Floats) -> Floats:
    """Each row scaled to length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths, lengths, 1)).astype(np.float32)
