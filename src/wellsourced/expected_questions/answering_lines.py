"""The lines that answer what somebody asks, by the expected questions that it matches."""

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

MAX_LEAD_WORDS = 90
"""Words of an answer to which no more are added."""


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
    best = matches[0]
    lead = dict.fromkeys(best.expected.lead)
    also = dict.fromkeys(best.expected.also)
    questions = [best.expected.text]
    for one in matches[1:]:
        share = one.probability / best.probability
        is_same = one.expected.document == best.expected.document
        if share < (BESIDE_SHARE if is_same else OTHER_DOCUMENT_SHARE):
            continue
        together = lead | dict.fromkeys(one.expected.lead)
        if share >= LEAD_SHARE and _count_words(together) <= MAX_LEAD_WORDS:
            lead = together
            questions.append(one.expected.text)
        also |= dict.fromkeys(one.expected.lead)
    beside = tuple(line for line in also if line not in lead)
    return AnsweringLines(tuple(lead), beside, best.probability, tuple(questions))


def _count_words(lines: dict[AnsweringLine, None]) -> int:
    return sum(len(line.text.split()) for line in lines)
