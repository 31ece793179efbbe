"""Questions with what decides them, put to the program without a language model: what is printed, what is marked, and
under which head. A file is asked of what it was written on, which its rows tell.

Ours (evaluate/data/clinical_cases) are asked of the guidelines, or of pages for patients where they name a page. Those
of `foreign` are asked of an own library of the folders that lie beside the file, its minimal cases each of a library
of that one text, and those of studies of a library of abstracts.
"""

import re
import tempfile
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.ingest import ingest_files
from wellsourced.types import Answer, Question
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, Row, count, count_words, describe_answer
from wellsourced_evaluate.development_data import draw_rows, find_data, read_rows, show_work, tell_progress
from wellsourced_evaluate.questions.answer_marks import cited_documents, has_pattern, lead_text, quote_spans, said_text

FOREIGN, CONSUMER, RESEARCH = "foreign", "consumer", "research"
"""Libraries of a home: of the folders of `foreign`, and made of corpora/NAME.jsonl.gz of the development data."""

OWN_FILES = ("questions_blind_11.jsonl", "questions_blind_12.jsonl")
FOREIGN_FILES = ("foreign/questions.jsonl", "foreign/cases.jsonl")
STUDY_FILES = ("qa/bioasq.jsonl.gz", "qa/pubmedqa.jsonl.gz")
"""What is asked where no file is named: ours of evaluate/data, the others of the folder of development data."""

STUDY_QUESTIONS = 300
"""Drawn of a set of questions on studies, with a fixed seed."""

ANSWERABLE, NEAR, OFF = "answerable", "near misses", "off topic"
KINDS = {"near": NEAR, "near_miss": NEAR, "off": OFF, "off_topic": OFF}


PRINTED = "all deciding words in what is printed"


class PutQuestion(NamedTuple):
    """A row of a file, as it is put.

    kind        whether what is asked answers it
    needed      expressions that must all occur in what is printed
    wrong       what must not be in the first block that is marked; "": nothing is known that would be wrong
    facts       expressions that are counted one by one
    documents   ids of documents that answer it
    file        name and text of the only document that is asked, of a minimal case
    """

    id: str
    question: str
    kind: str = ANSWERABLE
    needed: tuple[str, ...] = ()
    wrong: str = ""
    facts: tuple[str, ...] = ()
    documents: frozenset[str] = frozenset()
    file: tuple[str, str] = ("", "")


def read_question(row: Row) -> PutQuestion:
    """A row of any of the files."""
    if "fname" in row:
        return PutQuestion(
            row["id"], row["q"], needed=(row["right"],), wrong=row["wrong"], file=(row["fname"], row["text"])
        )
    if "library" in row:
        kind = KINDS.get(row["kind"], ANSWERABLE)
        return PutQuestion(row["id"], row["question"], kind, tuple(row.get("need", ())), "|".join(row.get("wrong", ())))
    page = [row["page"]] if row.get("page") else ()
    documents = frozenset(map(str, row.get("gold_doc_ids") or row.get("gold") or page))
    kind = ANSWERABLE
    if row.get("missing") or row.get("answerable") is False or row.get("answer") == "not said":
        kind = KINDS.get(row.get("kind", ""), NEAR)
    decides = row.get("lead") or row.get("expected") or re.escape(row.get("quote", ""))
    facts = tuple(fact["pattern"] for fact in row.get("facts", ()))
    return PutQuestion(
        row["id"], row["question"], kind, (decides,) if decides else (), row.get("wrong", ""), facts, documents
    )


# --- asking ----------------------------------------------------------------------------------------------------------


