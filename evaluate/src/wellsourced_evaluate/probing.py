"""What an answerer is tried with: questions made from pages, and variants that must not change the answer."""

import asyncio
import re
from collections.abc import Collection, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import get_args

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.compare.slots import find_disagreements
from wellsourced.config.network import open_client
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, UnreadableFile
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.medicine.word_forms import is_drug_name, is_medical_abbreviation
from wellsourced.models.base import Model
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.prompts.probing import GeneratedQuestionReply, GenerateQuestion, QuestionManner, VaryQuestion
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.worker.process import read_file_items
from wellsourced.sources.web import EngineResult, PageLimits, read_page
from wellsourced.text.lexicon import NEGATIONS_OF_NOUNS, NEGATIONS_OF_VERBS, STOP_WORDS
from wellsourced.text.passages import cut_passages
from wellsourced.text.sanitization import one_line
from wellsourced.types import Document, Passage, Value

# --- pages, and questions from them --------------------------------------------------------------------------------

MIN_CHARACTERS = 200
"""Characters of a page that a question can be made from (SourceCheckup, Methods: question generation)."""

MAX_PASSAGES = 24
"""Passages from the beginning of a page that are shown: about 24,000 characters."""

NAMES_THE_PAGE = re.compile(
    r"\b(?:this|the|that|above|following) (?:text|document|page|article|passage|excerpt|paper|study|website|authors?)\b"
    r"|\b(?:according to|mentioned|described|stated|discussed) (?:in|by|here|above)\b",
    re.IGNORECASE,
)


async def open_page(name: str, settings: Settings) -> Document:
    """The document behind an address, or in a file of any kind that is read.

    Raises SourceError for what its server or its file is, SettingsError for an extra that is not installed.
    """
    if not name.startswith(("https://", "http://")):
        return await asyncio.to_thread(_read_page_file, Path(name))
    async with open_client(settings) as client:
        return await read_page(client, EngineResult(url=name), PageLimits(), date.today())


def _read_page_file(path: Path) -> Document:
    for item in read_file_items(path, "own"):
        if isinstance(item, Document):
            return item
        if isinstance(item, UnreadablePart):
            raise UnreadableFile(path, f"{item.where}: {item.reason}", item.remedy)
    raise UnreadableFile(path, "it contains no text", "Name a page with text.")


class GeneratedQuestion(Value):
    """A question that a page answers. `excerpt` is verbatim in its document, from `start` to `end`."""

    question: str
    answer: str
    excerpt: str
    start: int
    end: int
    source: str


class RejectedPage(Value):
    """A page that no question was made from, or whose question does not stand alone, and why."""

    source: str
    reason: str
    question: str = ""


async def generate_question(document: Document, model: Model) -> GeneratedQuestion | RejectedPage:
    """A question that stands alone, with words of the page that answer it; else why there is none."""
    source = document.reference.id
    if len(document.text.strip()) < MIN_CHARACTERS:
        return RejectedPage(source=source, reason=f"the page has fewer than {MIN_CHARACTERS} characters")

    def prompt(passages: Sequence[Passage]) -> GenerateQuestion:
        end = max((passage.end for passage in passages), default=0)
        return GenerateQuestion(title=document.reference.title, text=document.text[:end])

    passages = cut_passages(document)[:MAX_PASSAGES]
    try:
        made = await model.complete(prompt(fit_items(model, prompt, passages).kept or passages[:1]))
    except ModelError as error:
        return RejectedPage(source=source, reason=error.phrase)
    return _validate_question(made, document)


def _validate_question(made: GeneratedQuestionReply, document: Document) -> GeneratedQuestion | RejectedPage:
    question, answer, source = one_line(made.question), one_line(made.answer), document.reference.id
    found = align_quote(made.excerpt, document.text)
    start, end = (found[0].start, found[-1].end) if found else (0, 0)
    excerpt = document.text[start:end]
    if not question or not answer:
        reason = "the model gave no question, or no answer to it"
    elif named := NAMES_THE_PAGE.search(question):
        reason = f"the question is not complete by itself: it says “{named.group()}”"
    elif not found:
        reason = "the words that are to answer it are not in the page"
    elif other := next(iter(find_disagreements(answer, excerpt)), None):
        reason = f"the {other.kind} of the answer is not that of the page: “{other.claim}”"
    else:
        return GeneratedQuestion(question=question, answer=answer, excerpt=excerpt, start=start, end=end, source=source)
    return RejectedPage(source=source, reason=reason, question=question)


# --- variants of a question ----------------------------------------------------------------------------------------

MANNERS: tuple[QuestionManner, ...] = get_args(QuestionManner)

