"""The lines that answer what somebody asks, by the expected questions that it matches."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.expected_questions.bank import AnsweringLine
from wellsourced.expected_questions.matching import MatchedQuestion

MIN_CHANCE = 0.1
"""Probability of the likeliest expected question from which its lines are the answer: below, two in five are not."""

LEAD_SHARE = 0.5
"""Share of its probability from which the answer of another one is part of the answer."""

OTHER_DOCUMENT_SHARE = 0.6
"""The same share where another document answers it: two guidelines on one disease."""

BESIDE_SHARE = 0.2
"""The same share from which it belongs beside it."""

PROSE_SHARE = 0.1
"""The same share from which an answer in sentences leads in place of steps of an algorithm, which stand beside it."""

MAX_LEAD_WORDS = 90
"""Words of an answer to which no more are added."""


_STEP = re.compile(r"^\W*(?:-+>|→)|(?:-+>|→)\s*(?:YES|NO)\b")


class AnsweringLines(NamedTuple):
    """Lines, each once.

    lead         what is the answer, in the order of likelihood
    also         what belongs beside it
    probability  that the likeliest expected question is the one that is asked
    questions    the expected questions of which it is the answer
    """

    lead: tuple[AnsweringLine, ...]
    also: tuple[AnsweringLine, ...]
    probability: float
    questions: tuple[str, ...] = ()


def choose_answering_lines(matches: Sequence[MatchedQuestion]) -> AnsweringLines | None:
    """The answer of the likeliest match, with those of others nearly as likely; None where none is likely.

    matches  the likeliest first
    """
    if not matches or matches[0].probability < MIN_CHANCE:
        return None
    best = _find_best(matches)
    lead = dict.fromkeys(best.expected.lead)
    also = dict.fromkeys(best.expected.also)
    questions = [best.expected.text]
    for one in matches:
        share = one.probability / matches[0].probability
        is_same = one.expected.document == best.expected.document
        if one is best or share < (BESIDE_SHARE if is_same else OTHER_DOCUMENT_SHARE):
            continue
        together = lead | dict.fromkeys(one.expected.lead)
        if share >= LEAD_SHARE and not _is_of_steps(one) and _count_words(together) <= MAX_LEAD_WORDS:
            lead = together
            questions.append(one.expected.text)
        also |= dict.fromkeys(one.expected.lead)
    beside = tuple(line for line in also if line not in lead)
    return AnsweringLines(tuple(lead), beside, matches[0].probability, tuple(questions))


def _find_best(matches: Sequence[MatchedQuestion]) -> MatchedQuestion:
    """The likeliest; where its answer is steps of an algorithm, the likeliest that says it in sentences."""
    first = matches[0]
    if not _is_of_steps(first):
        return first
    told = (
        one
        for one in matches
        if one.expected.document == first.expected.document
        and one.probability >= PROSE_SHARE * first.probability
        and not _is_of_steps(one)
    )
    return next(told, first)


def _is_of_steps(one: MatchedQuestion) -> bool:
    """Whether half of an answer and more is drawn: "--> NO --> …"."""
    steps = sum(_STEP.search(line.text) is not None for line in one.expected.lead)
    return 2 * steps >= len(one.expected.lead)


def _count_words(lines: dict[AnsweringLine, None]) -> int:
    return sum(len(line.text.split()) for line in lines)
