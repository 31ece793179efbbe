"""Questions that a language model writes: from pages (SourceCheckup, Wu et al. 2025), from articles (PICO).

Only what stands alone is kept, with words of the page or the article that answer it, and the share that does is told.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.clinical.word_forms import known_abbreviations
from wellsourced.errors import ModelError, UnreadableFile, WellsourcedError
from wellsourced.late import compile_late
from wellsourced.models.base import Model
from wellsourced.prompts.probing import WritePicoQuestion
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.worker.pool import read_file_items
from wellsourced.text.sanitization import one_line
from wellsourced.types import Document
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.builders.built_set import BuildHeader, BuildProgress, BuiltItem, Manifest, build_set
from wellsourced_evaluate.probing import NAMES_THE_PAGE, GeneratedQuestion, generate_question

TOGETHER = 8
"""Pages that are read, and asked about, at the same time."""

MAX_CHARACTERS = 12_000
"""Of an article that a language model is shown: its abstract and the beginning of its text."""

MIN_WORDS, MAX_WORDS = 6, 45
"""Of a clinical question."""

OpenPage = Callable[[str], Awaitable[Document]]
"""Reads the page behind an address, or in a file: `config.network.open_page`."""

_RESTS_ON_ARTICLE = compile_late(
    r"\b(?:this|these|those|our|we|us|such|its|their|it|they|the (?:present|current|same|former|latter|above"
    r"|two|three|four"
    r"|new|proposed|following|study arm|intervention|program(?:me)?|treatment|system|model|device|tool|app"
    r"|trial|study|project|drug"
    r"|participants|group)s?(?! (?:of|for|with)\b))\b"
    r"|\bthe (?:\w+ )?(?:efficacy|effects?|incidence|outcomes?|results?|risk|rate)\b(?! (?:and|of|on|in|for|or)\b|,)"
    r"|\b(?:two|three|four|five|six|\d) (?:\w+ )?(?:different|methods?|types?|techniques?|doses?|interventions?"
    r"|strategies|approaches|programs?|groups?|arms?|regimens?|protocols?|kinds?|brands?|commercially)\b"
    r"|\b(?:novel|newly developed|phase (?:I+|\d)|pilot|feasibility|protocol|rationale|case report)\b",
    re.IGNORECASE,
)
_ABBREVIATION = compile_late(r"(?<![\w-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*s?(?![\w-])")
_EXPLAINED = compile_late(r"\([^()]*\)")


class QuestionWriter(NamedTuple):
    """A language model, and the name by which it is set: "ollama:qwen3"."""

    name: str
    model: Model


async def build_page_questions(
    pages: Sequence[str], writer: QuestionWriter, open_page: OpenPage, out: Path, say: BuildProgress, *, fresh: bool
) -> Manifest:
    """Write questions.jsonl with its manifest: a question a page, or why there is none. Raises as `build_set`."""
    pages = list(dict.fromkeys(pages))
    inputs = {name: "" if name.startswith(("https://", "http://")) else _hash_page(name) for name in pages}
    notes: list[str] = []

    async def ask_pages(known: Mapping[str, BuiltItem]) -> AsyncIterator[BuiltItem]:
        left = [name for name in pages if name not in known]
        for start in range(0, len(left), TOGETHER):
            say(len(pages) - len(left) + start, len(pages))
            for item in await asyncio.gather(
                *(_ask_of_page(name, writer.model, open_page) for name in left[start : start + TOGETHER])
            ):
                yield item
        notes.append(_describe_share(known, "pages"))

    header = BuildHeader(builder="page-questions", seed=0, settings={"model": writer.name}, inputs=inputs)
    return await build_set(out, header, ask_pages, notes, fresh=fresh)


def _describe_share(items: Mapping[str, BuiltItem], what: str) -> str:
    made = sum(bool(item.rows) for item in items.values())
    return f"{made:,} of {len(items):,} {what} gave a question ({made / max(1, len(items)):.0%})."


def _hash_page(name: str) -> str:
    """The sha256 of a file; "" of one that is not there, which is told when it is read."""
    path = Path(name)
    return hash_file(path) if path.is_file() else ""


async def _ask_of_page(name: str, model: Model, open_page: OpenPage) -> BuiltItem:
    try:
        document = await open_page(name)
    except WellsourcedError as error:
        return BuiltItem(key=name, left_out="the page cannot be read", detail=error.phrase)
    made = await generate_question(document, model)
    if not isinstance(made, GeneratedQuestion):
        reason, _, quoted = made.reason.partition(":")
        return BuiltItem(key=name, left_out=reason, detail=quoted.strip() or made.question)
    row = {
        "id": f"page-{hashlib.sha256(name.encode()).hexdigest()[:12]}",
        "question": made.question,
        "answerable": True,
        "source": [document.reference.id],
        "must_have": [made.answer],
        "human_answer": made.answer,
        "excerpt": made.excerpt,
        "start": made.start,
        "end": made.end,
        "page": name,
        "page_sha256": hashlib.sha256(document.text.encode()).hexdigest(),
        "title": document.reference.title,
        "group": document.reference.id,
    }
    return BuiltItem(key=name, rows=(row,))


async def build_pico_questions(
    paths: Sequence[Path], writer: QuestionWriter, limit: int, out: Path, say: BuildProgress, *, fresh: bool = False
) -> Manifest:
    """Write clinical questions (population, intervention, comparison, outcome) that articles answer.

    Raises UnreadableFile for a file that holds no article, and as `build_set`.
    """
    documents, faults = _read_articles(paths)
    chosen = documents[: limit or None]
    notes: list[str] = []

    async def ask_articles(known: Mapping[str, BuiltItem]) -> AsyncIterator[BuiltItem]:
        for number, document in enumerate(chosen):
            if document.reference.id not in known:
                say(number, len(chosen))
                yield await _ask_of_article(document, writer.model)
        for place, reason in faults:
            yield BuiltItem(key=place, left_out="it cannot be read", detail=reason)
        notes.append(_describe_share(known, "articles"))

    options = {"model": writer.name, "limit": limit}
    inputs = {path.name: hash_file(path) for path in paths}
    header = BuildHeader(builder="pico-questions", seed=0, settings=options, inputs=inputs)
    return await build_set(out, header, ask_articles, notes, ("answer",), fresh)


def _read_articles(paths: Sequence[Path]) -> tuple[list[Document], list[tuple[str, str]]]:
    """The documents of all files, each id once, and what cannot be read: its place, and why."""
    documents: dict[str, Document] = {}
    faults: list[tuple[str, str]] = []
    for path in paths:
        before = len(documents)
        for item in read_file_items(path, "research"):
            if isinstance(item, Document):
                documents.setdefault(item.reference.id, item)
            elif isinstance(item, UnreadablePart):
                faults.append((f"{path.name}, {item.where}", item.reason))
        if len(documents) == before:
            raise UnreadableFile(path, "it holds no article", "Name a file that `wellsourced library add` would take.")
    return [*documents.values()], faults


async def _ask_of_article(document: Document, model: Model) -> BuiltItem:
    """The question that a language model writes, if it stands alone and the article has the words that answer it."""
    key, reference = document.reference.id, document.reference
    try:
        reply = await model.complete(WritePicoQuestion(title=reference.title, text=document.text[:MAX_CHARACTERS]))
    except ModelError as error:
        return BuiltItem(key=key, left_out="the model gave no reply that can be used", detail=error.phrase)
    question = one_line(reply.question)
    place = align_quote(reply.finding, document.text) if reply.finding.strip() else ()
    pico = {name: one_line(getattr(reply, name)) for name in ("population", "intervention", "comparison", "outcome")}
    if not question:
        reason = "the model says that it answers no clinical question"
    elif flaw := find_flaw(question):
        reason = flaw
    elif not place:
        reason = "the words that are to answer it are not in the article"
    elif not pico["intervention"] or not pico["outcome"]:
        reason = "the model names no intervention, or no outcome"
    else:
        finding = " ".join(document.text[place[0].start : place[-1].end].split())
        row = {
            "id": f"pico-{key.replace(':', '-')}",
            "question": question,
            "answerable": True,
            "source": [key, *([f"doi:{reference.doi}"] if reference.doi and f"doi:{reference.doi}" != key else [])],
            "must_have": [finding],
            "human_answer": finding,
            "pico": {name: text for name, text in pico.items() if text},
            "title": reference.title,
            "group": key,
        }
        return BuiltItem(key=key, rows=(row | ({"answer": reply.answer} if reply.answer else {}),))
    return BuiltItem(key=key, left_out=reason, detail=question)


def find_flaw(question: str) -> str:
    """The reason why a question does not stand alone; "" when it does."""
    words = question.split()
    outside = _EXPLAINED.sub(" ", question)
    unknown = [one for one in _ABBREVIATION.findall(outside) if not _is_known_name(one) and f"({one})" not in question]
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return "its question is too short or too long"
    if re.search(r"\b[a-z]\?$", question):
        return "its question breaks off"
    if question.count("(") != question.count(")") or "[" in question or question.count('"') % 2:
        return "its question has a bracket or a quotation mark that is not closed"
    if NAMES_THE_PAGE.search(question) or _RESTS_ON_ARTICLE.search(question):
        return "its question rests on the article"
    if unknown:
        return "its question has an abbreviation that it does not explain"
    return ""


def _is_known_name(short: str) -> bool:
    """Abbreviations of clinical writing, names such as COVID, mRNA and BRCA1, and what has small letters within."""
    return short.rstrip("s") in known_abbreviations() or not short.rstrip("s").isupper() or len(short) > 5
