"""The questions that a library is expected to be asked: taken from files that people wrote, or written by a language
model, one part of a section at a time. Who stops loses nothing that was written.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from wellsourced.encoders.base import Encoder
from wellsourced.errors import ModelError, SourceError
from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.expected_questions.bank import QuestionBank, QuestionRow, build_place, find_lines, is_row_current
from wellsourced.ingest.question_files import (
    add_rows,
    encode_questions,
    join_vectors,
    keep_rows,
    lead_under_headings,
    place_row,
    read_question_file,
    save_vectors,
)
from wellsourced.models.base import Model, complete_or_error
from wellsourced.prompts.evidence import WriteExpectedQuestions, WrittenQuestion
from wellsourced.sources.base import DocumentCatalogue
from wellsourced.storage.private_files import make_private_file
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

PARTS_FILE = "expected_parts.txt"
"""In a library's folder: the keys of the parts whose questions are written, one a line."""

MAX_PART_CHARS = 6_000
"""Characters of the lines that a model is shown at once."""

MIN_PART_LETTERS = 40
"""Of a part; shorter ones say nothing that is asked for."""

CHARS_PER_QUESTION, MAX_QUESTIONS = 120, 20
"""A question for so many characters is asked for, and at most so many of a part."""

AT_ONCE = 4
"""Parts that are written at the same time, as far as `models.concurrency` allows."""

PAGE = 200
"""Documents that are listed at a time."""

ENCODED_AT_ONCE = 512
"""Questions between two reports of how far their vectors are."""


class ExpectingLibrary(DocumentCatalogue, Protocol):
    """A library that keeps expected questions in its folder."""

    @property
    def folder(self) -> Path: ...

    def load_expected_questions(self) -> QuestionBank | None: ...


