"""Questions that a language model writes: from pages (SourceCheckup, Wu et al. 2025), from articles (PICO).

Only what stands alone is kept, with words of the page or the article that answer it.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.errors import ModelError, UnreadableFile, WellsourcedError
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.word_forms import known_abbreviations
from wellsourced.models.base import Model
from wellsourced.prompts.probing import WritePicoQuestion
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.worker.process import read_file_items
from wellsourced.text.sanitization import one_line
from wellsourced.types import Document
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.builders.built_set import BuildHeader, LeftOut, Row, SetRecipe, answered_row
from wellsourced_evaluate.probing import NAMES_THE_PAGE, GeneratedQuestion, generate_question

TOGETHER = 8
"""Pages that are read, and asked about, at the same time."""

MAX_CHARACTERS = 12_000
"""Of an article that a language model is shown: its abstract and the beginning of its text."""

MIN_WORDS, MAX_WORDS = 6, 45
"""Of a clinical question."""

OpenPage = Callable[[str], Awaitable[Document]]
"""Reads the page behind an address, or in a file: `probing.open_page`."""

_RESTS_ON_ARTICLE = lazy_regex(
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
_ABBREVIATION = lazy_regex(r"(?<![\w-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*s?(?![\w-])")
_EXPLAINED = lazy_regex(r"\([^()]*\)")


class QuestionWriter(NamedTuple):
    """A language model, and the name by which it is set: "ollama:qwen3"."""

    name: str
    model: Model


def page_recipe(pages: Sequence[str], writer: QuestionWriter, open_page: OpenPage) -> SetRecipe[str]:
    """How a question is made of each page, which is a file or an address."""

    async def ask_of_page(name: str) -> Sequence[Row]:
        try:
            document = await open_page(name)
        except WellsourcedError as error:
            raise LeftOut("the page cannot be read", error.phrase) from error
        made = await generate_question(document, writer.model)
        if not isinstance(made, GeneratedQuestion):
            reason, _, quoted = made.reason.partition(":")
            raise LeftOut(reason, quoted.strip() or made.question)
        id, source = f"page-{hashlib.sha256(name.encode()).hexdigest()[:12]}", document.reference
        row = answered_row(id, made.question, [source.id], [made.answer], source.title) | {
            **{"excerpt": made.excerpt, "start": made.start, "end": made.end},
            **{"page": name, "page_sha256": hashlib.sha256(document.text.encode()).hexdigest()},
        }
        return [row]

    # A file that is not there is told when it is read.
    inputs = {name: hash_file(Path(name)) if Path(name).is_file() else "" for name in pages}
    header = BuildHeader(builder="page-questions", seed=0, settings={"model": writer.name}, inputs=inputs)
    doing = "Asked about {done:,} of {every:,} pages"
    return SetRecipe(header, {name: name for name in pages}, ask_of_page, doing, together=TOGETHER)


def pico_recipe(paths: Sequence[Path], writer: QuestionWriter, limit: int) -> SetRecipe[Document | UnreadablePart]:
    """How a clinical question (population, intervention, comparison, outcome) is made of each article in the files.

    Raises UnreadableFile for a file that holds no article.
    """
    options, inputs = {"model": writer.name, "limit": limit}, {path.name: hash_file(path) for path in paths}
    header = BuildHeader(builder="pico-questions", seed=0, settings=options, inputs=inputs)
    ask = partial(_ask_of_article, writer.model)
    doing = "Read {done:,} of {every:,} articles"
    return SetRecipe(header, _read_articles(paths, limit), ask, doing, count_by=("answer",))


def _read_articles(paths: Sequence[Path], limit: int) -> dict[str, Document | UnreadablePart]:
    """The first documents of all files, each id once; then what cannot be read, by its place."""
    documents: dict[str, Document] = {}
    faults: dict[str, UnreadablePart] = {}
    for path in paths:
        before = len(documents)
        for item in read_file_items(path, "research"):
            if isinstance(item, Document):
                documents.setdefault(item.reference.id, item)
            elif isinstance(item, UnreadablePart):
                faults[f"{path.name}, {item.where}"] = item
        if len(documents) == before:
            raise UnreadableFile(path, "it holds no article", "Name a file that `wellsourced library add` would take.")
    return {**dict(list(documents.items())[: limit or None]), **faults}


async def _ask_of_article(model: Model, document: Document | UnreadablePart) -> Sequence[Row]:
    """The question that a language model writes, if it stands alone and the article has the words that answer it."""
    if isinstance(document, UnreadablePart):
        raise LeftOut("it cannot be read", document.reason)
    key, reference = document.reference.id, document.reference
    try:
        reply = await model.complete(WritePicoQuestion(title=reference.title, text=document.text[:MAX_CHARACTERS]))
    except ModelError as error:
        raise LeftOut("the model gave no reply that can be used", error.phrase) from error
    question = one_line(reply.question)
    place = align_quote(reply.finding, document.text) if reply.finding.strip() else ()
    pico = {name: one_line(getattr(reply, name)) for name in ("population", "intervention", "comparison", "outcome")}
    if not question:
        raise LeftOut("the model says that it answers no clinical question")
    if flaw := find_flaw(question):
        raise LeftOut(flaw, question)
    if not place:
        raise LeftOut("the words that are to answer it are not in the article", question)
    if not pico["intervention"] or not pico["outcome"]:
        raise LeftOut("the model names no intervention, or no outcome", question)
    finding = " ".join(document.text[place[0].start : place[-1].end].split())
    sources = list(dict.fromkeys([key, *([f"doi:{reference.doi}"] if reference.doi else [])]))
    row = answered_row(f"pico-{key.replace(':', '-')}", question, sources, [finding], reference.title)
    row["pico"] = {name: text for name, text in pico.items() if text}
    return [row | ({"answer": reply.answer} if reply.answer else {})]


def find_flaw(question: str) -> str:
    """The reason why a question does not stand alone; "" when it does."""
    outside = _EXPLAINED.sub(" ", question)
    unknown = [one for one in _ABBREVIATION.findall(outside) if not _is_known_name(one) and f"({one})" not in question]
    is_open = question.count("(") != question.count(")") or "[" in question or question.count('"') % 2
    flaws = {
        "its question is too short or too long": not MIN_WORDS <= len(question.split()) <= MAX_WORDS,
        "its question breaks off": re.search(r"\b[a-z]\?$", question),
        "its question has a bracket or a quotation mark that is not closed": is_open,
        "its question rests on the article": NAMES_THE_PAGE.search(question) or _RESTS_ON_ARTICLE.search(question),
        "its question has an abbreviation that it does not explain": unknown,
    }
    return next((flaw for flaw, is_there in flaws.items() if is_there), "")


def _is_known_name(short: str) -> bool:
    """Abbreviations of clinical writing, names such as COVID, mRNA and BRCA1, and what has small letters within."""
    return short.rstrip("s") in known_abbreviations() or not short.rstrip("s").isupper() or len(short) > 5
