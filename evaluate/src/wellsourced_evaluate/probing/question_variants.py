"""Variants of a question whose answer has to stay the same: who answers them otherwise is not to be relied upon."""

import asyncio
import re
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

from wellsourced.clinical.quantities import extract_quantities
from wellsourced.clinical.word_forms import is_drug_name, is_medical_abbreviation
from wellsourced.errors import ModelError, QuestionError
from wellsourced.models.base import Model
from wellsourced.prompts.probing import CompareToGold, GoldComparison, QuestionManner, VaryQuestion
from wellsourced.text.lexicon import NEGATIONS_OF_NOUNS, NEGATIONS_OF_VERBS, STOP_WORDS
from wellsourced.text.sanitization import one_line
from wellsourced.types import Answer, Value, cited_passage_ids

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

_QUESTION_WORDS = frozenset(
    ["what", "which", "who", "how", "why", "when", "where", "is", "are", "does", "do", "did", "can", "should", "would"]
)


class Variant(Value):
    """The question in another manner."""

    manner: QuestionManner
    question: str


class OmittedVariant(Value):
    """A manner in which the question could not be asked, and why."""

    manner: QuestionManner
    reason: str


class Variants(NamedTuple):
    """In the order of MANNERS."""

    made: tuple[Variant, ...] = ()
    left_out: tuple[OmittedVariant, ...] = ()


async def make_variants(
    question: str, model: Model | None = None, manners: Sequence[QuestionManner] = MANNERS
) -> Variants:
    """The question in each manner, one call each in one wave; a variant that loses a fact is asked for once more.

    Without a model a fixed sentence stands before it, or words without meaning are left out; lay words and other
    wordings want one.
    """
    made = await asyncio.gather(*(_make_variant(question, manner, model) for manner in manners))
    return Variants(
        tuple(one for one in made if isinstance(one, Variant)),
        tuple(one for one in made if isinstance(one, OmittedVariant)),
    )


def question_facts(question: str) -> frozenset[str]:
    """What a variant has to keep, in lower case: numbers, drugs, abbreviations, and whether something is denied."""
    numbers = {f"{found.value.normalize():f}" for found in extract_quantities(question)}
    words = re.findall(r"[\w’'-]+", question)
    names = {word.casefold() for word in words if is_medical_abbreviation(word) or is_drug_name(word)}
    denied = {"not"} if {word.casefold() for word in words} & (NEGATIONS_OF_VERBS | NEGATIONS_OF_NOUNS) else set()
    return frozenset(numbers | names | denied)


def changed_facts(question: str, variant: str, manner: QuestionManner) -> frozenset[str]:
    """The facts of the question that its variant has not kept, and, but for a sentence put before it, has put in."""
    before, after = question_facts(question), question_facts(variant)
    return before - after if manner in ("demographic", "comorbidity") else before ^ after


async def _make_variant(question: str, manner: QuestionManner, model: Model | None) -> Variant | OmittedVariant:
    if model is None:
        return _vary_by_rule(question, manner)
    missing: frozenset[str] = frozenset()
    for _ in range(2):
        try:
            said = one_line((await model.complete(VaryQuestion(manner=manner, question=question))).question)
        except ModelError as error:
            return OmittedVariant(manner=manner, reason=error.phrase)
        if not said or _normalize_text(said) == _normalize_text(question):
            return OmittedVariant(manner=manner, reason="the model gave the question back as it was")
        missing = changed_facts(question, said, manner)
        if not missing:
            return Variant(manner=manner, question=said)
    return OmittedVariant(manner=manner, reason=f"the model changed a fact twice: {', '.join(sorted(missing))}")


def _vary_by_rule(question: str, manner: QuestionManner) -> Variant | OmittedVariant:
    if sentences := {"demographic": PEOPLE, "comorbidity": CONDITIONS}.get(manner):
        return Variant(manner=manner, question=f"{_choose_sentence(sentences, question)} {question}")
    if manner == "terse" and _normalize_text(short := shorten_question(question)) != _normalize_text(question):
        return Variant(manner=manner, question=short)
    reason = "it is as short as it can be" if manner == "terse" else "this wants a language model: --model NAME"
    return OmittedVariant(manner=manner, reason=reason)


def shorten_question(question: str) -> str:
    """The words that carry the question, as they are typed into a search box; negations stay."""
    kept = NEGATIONS_OF_VERBS | NEGATIONS_OF_NOUNS
    words = [word for word in re.findall(r"[\w’'%./+-]+", question) if word.strip("’'%./+-")]
    told = [word for word in words if word.casefold() in kept or word.casefold() not in STOP_WORDS | _QUESTION_WORDS]
    return " ".join(told).rstrip(".")


def _choose_sentence(sentences: Sequence[str], question: str) -> str:
    """The same sentence for the same question, and none that shares a word with it."""
    at = int.from_bytes(sha256(question.encode()).digest()[:4], "big")
    said = set(re.findall(r"\w{4,}", question.casefold()))
    free = [one for one in sentences if not said & set(re.findall(r"\w{4,}", one.casefold()))] or list(sentences)
    return free[at % len(free)]


def _normalize_text(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold().strip()


# --- what becomes of the answer ------------------------------------------------------------------------------------

EMPTY_ANSWER = GoldComparison(label="less", reason="the answer says nothing")


class AnswerChange(Value):
    """An answer to a variant beside the answer to the question itself.

    answered        whether it says anything; `before` whether the other did
    supported       share of its drafted statements that were supported; None when nothing was drafted
    shared          works that both cite, of those that either cites (Jaccard); None when neither cites any
    same_choice     both chose the same option; None without options
    """

    manner: str
    question: str
    answered: bool
    before: bool
    supported: float | None = None
    shared: float | None = None
    same_choice: bool | None = None


def compare_answers(variant: Variant, answer: Answer, original: Answer) -> AnswerChange:
    """What differs between the answers to a question and to its variant."""
    checks = answer.checks
    return AnswerChange(
        manner=variant.manner,
        question=variant.question,
        answered=not answer.abstained,
        before=not original.abstained,
        supported=(checks.verbatim + checks.verified) / checks.drafted if checks and checks.drafted else None,
        shared=share_works(_cited_works(answer), _cited_works(original)),
        same_choice=answer.choice == original.choice if original.question.options else None,
    )


def share_works(one: Collection[str], other: Collection[str]) -> float | None:
    """Works that both cite, of those that either cites (Jaccard); None when neither cites any."""
    either = {*one, *other}
    return len({*one} & {*other}) / len(either) if either else None


async def compare_to_gold(question: str, known: str, answer: str, model: Model) -> GoldComparison:
    """How an answer stands to the one that is known to be right; an empty one says less, without a call.

    Raises QuestionError when there is no known answer, ModelError.
    """
    if not known.strip():
        raise QuestionError("There is no known answer to compare with: give one.")
    if not answer.strip():
        return EMPTY_ANSWER
    return await model.complete(CompareToGold(question=question, known=known, answer=answer))


def mean_shared_works(changes: Sequence[AnswerChange]) -> float | None:
    """The mean share of works that stay the same over all variants; None when none can be compared."""
    shares = [one.shared for one in changes if one.shared is not None]
    return sum(shares) / len(shares) if shares else None


def _cited_works(answer: Answer) -> set[str]:
    home = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return {home[id] for id in cited_passage_ids(answer.statements)}