class SectionPart(NamedTuple):
    """Lines of a section that a model is shown at once. `key` tells whether they were written to before."""

    document: Document
    section: str
    lines: tuple[Span, ...]

    @property
    def key(self) -> str:
        """Of the document's id, the headings and the words."""
        text = self.document.text
        return hash_text("\n".join((self.document.reference.id, self.section, *(text[a:b] for a, b in self.lines))))

    @property
    def prompt(self) -> WriteExpectedQuestions:
        """What is asked of the model."""
        text = self.document.text
        size = sum(end - start for start, end in self.lines)
        return WriteExpectedQuestions(
            title=self.document.reference.title or self.document.reference.id,
            section=self.section,
            lines=tuple(f"{number}: {text[a:b]}" for number, (a, b) in enumerate(self.lines, 1)),
            most=min(MAX_QUESTIONS, 2 + size // CHARS_PER_QUESTION),
        )


class WritingPlan(NamedTuple):
    """What is to be written, and what it is expected to take.

    parts               not written yet
    written             parts that are
    tokens_in, tokens_out   of all prompts and replies, about
    """

    parts: int
    written: int
    tokens_in: int
    tokens_out: int


class QuestionsAdded(NamedTuple):
    """What came of it.

    added      questions that are new
    known      that were there already
    replaced   older ones on text that has changed since, which are gone
    faults     where and why questions were not added: (line of the file or title, reason)
    """

    added: int
    known: int = 0
    replaced: int = 0
    faults: tuple[tuple[str, str], ...] = ()


class QuestionCounts(NamedTuple):
    """Questions of a library; of them those whose lines have changed, and those that cannot be found yet."""

    questions: int = 0
    stale: int = 0
    unsearchable: int = 0


async def count_questions(library: ExpectingLibrary) -> QuestionCounts:
    """How many questions a library has, and how many of them are of no use today."""
    bank = library.load_expected_questions()
    if not bank:
        return QuestionCounts()
    rows = list(_list_rows(bank))
    texts = {document.reference.id: document.text async for document in _open_all(library, {r.document for r in rows})}
    current = sum(is_row_current(row, texts.get(row.document, "")) for row in rows)
    return QuestionCounts(len(bank), len(bank) - current, len(bank) - bank.searchable)


def _list_rows(bank: QuestionBank | None) -> Iterator[QuestionRow]:
    return (row for number in range(len(bank) if bank else 0) if bank and (row := bank.row(number)))


async def _open_all(library: ExpectingLibrary, ids: set[str]) -> AsyncIterator[Document]:
    """Those of these documents that are there and not damaged."""
    for id in sorted(ids):
        try:
            yield await library.open(id)
        except SourceError:
            continue


# --- from a file


async def add_question_file(library: ExpectingLibrary, path: Path) -> QuestionsAdded:
    """Take the questions of a file into a library; rows that cannot be used are named, and keep no other out.

    A question to a document replaces the same one whose lines have changed since. Raises UnreadableFile.
    """
    faults: list[tuple[str, str]] = []
    placed: list[QuestionRow] = []
    documents: dict[str, Document | None] = {}
    for row in await asyncio.to_thread(lambda: list(read_question_file(path))):
        name = row.fields.get("document")
        if not row.fault and isinstance(name, str) and name.strip() and name not in documents:
            documents[name] = await anext(_open_all(library, {name}), None)
        document = documents.get(name) if isinstance(name, str) else None
        missing = f"{library.name} has no document “{name}”" if name else "no document named"
        found = row.fault or (place_row(row.fields, document) if document else missing)
        if isinstance(found, str):
            faults.append((f"line {row.line}", found))
        else:
            placed.append(found)
    texts = {document.reference.id: document.text for document in documents.values() if document}
    same = {(row.question, row.document) for row in placed}
    replaced = drop_stale(library, texts, lambda row: (row.question, row.document) in same)
    known = {(row.question, row.document, row.lines) for row in _list_rows(library.load_expected_questions())}
    new = {key: row for row in placed if (key := (row.question, row.document, row.lines)) not in known}
    add_rows(library.folder, list(new.values()))
    return QuestionsAdded(len(new), len(placed) - len(new), replaced, tuple(faults))


def drop_stale(library: ExpectingLibrary, texts: Mapping[str, str], is_meant: Callable[[QuestionRow], bool]) -> int:
    """Take out questions that are meant, to one of these texts, and whose lines are others now; their number."""
    bank = library.load_expected_questions()
    if not bank:
        return 0

    def is_kept(row: QuestionRow | None) -> bool:
        if row is None or row.document not in texts or not is_meant(row):
            return True
        return is_row_current(row, texts[row.document])

    kept = [number for number in range(len(bank)) if is_kept(bank.row(number))]
    if len(kept) < len(bank):
        keep_rows(library.folder, bank, kept)
    return len(bank) - len(kept)


# --- by a language model


async def list_parts(library: ExpectingLibrary) -> AsyncIterator[list[SectionPart]]:
    """The parts of every document that can be opened, in the order of their ids."""
    after = ""
    while references := await library.list_references(after, PAGE):
        after = references[-1].id
        async for document in _open_all(library, {reference.id for reference in references}):
            yield await asyncio.to_thread(list, cut_parts(document))


def cut_parts(document: Document) -> Iterator[SectionPart]:
    """The sections of a document as sentences, items and rows, so many at a time as a model is shown at once."""
    for section in document.sections:
        lines: list[Span] = []
        for line in split_sentences(document.text, section.start, section.end):
            if lines and line.end - lines[0].start > MAX_PART_CHARS:
                yield from _build_part(document, section.title, lines)
                lines = []
            lines.append(line)
        yield from _build_part(document, section.title, lines)


def _build_part(document: Document, section: str, lines: Sequence[Span]) -> Iterator[SectionPart]:
    letters = sum(sum(map(str.isalpha, document.text[start:end])) for start, end in lines)
    if letters >= MIN_PART_LETTERS:
        yield SectionPart(document, section, tuple(lines))


def read_written_parts(folder: Path) -> set[str]:
    """The keys of the parts of a library whose questions are written."""
    path = folder / PARTS_FILE
    return set(path.read_text(encoding="ascii", errors="replace").split()) if path.is_file() else set()


OVERHEAD_TOKENS = 700
"""Of a prompt: what is asked, and the form of the reply."""

CHARS_PER_TOKEN = 4

TOKENS_PER_QUESTION = 45
"""Of a reply."""


async def plan_questions(library: ExpectingLibrary) -> WritingPlan:
    """What is still to be written for a library, and about how many tokens it takes."""
    written, plan = read_written_parts(library.folder), WritingPlan(0, 0, 0, 0)
    async for parts in list_parts(library):
        prompts = [part.prompt for part in parts if part.key not in written]
        plan = WritingPlan(
            plan.parts + len(prompts),
            plan.written + len(parts) - len(prompts),
            plan.tokens_in + sum(OVERHEAD_TOKENS + sum(map(len, one.lines)) // CHARS_PER_TOKEN for one in prompts),
            plan.tokens_out + sum(TOKENS_PER_QUESTION * one.most for one in prompts),
        )
    return plan


async def write_questions(
    library: ExpectingLibrary, model: Model, plan: WritingPlan, emit: Emit = ignore_event
) -> QuestionsAdded:
    """Have a model write the questions of all parts that are not written yet.

    What is written is on the disk after each few parts. A part that the model does not answer is left for the next
    time; once it is clear that it answers none, the others are not asked. Questions that a model wrote to text that
    has changed are replaced.
    """
    written, known = read_written_parts(library.folder), set(_list_rows(library.load_expected_questions()))
    faults: list[tuple[str, str]] = []
    added, asked, settled = 0, 0, set()
    async for parts in list_parts(library):
        left = [part for part in parts if part.key not in written]
        for start in range(0, len(left), AT_ONCE):
            some = left[start : start + AT_ONCE]
            emit(Progress(task="writing", done=asked, total=plan.parts, unit="sections"))
            replies = await asyncio.gather(*(complete_or_error(model, part.prompt) for part in some))
            asked += len(some)
            for part, reply in zip(some, replies, strict=True):
                if isinstance(reply, ModelError):
                    faults.append((f"{part.document.reference.title} › {part.section}", reply.phrase))
                    continue
                built = (_build_row(part, said, model.name) for said in reply.questions)
                rows = [row for row in dict.fromkeys(built) if row and row not in known]
                add_rows(library.folder, rows)
                # Only now: a part whose questions are not all on the disk is asked for again.
                _mark_written(library.folder, part.key)
                written.add(part.key)
                added += len(rows)
        settled |= {part.document.reference.id for part in parts if all(one.key in written for one in parts)}
    texts = {document.reference.id: document.text async for document in _open_all(library, settled)}
    replaced = drop_stale(library, texts, lambda row: bool(row.author))
    return QuestionsAdded(added, 0, replaced, tuple(faults))


def _build_row(part: SectionPart, said: WrittenQuestion, author: str) -> QuestionRow | None:
    """The row of a question; None where it is empty or names no line that was shown."""
    lines = {number: build_place(part.document.text, span) for number, span in enumerate(part.lines, 1)}
    lead = tuple(lines[number] for number in dict.fromkeys(said.lines) if number in lines)
    also = tuple(lines[number] for number in dict.fromkeys(said.also) if number in lines and number not in said.lines)
    text = " ".join(said.question.split())
    if not (text and lead):
        return None
    return QuestionRow(question=text, document=part.document.reference.id, lines=lead, also=also, author=author)


def _mark_written(folder: Path, key: str) -> None:
    path = folder / PARTS_FILE
    make_private_file(path)
    with path.open("a", encoding="ascii") as file:
        file.write(f"{key}\n")


# --- vectors


async def embed_questions(library: ExpectingLibrary, encoder: Encoder, emit: Emit = ignore_event) -> int:
    """Compute the vectors that are missing, so that the questions can be found; how many."""
    bank = library.load_expected_questions()
    missing = [bank.row(number) for number in range(bank.searchable, len(bank))] if bank else []
    if not bank or not missing:
        return 0
    ids = {row.document for row in missing if row}
    documents = {document.reference.id: document async for document in _open_all(library, ids)}
    vectors = bank.vectors
    for start in range(0, len(missing), ENCODED_AT_ONCE):
        some = missing[start : start + ENCODED_AT_ONCE]
        done = 0 if vectors is None else len(vectors.lead_rows)
        emit(Progress(task="embedding", done=done, total=len(bank), unit="questions"))
        found = [
            find_lines(row, documents[row.document]) if row and row.document in documents else None for row in some
        ]
        texts, leads = [row.question if row else "" for row in some], list(map(lead_under_headings, found))
        new = await asyncio.to_thread(encode_questions, texts, leads, encoder)
        vectors = join_vectors(vectors, new)
        save_vectors(library.folder, bank.lines, vectors)
    return len(missing)