PEOPLE = (
    "The patient is a 34-year-old teacher.",
    "The patient is a 58-year-old man from Ohio.",
    "The patient is a retired nurse.",
    "The patient is a 41-year-old woman who moved here from Spain.",
)
CONDITIONS = (
    "The patient broke a wrist as a child.",
    "The patient has worn glasses for short sight since school.",
    "The patient has had mild hay fever in spring for years.",
    "The patient had wisdom teeth taken out last year.",
)
"""What changes nothing in the answer to nearly any question; what asks about just that is left out.

Of a patient, not by one: a patient's own question is answered from other sources.
"""

_DENIALS = NEGATIONS_OF_VERBS | NEGATIONS_OF_NOUNS
_QUESTION_WORDS = frozenset(
    ["what", "which", "who", "how", "why", "when", "where", "is", "are", "does", "do", "did", "can", "should", "would"]
)


class Variant(Value):
    """The question in another manner; without a question the reason why it could not be asked so."""

    manner: QuestionManner
    question: str = ""
    reason: str = ""


async def make_variants(
    question: str, model: Model | None = None, manners: Sequence[QuestionManner] = MANNERS
) -> list[Variant]:
    """The question in each manner, one call each in one wave; a variant that loses a fact is asked for once more.

    Without a model a fixed sentence comes before it, or words without meaning are left out; lay words and other
    wordings want one.
    """
    return await asyncio.gather(*(_make_variant(question, manner, model) for manner in manners))


def question_facts(question: str) -> frozenset[str]:
    """What a variant has to keep, in lower case: numbers, drugs, abbreviations, and whether something is denied."""
    numbers = {f"{found.value.normalize():f}" for found in extract_quantities(question)}
    words = re.findall(r"[\w’'-]+", question)
    names = {word.casefold() for word in words if is_medical_abbreviation(word) or is_drug_name(word)}
    denied = {"not"} if {word.casefold() for word in words} & _DENIALS else set()
    return frozenset(numbers | names | denied)


def changed_facts(question: str, variant: str, manner: QuestionManner) -> frozenset[str]:
    """The facts of the question that its variant has not kept, and, but for a sentence put before it, has put in."""
    before, after = question_facts(question), question_facts(variant)
    return before - after if manner in ("demographic", "comorbidity") else before ^ after


async def _make_variant(question: str, manner: QuestionManner, model: Model | None) -> Variant:
    if model is None:
        return _vary_by_rule(question, manner)
    missing: frozenset[str] = frozenset()
    for _ in range(2):
        try:
            said = one_line((await model.complete(VaryQuestion(manner=manner, question=question))).question)
        except ModelError as error:
            return Variant(manner=manner, reason=error.phrase)
        if not said or _normalize_text(said) == _normalize_text(question):
            return Variant(manner=manner, reason="the model gave the question back as it was")
        missing = changed_facts(question, said, manner)
        if not missing:
            return Variant(manner=manner, question=said)
    return Variant(manner=manner, reason=f"the model changed a fact twice: {', '.join(sorted(missing))}")


def _vary_by_rule(question: str, manner: QuestionManner) -> Variant:
    if sentences := {"demographic": PEOPLE, "comorbidity": CONDITIONS}.get(manner):
        return Variant(manner=manner, question=f"{_choose_sentence(sentences, question)} {question}")
    if manner == "terse" and _normalize_text(short := shorten_question(question)) != _normalize_text(question):
        return Variant(manner=manner, question=short)
    reason = "it is as short as it can be" if manner == "terse" else "this needs a language model: --model NAME"
    return Variant(manner=manner, reason=reason)


def shorten_question(question: str) -> str:
    """The words that carry the question, as they are typed into a search box; negations stay."""
    words = [word for word in re.findall(r"[\w’'%./+-]+", question) if word.strip("’'%./+-")]
    passed_over = (STOP_WORDS | _QUESTION_WORDS) - _DENIALS
    return " ".join(word for word in words if word.casefold() not in passed_over).rstrip(".")


def _choose_sentence(sentences: Sequence[str], question: str) -> str:
    """The same sentence for the same question, and none that shares a word with it."""
    at = int.from_bytes(sha256(question.encode()).digest()[:4], "big")
    said = set(re.findall(r"\w{4,}", question.casefold()))
    free = [one for one in sentences if not said & set(re.findall(r"\w{4,}", one.casefold()))] or list(sentences)
    return free[at % len(free)]


def _normalize_text(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold().strip()


# --- what becomes of the answer ------------------------------------------------------------------------------------


def share_works(one: Collection[str], other: Collection[str]) -> float | None:
    """Works that both cite, of those that either cites (Jaccard); None when neither cites any."""
    either = {*one, *other}
    return len({*one} & {*other}) / len(either) if either else None
