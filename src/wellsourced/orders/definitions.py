"""What a term of an order means: by a sentence that defines it ("X is a …", "X, a …, is used to …"); no other explains
one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.events import Emit, QuestionFramed
from wellsourced.medicine.word_forms import is_medical_abbreviation
from wellsourced.orders.terms import locate_term
from wellsourced.patients.words import read_words
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.retrieve.retractions import exclude_retracted
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.pipeline.retrieve.search import collect_failed_gaps, open_document
from wellsourced.pipeline.section_answer import OWN_WORDS
from wellsourced.text.abbreviations import find_definitions, is_abbreviation
from wellsourced.text.languages import detect_language
from wellsourced.text.sanitization import collapse_whitespace
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, SourceKind, Statement
from wellsourced.worker_pool import run_in_worker

KIND_WEIGHTS: dict[SourceKind, float] = {"consumer": 1.0, "wiki": 1.0, "own": 0.9, "graph": 0.8, "guideline": 0.6}
"""How well each kind of source explains to somebody who is not trained in medicine."""

OTHER_KIND_WEIGHT = 0.5
TITLE_FACTOR = 1.15
"""What a definition in a document on the term itself counts for, beside one in a document on something else."""

MAX_DEFINITION_WORDS = 60
MIN_WEIGHT = 0.24
"""What a sentence weighs at least: that blood thinners such as X exist explains X in a leaflet, not in a guideline."""
MANY_CONTENT_WORDS = 8
ALL_NAMES_FACTOR = 1.15
MAX_ABBREVIATION_LETTERS = 6

_ARTICLE = r"(?:(?:an?|the|your|this) )?"
# Parts of the forms of a definition: `words.tsv`. "no class": says no class of things, but how good, how common or
# whose cause something is; "no compound": no other word makes the term into another (a magnesium transporter is none).
_BESIDE = read_words("definition beside")
_NOT_A_CLASS = read_words("definition no class")
_PLURAL_CLASS = read_words("definition plural")
_USE = read_words("definition use")
_FUNCTION = read_words("definition function")
_NO_COMPOUND = read_words("definition no compound")
_AFTER_APPOSITION = read_words("definition apposition end")
_COPULA = read_words("definition copula")
_CLASS = rf"(?:(?:an?|the|any|one of (?:a|the)) {_NOT_A_CLASS}[a-z(]|when )"


class _Definition(NamedTuple):
    """A sentence that defines the term, where it is in its passage, and how well it does."""

    sentence: str
    span: Span
    item: Evidence
    weight: float


def defines_term(sentence: str, names: Iterable[str]) -> float:
    """How plainly a sentence says what one of these names is, in [0, 1]; 0 when it does not say so."""
    # The plainest form first: a sentence counts as the best that it is.
    forms = (next((one for one, form in _compile_patterns(name) if form.search(sentence)), 0.0) for name in names)
    return max(forms, default=0.0)


def find_long_form(abbreviation: str, texts: Iterable[str]) -> str:
    """What an abbreviation stands for, where a text gives both: "basic metabolic panel (BMP)"; "" when none does."""
    # A word with one capital is no abbreviation.
    told = (pair for text in texts for pair in find_definitions(text)) if is_abbreviation(abbreviation) else ()
    return next((long for short, long in told if short == abbreviation), "")


def _find_definitions(evidence: Sequence[Evidence], names: Sequence[str]) -> list[_Definition]:
    """The sentences that define the term, the plainest first; an abbreviation also by its long form in the evidence."""
    texts = [item.passage.text for item in evidence]
    names = tuple(dict.fromkeys((*names, *filter(None, (find_long_form(name, texts) for name in names)))))
    found = [
        _Definition(words, span, item, weight * _source_weight(item, names) * _content_weight(words, names))
        for item in evidence
        for span in split_sentences(item.passage.text)
        if len((words := collapse_whitespace(item.passage.text[span.start : span.end])).split()) <= MAX_DEFINITION_WORDS
        and (weight := defines_term(words, names))
    ]
    plain = [one for one in found if one.weight >= MIN_WEIGHT]
    return sorted(plain, key=lambda one: (-one.weight, one.item.passage.id, one.span))


def _content_weight(sentence: str, names: Sequence[str]) -> float:
    """More for a sentence that says much ("… is a silent disease" does not), and for one that gives all names."""
    said = len(set(content_stems(sentence)) - set(content_stems(" ".join(names))))
    gives_all = len(names) > 1 and all(locate_term(name, sentence) for name in names)
    return (0.6 + 0.4 * min(1.0, said / MANY_CONTENT_WORDS)) * (ALL_NAMES_FACTOR if gives_all else 1.0)


def _source_weight(item: Evidence, names: Sequence[str]) -> float:
    title = item.passage.reference.title.casefold()
    is_on_term = any(re.search(rf"\b{re.escape(name.casefold())}", title) for name in names if name)
    return KIND_WEIGHTS.get(item.passage.reference.kind, OTHER_KIND_WEIGHT) * (TITLE_FACTOR if is_on_term else 1.0)


@lru_cache(maxsize=64)
def _compile_patterns(name: str) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple(_build_patterns(name))


def _build_patterns(name: str) -> Iterator[tuple[float, re.Pattern[str]]]:
    """The forms of a sentence that says what this name means, the plainest first, with how plain each is."""
    words = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", name.strip())))
    plural = "" if words.endswith("s") else "s?"
    # An abbreviation is one only in its own letters.
    case = "(?:" if name[1:].isupper() and len(name) < MAX_ABBREVIATION_LETTERS else "(?i:"
    term = rf"{case}{words}{plural})(?!\w)"
    opening = r"^(?:\w+ ?: )?"
    subject = rf"{opening}(?i:{_ARTICLE}){term}{_BESIDE}?{_BESIDE}?,?"
    measured = rf"{subject}(?i:(?: tests?| scans?| exam| levels?)?) "
    apposition = rf"(?: \([^()]{{1,60}}\))?, an? {_NOT_A_CLASS}(?![^,.;]*\b(?:called|known as)\b)[a-z][^,.;]{{3,100}}"
    yield 1.0, re.compile(rf"^{term}(?: \([^()]{{1,60}}\))?\s?: An? {_NOT_A_CLASS}[a-z]")
    yield 1.0, re.compile(rf"{measured}(?i:{_COPULA} {_CLASS}|are {_PLURAL_CLASS})")
    yield (
        0.95,
        re.compile(
            rf"{opening}[^,.;]{{2,50}},? (?:also|sometimes) (?:called|known as) [^.;]{{0,80}}(?<!\w){term}[^.;]{{0,60}}"
            rf"(?i: {_COPULA} {_CLASS})"
        ),
    )
    yield 0.8, re.compile(rf"{measured}(?i:{_USE})")
    yield (
        0.75,
        re.compile(rf"\b[Aa]n? [^,.;:()]{{4,80}},? (?:called|known as|named|termed) (?:an? )?{term}{_NO_COMPOUND}"),
    )
    yield 0.7, re.compile(rf"(?<![\w-]){term}{apposition}{_AFTER_APPOSITION}")
    yield 0.65, re.compile(rf"{measured}(?i:{_FUNCTION})")
    # Last, and below most definitions: that blood thinners such as X exist explains X to nobody who asks what it does.
    for weight, form in ((0.45, "examples of"), (0.4, "drugs such as")):
        yield weight, re.compile(read_words(f"definition by {form}").replace("TERM", term))


NOT_DEFINED = "No source here has a sentence that defines it."

DEFINITION_PASSAGES = 48
"""Passages in which a sentence is looked for that defines a term: whether one does its form tells, no judge."""


class TermExplanation(NamedTuple):
    """What a term means, and what it stands for when it is an abbreviation."""

    answer: Answer
    long_form: str = ""


async def explain_term(
    term: str, order: str, long_form: str, context: Context, emit: Emit, written: Answer | None = None
) -> TermExplanation:
    """What a term means, for a reader of the order's language; an abbreviation by its long form where one is known.

    written   what a language model wrote of it; a sentence that defines it takes the place of one that says nothing
    """
    names = list_names(term, long_form)
    language = detect_language(order)
    answer = written if written and written.statements else await _define(names, language, context, emit)
    if written and answer is not written:
        answer = answer.model_copy(update={"notes": tuple(dict.fromkeys((*written.notes, *answer.notes)))})
    if not long_form and is_medical_abbreviation(term):
        long_form = find_long_form(term, [item.passage.text for item in answer.evidence])
        # Only now is it known what the letters stand for, and under that name a definition may be found.
        if long_form and answer.abstained:
            answer = await _define((*names, long_form), language, context, emit)
    return TermExplanation(answer, long_form)


def list_names(term: str, long_form: str) -> tuple[str, ...]:
    """The term in one line, and what it stands for."""
    return tuple(dict.fromkeys(filter(None, (" ".join(term.split()), long_form))))


def ask_meaning(names: Sequence[str], language: str) -> Question:
    """What a term means anywhere, as a question."""
    return Question(text=f"What is {names[-1]}?", language=language)


async def _define(names: Sequence[str], language: str, context: Context, emit: Emit) -> Answer:
    """The answer to what it is, by a sentence that defines it."""
    question = ask_meaning(names, language)
    try:
        return await _quote_definition(question, names, context, emit)
    except (ModelError, QuestionError) as error:
        return Answer(question=question, abstained=True, basis="none", reason=error.phrase)


async def _quote_definition(question: Question, names: Sequence[str], context: Context, emit: Emit) -> Answer:
    """The sentence that defines a term most plainly, of all passages that a search for it brings up."""
    policy = context.policy.model_copy(update={"candidates": max(context.policy.candidates, DEFINITION_PASSAGES)})
    found = await retrieve(question, replace(context, policy=policy))
    emit(QuestionFramed(question=found.question))
    settled = await exclude_retracted(found.candidates, context.registries, policy.source_seconds, context.limiter)
    sources = {one.passage.id: one.source for one in settled.candidates}
    evidence = tuple(Evidence(passage=one.passage, relevance=1.0) for one in settled.candidates[:DEFINITION_PASSAGES])
    defining = await run_in_worker(_find_definitions, evidence, names)
    passages = (one.item.passage for one in defining)
    standing = [await _still_stands(passage, sources[passage.id], context) for passage in passages]
    statements = tuple(_build_statement(one) for one, stands in zip(defining, standing, strict=True) if stands)[:1]
    return Answer(
        question=found.question,
        statements=statements,
        evidence=evidence,
        gaps=(*context.setup_gaps, *collect_failed_gaps(found.attempts), *settled.gaps),
        attempts=found.attempts,
        dropped=settled.dropped,
        basis="evidence" if statements else "none",
        abstained=not statements,
        reason="" if statements else NOT_DEFINED,
    )


async def _still_stands(passage: Passage, source: str, context: Context) -> bool:
    document = await open_document(passage.reference.id, source, context)
    return document is not None and document.text[passage.start : passage.end] == passage.text


def _build_statement(one: _Definition) -> Statement:
    passage, span = one.item.passage, one.span
    citation = Citation(
        passage_id=passage.id,
        quote=passage.text[span.start : span.end],
        start=passage.start + span.start,
        end=passage.start + span.end,
    )
    return Statement(
        text=one.sentence, citations=(citation,), verdict=OWN_WORDS, topic=passage.reference.title, lead=True
    )


async def answer_or_reason(question: Question, context: Context, emit: Emit) -> Answer:
    """The answer; an empty one with the reason where there can be none, so that it costs no other."""
    try:
        return await answer_question(question, context, emit)
    except (ModelError, QuestionError) as error:
        return Answer(question=question, abstained=True, basis="none", reason=error.phrase)