async def measure_questions(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Deciding words printed and marked, near misses under the first head, and gold documents among the sections.

    Without FILE the blind files 11 and 12; with --data `foreign`, too, and questions on studies where --cases-home has
    a library of abstracts. Those of which no gold document is held are not asked. With --twice files are also asked in
    another scope: of foreign documents beside the guidelines, of the guidelines without expected questions.
    """
    with options.open_settings() as settings:
        for path in options.files or _list_files(options.data, config.library_names(settings)):
            async for one in _measure_file(path, options, settings):
                yield one


def _list_files(data: Path | None, libraries: Collection[str]) -> list[Path]:
    files = [find_data(f"clinical_cases/{name}") for name in OWN_FILES]
    names = (*FOREIGN_FILES, *(STUDY_FILES if RESEARCH in libraries else ()))
    return files + [path for path in (data / name for name in names) if path.exists()] if data else files


class Scope(NamedTuple):
    """What is searched for the questions of a file, under this name: with or without expected questions."""

    part: str
    libraries: tuple[str, ...]
    has_bank: bool = True


def list_scopes(part: str, rows: Sequence[Row]) -> list[Scope]:
    """What rows were written on; then another scope, where there is one."""
    if "library" in rows[0]:
        return [Scope(part, (FOREIGN,)), Scope(f"{part}, with the guidelines", (FOREIGN, config.GUIDELINES))]
    if "gold_doc_ids" in rows[0]:
        return [Scope(part, (RESEARCH,))]
    if any("page" in row or "gold" in row for row in rows):
        return [Scope(part, (CONSUMER,))]
    guidelines = (config.GUIDELINES,)
    return [Scope(part, guidelines), Scope(f"{part}, without expected questions", guidelines, has_bank=False)]


async def _measure_file(path: Path, options: CaseOptions, settings: config.Settings) -> AsyncIterator[CaseMarks]:
    rows, part = list(read_rows(path)), f"{path.parent.name}/{path.name}"
    if "fname" in rows[0]:
        for place, row in enumerate(options.cut(rows)):
            show_work(f"{part}: {place} questions")
            yield await _ask_text(read_question(row), settings, part)
        show_work("")
        return
    if "library" in rows[0]:
        await _make_library(settings, FOREIGN, sorted(one for one in path.parent.iterdir() if one.is_dir()))
    if "gold_doc_ids" in rows[0]:
        able = [row for row in rows if row["gold_doc_ids"]]
        rows = draw_rows(able, STUDY_QUESTIONS) if len(able) > STUDY_QUESTIONS else able
    put = [read_question(row) for row in rows]
    printed: dict[str, float] = {}
    for scope in list_scopes(part, rows)[: 2 if options.twice else 1]:
        async with config.open_context(settings, libraries=scope.libraries) as context:
            scoped = context if scope.has_bank else replace(context, expected_questions=None)
            held = [one for one in put if not one.documents or await _is_held(one, context)]
            for place, one in enumerate(asked := options.cut(held)):
                show_work(f"{scope.part}: {place} of {len(asked)} questions")
                told = mark_answer(one, await ask(Question(text=one.question), scoped), scope.part)
                found, _ = told.marks.get(PRINTED, (0, 0))
                lost = {"printed in the first scope, and lost": count([not found])} if printed.get(one.id) else {}
                yield told._replace(marks={**told.marks, **lost})
                printed.setdefault(one.id, found)
            show_work("")


async def _ask_text(one: PutQuestion, settings: config.Settings, part: str) -> CaseMarks:
    """A minimal case: in a library of its own, which has that one text."""
    with tempfile.TemporaryDirectory() as folder:
        name, text = one.file
        Path(folder, name).write_text(text, encoding="utf-8")  # noqa: ASYNC240 - it is small, and nobody else waits
        alone = settings.model_copy(update={"home": Path(folder, "home")})
        await _make_library(alone, "own", [Path(folder, name)])
        async with config.open_context(alone, libraries=("own",)) as context:
            return mark_answer(one, await ask(Question(text=one.question), context), part)


async def _make_library(settings: config.Settings, name: str, paths: Sequence[Path]) -> None:
    """A library of the default kind, made as a user makes it; of one that a home has already what it lacks."""
    if name not in config.library_names(settings):
        config.create_library(settings, name)
    async with config.open_library(settings, name, write=True) as opened:
        await ingest_files(opened, paths, tell_progress(name))
        await opened.embed_passages(tell_progress(name))


async def _is_held(one: PutQuestion, context: Context) -> bool:
    for source in context.sources:
        for id in one.documents:
            try:
                await source.open(id)
            except NotFoundError:
                continue
            return True
    return False


# --- counting --------------------------------------------------------------------------------------------------------


def mark_answer(one: PutQuestion, answer: Answer, part: str = "") -> CaseMarks:
    """What of a question is printed, what is marked, and under which head."""
    printed, marked = said_text(answer), lead_text(answer)
    lacking = [pattern for pattern in one.needed if not has_words(pattern, printed)]
    marks = dict(_list_marks(one, answer, printed, marked, lacking))
    told = [describe_answer(answer), *(f"lacking: {pattern}" for pattern in lacking)]
    return CaseMarks(one.id, marks, "\n".join(told), part)


def _list_marks(
    one: PutQuestion, answer: Answer, printed: str, marked: str, lacking: Sequence[str]
) -> Iterable[tuple[str, tuple[float, float]]]:
    block = first_block(answer)
    is_wrong = bool(one.wrong) and has_words(one.wrong, block)
    if one.kind != ANSWERABLE:
        yield f"{one.kind} under the first head", count([not answer.abstained])
        if one.wrong:
            yield f"{one.kind}: what the case calls wrong in the first block", count([is_wrong])
        return
    if one.needed:
        yield PRINTED, count([not lacking])
        yield "all deciding words in the marked units", count([all(has_words(word, marked) for word in one.needed)])
    if one.file[0]:
        yield "right printed, wrong not in the first block", count([not lacking and not is_wrong])
    if one.facts:
        yield "facts printed", count(has_words(fact, printed) for fact in one.facts)
        yield "facts in the marked units", count(has_words(fact, marked) for fact in one.facts)
    if one.documents:
        shown = cited_documents(answer)
        yield "a gold document among the sections shown", count([one.documents.intersection(shown)])
        yield "a gold document first", count([one.documents.intersection(shown[:1])])
    yield "under another head", count([answer.abstained])
    yield "words printed", count_words(printed)
    yield "words marked", count_words(marked)


def first_block(answer: Answer) -> str:
    """The unit that is marked first; of a model's answer its first statement."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    for section in answer.sections:
        for unit in section.marked[:1]:
            return "\n".join(quote_spans(passages[section.passage_id], unit))
    return answer.statements[0].text if answer.statements else ""


def has_words(pattern: str, text: str) -> bool:
    """Whether a text has an expression, which may be written with marks of Markdown, or across the ends of lines."""
    plain = pattern.replace("\\*\\*", "").replace("**", "")
    try:
        re.compile(plain)
    except re.error:
        plain = pattern
    bare = text.replace("**", "")
    texts = (text, bare, bare.replace("| ", "|").replace("|", " "), " ".join(bare.split()))
    return any(has_pattern(plain, one) for one in texts)
