"""What can be said of the sections that are shown: they answer, they are the closest, or nothing is near."""

import re
from collections.abc import Sequence

from wellsourced.answering.scoring import ScoredSection
from wellsourced.answering.selection import OF_SECTION_KINDS, ShownSection, find_doses_of_others
from wellsourced.medicine.names import find_names, mentions
from wellsourced.question.requested_quantity import detect_requested_quantities
from wellsourced.question.required_entities import RequiredEntity, find_required_entities
from wellsourced.text.scope import find_scope
from wellsourced.types import AnswerHead, Question

MIN_SCORE, MIN_WORDS_SCORE = 0.5, 0.1
"""Score of the best unit below which nothing is near the question: of 2, and without vectors of 1.

Of 324 questions to the guidelines that they answer 99 % reach the first, and of 30 on other matters 7. On 87 documents
of strangers all 40 and none of 7.
"""

MAX_NEAR_MISS = 0.5


def choose_head(
    question: Question,
    scored: Sequence[ScoredSection],
    shown: Sequence[ShownSection],
    near_miss: float = 0.0,
    *,
    has_vectors: bool,
) -> tuple[AnswerHead, tuple[RequiredEntity, ...]]:
    """The head, and what the question names that is not mentioned in what is shown.

    near_miss     probability that no expected question which is answered is what is asked, and one that is not
    has_vectors   the units were scored by an encoder, too
    """
    if not shown or not has_near_unit(scored, has_vectors=has_vectors):
        return "nothing", ()
    absent = tuple(_list_absent(question, shown))
    # What answers best is for somebody else, and is not shown.
    is_of_others = bool(find_doses_of_others(question, scored[:1]))
    return ("closest" if absent or is_of_others or near_miss > MAX_NEAR_MISS else "in your sources"), absent


def list_missing_figures(question: Question, shown: Sequence[ShownSection]) -> list[str]:
    """What is asked for, "the dose" or "the duration", of which nothing that is shown has a figure."""
    text = "\n".join(one.section.line(place) for one in shown for place in one.lines)
    asked = detect_requested_quantities(question.text)
    return [f"the {one.name}" for one in asked if not one.figure_pattern.search(text)]


def list_unmentioned(question: Question, shown: Sequence[ShownSection]) -> list[str]:
    """What the question names, in its words, that no section shown has by any of its names: a condition that was told,
    a drug that is taken. They may answer without it."""
    texts = (f"{one.section.document.reference.title}\n{one.section.text_under_heading}" for one in shown)
    whole = "\n".join(texts)
    told = (one for one in find_names(question.text) if find_scope(question.text, one.start, one.end) != "denied")
    strange = (one for one in told if not re.search(rf"\b{re.escape(one.words)}", whole, re.IGNORECASE))
    return [*dict.fromkeys(one.words for one in strange if not mentions(whole, one))]


def describe_closest(absent: Sequence[str]) -> str:
    """What is said over sections that do not answer, and what they do not mention."""
    if not absent:
        return "Closest sections: they may not answer this."
    *others, last = absent
    is_plural = bool(others) or (last.endswith(("children", "s")) and not last.endswith(("ss", "us", "is")))
    names = " and ".join(filter(None, (", ".join(others), last)))
    return f"Closest sections: {names} {'are' if is_plural else 'is'} not mentioned in them."


def has_near_unit(scored: Sequence[ScoredSection], *, has_vectors: bool) -> bool:
    """Whether anything in these sections is near the question."""
    best = max((one.units[0].score for one in scored if one.units), default=0.0)
    return best >= (MIN_SCORE if has_vectors else MIN_WORDS_SCORE)


def _list_absent(question: Question, shown: Sequence[ShownSection]) -> list[RequiredEntity]:
    # A drug in one document and the disease in another are no answer together: the first has to have them all.
    document = shown[0].section.document
    whole = f"{document.reference.title}\n{document.text}"
    its = [one.section for one in shown if one.section.document is document]
    near = "\n".join(one.text_under_heading for one in its)
    named = find_required_entities(question)
    return [one for one in named if not one.is_covered_by(near if one.kind in OF_SECTION_KINDS else whole)]
