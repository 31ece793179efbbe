"""A medical order in plain language, term by term, and a follow-up question about it."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal, NamedTuple

from pydantic import NonNegativeInt

from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.context import Context
from wellsourced.deidentification import detect_identifiers
from wellsourced.errors import ModelError, QuestionError
from wellsourced.events import Emit, ignore_event
from wellsourced.models.base import complete_or_error
from wellsourced.orders.definitions import NOT_DEFINED, answer_or_reason, ask_meaning, explain_term, list_names
from wellsourced.orders.term_answers import TermAnswers, answer_term_questions
from wellsourced.orders.terms import (
    OrderSentence,
    PrescribingSign,
    find_order_sentences,
    find_prescribing_signs,
    find_terms_by_rule,
    find_unknown_words,
    is_known_term,
    locate_term,
    read_long_forms,
)
from wellsourced.pipeline.frame.deidentification import COPIED_NGRAM_WORDS, break_copied_ngrams, deidentify_question
from wellsourced.pipeline.prompt_window import select_excerpt
from wellsourced.pipeline.read.consumer_sources import ADD_SOURCES
from wellsourced.pipeline.retrieve.search import describe_sources
from wellsourced.prompts.planning import ExtractTerms
from wellsourced.text.languages import detect_language, language_name, reading_grade
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import one_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, PublicResult, Question, Usage, Value

MAX_ORDER_CHARS = 50_000
"""Characters of an order: what is longer is a record, and belongs into `patient`."""

MAX_TERMS = 12
"""Terms that are explained, unless another number is asked for: as many as an order of a few lines has."""

MAX_FOUND_TERMS = 60
"""Terms that rules look for; those that are not explained are told."""

MAX_QUESTION_WORDS = 30
"""Words of a question about one term; a longer one tells of somebody."""


class ExplainedTerm(Value):
    """A term of the order, verbatim: order[start:end] == term. One that could not be explained has an empty answer.

    long_form   what an abbreviation stands for; "" when it is none, or nobody says
    """

    term: str
    start: NonNegativeInt
    end: NonNegativeInt
    answer: Answer
    long_form: str = ""


class Explanation(PublicResult):
    """An order and what was explained of it.

    own             sentences of the order itself that have what was asked
    signs           what of it are signs of a prescription and doses, in plain words that are the program's own
    terms           in their order of importance
    follow_up       the answer to what was asked about the order; None: nothing was asked
    unknown         words of the order that are neither terms nor signs nor everyday words: nobody explained them
    rejected        what a model named and what is not in the order, or is no term
    reading_level   years of schooling that what is said takes to be read; None when nothing is said
    notes           what its reader should know of how it was made, a sentence each without a full stop
    spent           what language models were asked for all of it
    """

    kind: Literal["explanation"] = "explanation"
    order: str
    own: tuple[OrderSentence, ...] = ()
    signs: tuple[PrescribingSign, ...] = ()
    terms: tuple[ExplainedTerm, ...] = ()
    follow_up: Answer | None = None
    unknown: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    reading_level: float | None = None
    notes: tuple[str, ...] = ()
    spent: Usage = Usage()


async def explain(
    order: str,
    context: Context,
    *,
    patient: str = "",
    asked: str = "",
    limit: int = MAX_TERMS,
    emit: Emit = ignore_event,
) -> Explanation:
    """At most `limit` terms of the order, each explained from sources; and what is asked about it, all at once.

    The order and the patient's text are seen by a model only where the user allowed it; else terms are found by rule.
    Raises QuestionError for an empty order, or one that is longer than any order.
    """
    _check_order(order, limit)
    plain = replace(context, write=context.write.model_copy(update={"reader": "patient"}))
    follow_up = asyncio.create_task(_answer_follow_up(asked, order, patient, plain, emit)) if asked.strip() else None
    try:
        with use_cost_tracker(CostTracker(context.budget, emit)) as tracker:
            named = await _find_terms(order, context, limit)
        long_forms = await read_long_forms(order, context.understanding)
        written = await _answer_terms(named.terms, order, long_forms, plain, emit)
        explained = await asyncio.gather(
            *(
                explain_term(one.term, order, long_forms.get(one.term, ""), plain, emit, answer)
                for one, answer in zip_longest(named.terms, written.answers)
            )
        )
        replied = await follow_up if follow_up else None
        if replied:
            names = [name for one in named.terms for name in list_names(one.term, long_forms.get(one.term, ""))]
            replied = _doubt_unrelated(replied, names)
    finally:
        if follow_up and follow_up.cancel():
            # It has calls of its own under way, which have to end before this does.
            await asyncio.gather(follow_up, return_exceptions=True)
    terms = tuple(
        ExplainedTerm(term=one.term, start=one.start, end=one.end, answer=given.answer, long_form=given.long_form)
        for one, given in zip(named.terms, explained, strict=True)
    )
    answers = [one.answer for one in explained]
    given = [*answers, *([replied] if replied else ())]
    said = "\n".join(statement.text for answer in given for statement in answer.statements)
    return Explanation(
        order=order,
        own=find_order_sentences(order, asked) if asked.strip() else (),
        signs=find_prescribing_signs(order),
        terms=terms,
        follow_up=replied,
        unknown=find_unknown_words(order, [one.term for one in terms]),
        rejected=named.rejected,
        reading_level=reading_grade(said) if said else None,
        notes=(*named.notes, *_language_notes(order, context), *await _source_notes(answers, context)),
        spent=_sum_usage(tracker.spent, written.spent, replied),
    )


async def _answer_terms(
    terms: Sequence["_LocatedTerm"], order: str, long_forms: Mapping[str, str], context: Context, emit: Emit
) -> TermAnswers:
    """What a language model writes of each term; nothing without one."""
    if not context.has_model or not terms:
        return TermAnswers()
    language = detect_language(order)
    meanings = [ask_meaning(list_names(one.term, long_forms.get(one.term, "")), language) for one in terms]
    asked = [
        meaning.model_copy(update={"text": one.question or meaning.text})
        for one, meaning in zip(terms, meanings, strict=True)
    ]
    return await answer_term_questions(asked, context, emit)


def _check_order(order: str, limit: int) -> None:
    if not any(map(str.isalnum, order)):
        raise QuestionError("The order is empty. Give the text of a medical order, for example a prescription.")
    if len(order) > MAX_ORDER_CHARS:
        raise QuestionError(
            f"The order has {len(order):,} characters; at most {MAX_ORDER_CHARS:,} are read. Give the part to be "
            "explained, and the record as the patient's text."
        )
    if limit < 0:
        raise QuestionError(f"{limit} terms cannot be explained: the number must be 0 or more.")


def _language_notes(order: str, context: Context) -> tuple[str, ...]:
    language = detect_language(order)
    if language == "en" or context.has_model:
        return ()
    return (
        f"the order is in {language_name(language)}, and translating needs a language model: its terms are looked up "
        "as written",
    )


async def _source_notes(answers: Sequence[Answer], context: Context) -> tuple[str, ...]:
    """How to have more terms explained, where no source is written for patients and some were not."""
    if all(answer.reason != NOT_DEFINED for answer in answers):
        return ()
    cards, _ = await describe_sources(context.sources)
    return () if any(card.kind == "consumer" for card in cards) else (ADD_SOURCES,)


# --- terms ---------------------------------------------------------------------------------------------------------


class _LocatedTerm(NamedTuple):
    """A term with its place, and what is asked about it; "": what it means anywhere."""

    term: str
    start: int
    end: int
    question: str = ""


class _NamedTerms(NamedTuple):
    terms: tuple[_LocatedTerm, ...] = ()
    rejected: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def _find_terms(order: str, context: Context, limit: int) -> _NamedTerms:
    """The terms that a model names, or rules; those that do not stand in the order so are rejected."""
    if not limit:
        return _NamedTerms()
    model = context.judging_model

    async def find_by_rule() -> _NamedTerms:
        return _locate_terms(await find_terms_by_rule(order, context.understanding, MAX_FOUND_TERMS), order, limit)

    if not (context.has_model and context.sees_patient):
        why = f"{model.name} may not see the order (setting patient_to)"
        why = why if context.has_model else "no language model is configured"
        found = await find_by_rule()
        return found._replace(notes=(f"terms found by rule; {why}", *found.notes))
    seen = deidentify_question(Question(text="terms", patient=order), context)
    shown = select_excerpt(seen.question.patient, "", model, lambda part: ExtractTerms(order=part, limit=limit))
    told = tuple(note for note in (*seen.notes, shown.note("the order", model.name)) if note)
    reply = await complete_or_error(model, ExtractTerms(order=shown.text, limit=limit))
    if isinstance(reply, ModelError):
        why = f"terms found by rule, because the model named none: {reply.phrase}"
        found = await find_by_rule()
        return found._replace(notes=(*told, why, *found.notes))
    named = _locate_terms([one.term for one in reply.terms], order, limit)
    asked = {" ".join(one.term.split()): one.question for one in reply.terms}
    named = named._replace(
        terms=tuple(
            one._replace(question=_check_question(asked.get(" ".join(one.term.split()), ""), one.term, order))
            for one in named.terms
        )
    )
    if not named.terms and named.rejected:
        found = await find_by_rule()
        named = named._replace(terms=found.terms, notes=(*named.notes, "terms found by rule instead", *found.notes))
    return named._replace(notes=(*told, *named.notes))


def _check_question(asked: str, term: str, order: str) -> str:
    """What a model would ask about a term; "" for what is not about it, copies the order, or identifies somebody."""
    line = one_line(asked)
    is_about_it = " ".join(term.split()).casefold() in line.casefold()
    if not is_about_it or len(line.split()) > MAX_QUESTION_WORDS or detect_identifiers(line):
        return ""
    return line if break_copied_ngrams(line, order) == line else ""


def _locate_terms(terms: Sequence[str], order: str, limit: int) -> _NamedTerms:
    """The terms with their places. A sentence of the order, or what identifies somebody, is no term."""
    kept: dict[tuple[int, int], _LocatedTerm] = {}
    rejected: list[str] = []
    for term in dict.fromkeys(" ".join(one.split()) for one in terms if one.strip()):
        place = locate_term(term, order, 0) or locate_term(term, order)
        names_somebody = not is_known_term(term) and detect_identifiers(term)
        if place is None or len(re.findall(r"\w+", term)) >= COPIED_NGRAM_WORDS or names_somebody:
            rejected.append(term)
        else:
            kept.setdefault(place, _LocatedTerm(order[slice(*place)], *place))
    beyond = [one.term for one in kept.values()][limit:]
    notes = (f"not looked up, because the limit of terms is {limit}: {', '.join(beyond)}",) if beyond else ()
    told = (f"not explained, because it is not in the order as written, or is not a term: {'; '.join(rejected)}",)
    return _NamedTerms(tuple(kept.values())[:limit], tuple(rejected), notes + (told if rejected else ()))


# --- answers -------------------------------------------------------------------------------------------------------


_POINTING = re.compile(r"\b(?:this|these|it|that|those|them)\b", re.IGNORECASE)

MIN_TELLING_STEMS = 2
"""Words from which a question that points at the order tells what to look for: "is this safe?" has one."""

NOTHING_NAMED_REASON = "The question names nothing to look up. Name the drug, the dose or the test."


async def _answer_follow_up(asked: str, order: str, patient: str, context: Context, emit: Emit) -> Answer:
    """What is asked about the order. Order and record are the patient's own words: they never stand in a query."""
    if not context.has_model and _POINTING.search(asked) and len(set(content_stems(asked))) < MIN_TELLING_STEMS:
        return Answer(question=Question(text=asked), abstained=True, reason=NOTHING_NAMED_REASON)
    record = "\n\n".join(part for part in (order, patient) if part.strip())
    alone = replace(context, frame=context.frame.model_copy(update={"pico": False}))
    return await answer_or_reason(Question(text=asked, patient=record), alone, emit)


def _doubt_unrelated(answer: Answer, names: Sequence[str]) -> Answer:
    """Sections that speak of nothing in the order are only the closest: "Can I eat before the test?" finds what others
    may eat."""
    shown = {section.passage_id for section in answer.sections}
    texts = [text_under_titles(item.passage) for item in answer.evidence if item.passage.id in shown]
    stems = {stem for text in texts for stem in content_stems(text)}
    is_related = not names or any(stems.issuperset(content_stems(name)) for name in names)
    return answer if is_related or answer.head != "in your sources" else answer.model_copy(update={"head": "closest"})


def _sum_usage(naming: Usage, terms: Usage, follow_up: Answer | None) -> Usage:
    """All together. Terms wait for their naming; the follow-up waits for nobody."""
    every = [naming, terms, *([follow_up.spent] if follow_up else ())]
    costs = [one.cost for one in every]
    return Usage(
        calls=sum(one.calls for one in every),
        cached=sum(one.cached for one in every),
        depth=max(naming.depth + terms.depth, every[-1].depth),
        tokens_in=sum(one.tokens_in for one in every),
        tokens_out=sum(one.tokens_out for one in every),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
