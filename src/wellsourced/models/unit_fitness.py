"""How fit a unit is to be said: words and places that conclude, against those that only set out."""

import re
from collections.abc import Iterable

from wellsourced.claims.advice_signs import list_advice_signs
from wellsourced.claims.question_profile import (
    QuestionProfile,
    asks_what_to_do,
    holds_for_values,
    question_coverage,
    subject_coverage,
)
from wellsourced.claims.required_entities import list_missing_terms
from wellsourced.claims.yes_no_questions import names_other_group
from wellsourced.lazy import lazy_regex
from wellsourced.question.question_types import has_answer_of_type
from wellsourced.question.requested_quantity import has_asked_figure
from wellsourced.text.passages import section_weight, text_under_titles, words_under_title
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.tokens import tokenize
from wellsourced.types import Evidence, Passage

CONCLUSION_PATTERN = lazy_regex(
    r"\b(?:conclu|recommend(?!ed (?-i:[A-Z])\w*(?: \w+)?:)|first[- ]line|we found"
    r"|(?:these|our) (?:results|findings|data)|in summary|foundation"
    r"|mainstay|cornerstone|of choice|(?:findings|results) suggest|evidence (?:shows|suggests|supports)|demonstrat"
    r"|indicate that|significant(?:ly)?)",
    re.IGNORECASE,
)
"""How sentences speak that say what was found or what to do."""

DEFINING_WORDS = lazy_regex(
    r"\b(?:is|are) (?:an?|the|one of)\b|\bdefined as\b|\bknown as\b|\bcharacteri[sz]ed by\b", re.IGNORECASE
)
"""How sentences speak that say what something is."""

AIM_PATTERN = lazy_regex(
    r"\b(?:(?:aims?|objective|purpose|goal) (?:of|was|is)|aimed to|sought to"
    r"|we (?:investigated|evaluated|examined|review)|was to (?:determine|evaluate|assess|investigate|compare)"
    r"|were (?:randomi[sz]ed|enrolled|recruited|included)|remains? (?:unclear|unknown|controversial)"
    r"|(?:is|are) (?:unknown|unclear)|ha(?:s|ve) not been|we report (?:a|the|two)"
    r"|this (?:review|article|paper|section|page)|(?:talk (?:with|to)|ask|see|contact) your (?:doctor|health)"
    r"|further (?:stud|research|investigat)|for more information|clinical trials?\.gov|can be found"
    r"|resources? (?:from|address|offer)|(?:offers?|provides?) (?:more |additional )?(?:detailed )?information)",
    re.IGNORECASE,
)
"""How sentences speak that say what was to be found out, or that send the reader elsewhere."""

SECTION_LABEL = lazy_regex(
    r"(?:background|introduction|methods?|materials?|objectives?|aims?|purpose|study|design|setting|patients)"
    r"[\w/ ]{0,30}:",
    re.IGNORECASE,
)
"""A sentence that says itself which part of its abstract it is, one that answers nothing."""

_ABSTRACT_LABEL = lazy_regex(r"\b([A-Z][A-Z/& ]{3,40}):\s")

DESIGNATION_PATTERN = lazy_regex(r"(?=\w*\d)(?=\w*[^\W\d])\w{2,}")

MISSING_DESIGNATION_FACTOR = 0.5
"""What remains of a unit's fitness when its passage has none of the names with figures that were asked about."""

COVERAGE_WEIGHT = 0.5
"""How much it counts that a unit of a guideline, or a heading above it, has the words of the question."""

MISSING_FIGURE_FACTOR = 0.7
"""What remains of a unit's fitness when a dose, a duration or the like is asked and it has no such figure."""

VALUE_FACTORS = {True: 1.35, False: 0.6, None: 1.0}
"""What a unit's fitness is multiplied by where it holds for the values that are given, and where it does not."""

MISSING_TERM_FACTOR = 0.4
"""What remains of it for each drug, population or the like that the question names and the section does not."""

ADVICE_FACTOR = 1.2
"""What a unit's fitness is multiplied by that advises something, where it is asked what to do."""

ADVICE_AGAINST_FACTOR = 1.3
"""The same for advice against something, where that is asked for; other units are divided by it."""

OTHER_GROUP_FACTOR = 0.6
"""What remains of a unit's fitness when it is of others than the question: of prophylaxis, not of an attack."""

OFF_SUBJECT_FACTOR = 0.5
"""What remains of a unit's fitness when its guideline is on another subject and mentions this one in passing."""


def unit_fitness(unit: QuotableSpan, item: Evidence, asked: QuestionProfile) -> float:
    """How fit a unit is to be said: what it concludes counts more than what it set out to do."""
    passage = item.passage
    value = section_weight(passage.section or _find_abstract_label(unit, passage))
    if has_answer_of_type(asked.types, unit.text):
        value *= 1.25
    if CONCLUSION_PATTERN.search(unit.text):
        value *= 1.15
    if AIM_PATTERN.search(unit.text) or SECTION_LABEL.match(unit.own_text):
        value *= 0.6
    named = find_designations(asked.wordings)
    if named and not named & find_designations([passage.reference.title, passage.text]):
        value *= MISSING_DESIGNATION_FACTOR
    return value * _guideline_fitness(unit, passage, asked) if passage.reference.kind == "guideline" else value


def _find_abstract_label(unit: QuotableSpan, passage: Passage) -> str:
    """The part of an abstract that a unit stands in, by the last label up to it ("METHODS:"); "" without one."""
    if passage.reference.kind != "research":
        return ""
    start = unit.spans[-1].start
    labels = [label[1] for label in _ABSTRACT_LABEL.finditer(passage.text) if label.start() <= start]
    return labels[-1] if labels else ""


def _guideline_fitness(unit: QuotableSpan, passage: Passage, asked: QuestionProfile) -> float:
    value: float = 1.1 * min(1.0, OFF_SUBJECT_FACTOR + 2 * subject_coverage(asked.wordings, passage))
    value *= pow(question_coverage(asked.words, unit, passage), COVERAGE_WEIGHT)
    value *= pow(MISSING_TERM_FACTOR, len(list_missing_terms(asked.terms, text_under_titles(passage))))
    if asked.quantities and not has_asked_figure(asked.quantities, unit.own_text):
        value *= MISSING_FIGURE_FACTOR
    value *= _weigh_advice(unit, asked)
    if names_other_group(asked.wordings[0], words_under_title(passage, unit.text)):
        value *= OTHER_GROUP_FACTOR
    return value * VALUE_FACTORS[holds_for_values(asked, unit, passage)]


def _weigh_advice(unit: QuotableSpan, asked: QuestionProfile) -> float:
    """Where it is asked what to do, advice counts more; where what not to do, advice against it, and all else less."""
    signs = set(list_advice_signs(unit.text))
    if asked.asks_against:
        return ADVICE_AGAINST_FACTOR if -1 in signs else 1 / ADVICE_AGAINST_FACTOR
    return ADVICE_FACTOR if signs and asks_what_to_do(asked) else 1.0


def find_designations(texts: Iterable[str]) -> frozenset[str]:
    """Names that have figures in them ("19p", "KMT2D", "COX-2"): nothing like them, and nothing else, is meant."""
    return frozenset(word for text in texts for word in tokenize(text) if DESIGNATION_PATTERN.fullmatch(word))
