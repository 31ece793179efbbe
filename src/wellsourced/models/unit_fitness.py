"""How fit a unit is to be said: words and places that conclude, against those that only set out."""

import re
from collections.abc import Iterable, Sequence

from wellsourced.clinical.abbreviations import write_out_abbreviations
from wellsourced.clinical.asked_quantities import detect_asked_quantities, has_asked_figure
from wellsourced.clinical.broad_questions import GENERIC_STEMS
from wellsourced.clinical.question_types import QuestionType, has_answer_of_type
from wellsourced.text.passages import section_weight
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.tokens import content_stems, stem_coverage, tokenize
from wellsourced.types import Evidence, Passage

CONCLUSION_PATTERN = re.compile(
    r"\b(?:conclu|recommend|first[- ]line|we found|(?:these|our) (?:results|findings|data)|in summary|foundation"
    r"|mainstay|cornerstone|of choice|(?:findings|results) suggest|evidence (?:shows|suggests|supports)|demonstrat"
    r"|indicate that|significant(?:ly)?)",
    re.IGNORECASE,
)
"""How sentences speak that say what was found or what to do."""

AIM_PATTERN = re.compile(
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

SECTION_LABEL = re.compile(
    r"(?:background|introduction|methods?|materials?|objectives?|aims?|purpose|study|design|setting|patients)"
    r"[\w/ ]{0,30}:",
    re.IGNORECASE,
)
"""A sentence that says itself which part of its abstract it is, one that answers nothing."""

DESIGNATION_PATTERN = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{2,}")

MISSING_DESIGNATION_FACTOR = 0.5
"""What remains of a unit's fitness when its passage has none of the names with figures that were asked about."""

COVERAGE_WEIGHT = 0.5
"""How much it counts that a unit of a guideline, or a heading above it, has the words of the question."""

MISSING_FIGURE_FACTOR = 0.7
"""What remains of a unit's fitness when a dose, a duration or the like is asked and it has no such figure."""

STEM_LENGTH = 6
"""Letters by which words are compared."""

_GENERIC = frozenset(stem[:STEM_LENGTH] for stem in GENERIC_STEMS)

OFF_SUBJECT_FACTOR = 0.5
"""What remains of a unit's fitness when its guideline is on another subject and mentions this one in passing."""


def unit_fitness(unit: QuotableSpan, item: Evidence, asked: Sequence[str], wanted: Sequence[QuestionType]) -> float:
    """How fit a unit is to be said: what it concludes counts more than what it set out to do."""
    passage = item.passage
    quantities = detect_asked_quantities(asked[0])
    value = section_weight(passage.section)
    if has_answer_of_type(wanted, unit.text):
        value *= 1.25
    if CONCLUSION_PATTERN.search(unit.text):
        value *= 1.15
    if AIM_PATTERN.search(unit.text) or SECTION_LABEL.match(unit.own_text):
        value *= 0.6
    if (named := find_designations(asked)) and not named & find_designations([passage.reference.title, passage.text]):
        value *= MISSING_DESIGNATION_FACTOR
    if passage.reference.kind == "guideline":
        value *= 1.1 * min(1.0, OFF_SUBJECT_FACTOR + 2 * subject_coverage(asked, passage))
        value *= question_coverage(asked, unit, passage) ** COVERAGE_WEIGHT
        if quantities and not has_asked_figure(quantities, unit.own_text):
            value *= MISSING_FIGURE_FACTOR
    return value


def question_coverage(asked: Sequence[str], unit: QuotableSpan, passage: Passage) -> float:
    """The share of the question's telling words that the unit has or the headings above it; abbreviations count.

    What the unit or its own heading says counts twice as much as what the chapter around it is called.
    """
    near = word_beginnings(f"{passage.section.rpartition(' › ')[2]} {unit.own_text}")
    around = near | word_beginnings(f"{passage.reference.title} {passage.section}")
    wanted = [stems for question in asked if (stems := word_beginnings(question))]
    shares = [(2 * len(stems & near) + len(stems & around)) / (3 * len(stems)) for stems in wanted]
    return max(shares, default=1.0)


def word_beginnings(text: str) -> frozenset[str]:
    """How its telling words begin: "nephrologist" is of nephrology, and who is "referred" needs a referral."""
    return frozenset(stem[:STEM_LENGTH] for stem in content_stems(write_out_abbreviations(text))) - _GENERIC


def find_designations(texts: Iterable[str]) -> frozenset[str]:
    """Names that have figures in them ("19p", "KMT2D", "COX-2"): nothing like them, and nothing else, is meant."""
    return frozenset(word for text in texts for word in tokenize(text) if DESIGNATION_PATTERN.fullmatch(word))


def subject_coverage(asked: Sequence[str], passage: Passage) -> float:
    """The share of the question's content words that the guideline's title and chapter name: is this its subject?"""
    titles = f"{passage.reference.title} {passage.section.partition(' › ')[0]}"
    return max(stem_coverage(question, titles) for question in asked)
