"""The questions, the lines that answer each, and their vectors, as they come with the package.

`questions.tsv`, `near_misses.tsv`, `lines.tsv` and `documents.tsv` are written by tools/expected_questions.py,
`maps.npz` by wellsourced_evaluate/training/question_maps.py, `vectors.npz` by the tool with both.
"""

from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.text.sentences import Span
from wellsourced.text.tables import read_rows

FOLDER = "wellsourced.expected_questions"
QUESTIONS_FILE, NEAR_MISSES_FILE = "questions.tsv", "near_misses.tsv"
LINES_FILE, DOCUMENTS_FILE = "lines.tsv", "documents.tsv"
VECTORS_FILE, MAPS_FILE = "vectors.npz", "maps.npz"

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


class QuestionVectors(NamedTuple):
    """What questions are found by, float32, unit rows, in the order of the questions.

    questions   (n, width) of the questions as they are asked
    leads       (n, width) of the lines that answer them, under their headings
    to_question, to_lead   (width, width): what a vector of the encoder is multiplied by before it is held against these
    """

    questions: Floats
    leads: Floats
    to_question: Floats
    to_lead: Floats


@cache
def load_questions() -> tuple[ExpectedQuestion, ...]:
    """Every question, in a fixed order; near misses, which no document answers, come last."""
    documents = [AnsweredDocument(*row) for row in read_rows(FOLDER, DOCUMENTS_FILE)]
    lines = [
        AnsweringLine(documents[int(document)], Span(int(start), int(end)), section, text)
        for document, start, end, section, text in read_rows(FOLDER, LINES_FILE)
    ]
    answered = (
        ExpectedQuestion(text, _pick_lines(lines, lead), _pick_lines(lines, also))
        for lead, also, text in read_rows(FOLDER, QUESTIONS_FILE)
    )
    missed = (
        ExpectedQuestion(text, _pick_lines(lines, near), (), is_answered=False)
        for near, text in read_rows(FOLDER, NEAR_MISSES_FILE)
    )
    return (*answered, *missed)


def _pick_lines(lines: list[AnsweringLine], numbers: str) -> tuple[AnsweringLine, ...]:
    return tuple(lines[int(number)] for number in numbers.split())


@cache
def load_vectors() -> QuestionVectors:
    """Their vectors; no code in the files is run."""
    with as_file(files(FOLDER) / VECTORS_FILE) as path, np.load(path) as stored:
        questions, leads = (stored[name].astype(np.float32) for name in ("questions", "leads"))
        # Their lengths come with them: to compute them took most of the time until a first question was answered.
        questions /= stored["question_lengths"][:, None]
        leads /= stored["lead_lengths"][:, None]
    maps = load_maps()
    return QuestionVectors(questions, leads, maps["to_question"], maps["to_lead"])


def load_maps() -> dict[str, Floats]:
    """The matrices by which vectors of the encoder are turned: `to_question`, `to_lead`, and `of_lead` of the lines."""
    with as_file(files(FOLDER) / MAPS_FILE) as path, np.load(path) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def normalize_rows(vectors: Floats) -> Floats:
    """Each row scaled to length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths, lengths, 1)).astype(np.float32)
