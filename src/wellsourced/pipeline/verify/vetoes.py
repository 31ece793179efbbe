"""What overrules a language model that found a statement in its source: little, since it has read both.

A rule cannot tell a paraphrase from a mistake. It can tell that a figure stands nowhere in what the model was given,
and that nearly the same words say the opposite.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from wellsourced.claims.guard import QUANTITY_KINDS, Disagreement, find_disagreements
from wellsourced.clinical.doses import find_dose_conflict
from wellsourced.clinical.quantities import Quantity, extract_quantities
from wellsourced.pipeline.support import PassagesById, cited_passages, cited_sentences
from wellsourced.pipeline.verify.answer_words import strip_answer_word
from wellsourced.pipeline.verify.objections import (
    Objection,
    build_objection,
    find_objection,
    find_plain_objection,
    join_objections,
    silent_objection,
)
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Passage, Question, Statement

COPY_COVERAGE = 0.85
"""Share of a claim's content words that a sentence of its source has, and the reverse, from which it is a copy."""

MAX_COUNTED = 5
"""Numbers up to which a claim may count: "two of the three". How often a dose is given is compared with the dose."""

COUNTING_UNITS = frozenset({"", "time"})

DURATIONS = {
    "minute": ("minute", 1),
    "hour": ("minute", 60),
    "day": ("minute", 24 * 60),
    "week": ("minute", 7 * 24 * 60),
    "month": ("month", 1),
    "year": ("month", 12),
}
"""Unit of time → the unit that it is counted in, and how many of these it has: three days are 72 hours."""

_LINE_END = re.compile(r"\n+|(?<=[a-z)]\.)\s+(?=[A-Z])")


def find_statement_veto(question: Question, statement: Statement, passages: PassagesById) -> Objection | None:
    """The same of a statement with its citations, and all that is known of the question and the patient."""
    asked = "\n".join((question.text, question.asked, question.patient, *(turn.text for turn in question.history)))
    sentences = cited_sentences(statement, passages)
    return find_veto(statement, sentences, cited_passages(statement, passages), asked, question.language)


def find_veto(
    statement: Statement, sentences: Sequence[str], passages: Sequence[Passage], question: str, language: str
) -> Objection | None:
    """What speaks against a statement although a language model says that its source supports it; None: nothing.

    A figure or a dose counts only if it stands neither in the passages nor in the question; other differences count
    only where the claim copies a sentence. In another language than English as `find_objection`.

    sentences   those that it cites
    question    what the model was asked, with what it says of a patient
    """
    if language != "en":
        return find_objection(statement, sentences, passages, language)
    claim = strip_answer_word(statement.text)
    given = [*sentences, question, *(text_under_titles(passage) for passage in passages)]
    lines = [line for text in given for line in _LINE_END.split(text)]
    dose = find_dose_conflict(claim, lines, question)
    doses = [silent_objection("dose", f"its source does not give the dose so: “{dose}”")] if dose else []
    plain = find_plain_objection(claim, sentences)
    differing = map(build_objection, _list_vetoes(claim, sentences, given))
    return join_objections([*doses, *([plain] if plain else []), *differing])


def _list_vetoes(claim: str, sentences: Sequence[str], given: Sequence[str]) -> Iterator[Disagreement]:
    known = {abs(quantity.value) for text in given for quantity in extract_quantities(text)}
    durations = {_find_duration(quantity) for text in sentences for quantity in extract_quantities(text)}
    is_copy = any(
        min(stem_coverage(claim, sentence), stem_coverage(sentence, claim)) >= COPY_COVERAGE for sentence in sentences
    )
    for one in find_disagreements(claim, " … ".join(sentences)):
        if one.kind in QUANTITY_KINDS and one.kind != "comparator":
            said = extract_quantities(one.claim)
            others = [quantity for quantity in said if _find_duration(quantity) not in durations - {None}]
            stated = {
                abs(quantity.value)
                for quantity in others
                if quantity.unit not in COUNTING_UNITS or quantity.value > MAX_COUNTED
            }
            is_same_time = bool(said) and not others
            if not is_same_time and (is_copy or not stated <= known):
                yield one
        elif is_copy:
            yield one


def _find_duration(quantity: Quantity) -> tuple[str, Decimal] | None:
    """A duration in the unit that it can be counted in exactly, minutes or months; None for any other quantity."""
    unit, count = DURATIONS.get(quantity.unit, ("", 0))
    return (unit, abs(quantity.value) * count) if unit else None
