"""The lines that answer what somebody asks, by the expected questions that it matches.

Several expected questions may be what is asked, and their answers share lines. That answer is given which is expected
to agree best with the one that is wanted: the mean of its F2 with the answers of all, each as likely as its question
(minimum Bayes risk; what is wanted and not said counts more than what is said and not wanted).
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from wellsourced.expected_questions.bank import AnsweringLine
from wellsourced.expected_questions.matching import MatchedQuestion

MIN_AGREEMENT = 0.15
"""Agreement with what is wanted from which lines are the answer."""

RECALL_WEIGHT = 2.0
"""Beta of the F-measure: how much more it counts that a wanted line is said than that one which is said is wanted."""

BESIDE_SHARE = 0.3
"""Share of the best answer's agreement from which another one is part of the answer, or belongs beside it."""

OTHER_DOCUMENT_SHARE = 0.6
"""The same share of one of another document: two guidelines on one disease."""

PROSE_SHARE = 0.1
"""The same share from which an answer in sentences leads in place of steps of an algorithm."""

MAX_LEAD_WORDS = 90
"""Words of an answer to which no more are added."""


_STEP = re.compile(r"^\W*(?:-+>|→)|(?:-+>|→)\s*(?:YES|NO)\b")


class AnsweringLines(NamedTuple):
    """Lines, each once.

    lead         what is the answer, the likeliest first
    also         what belongs beside it
    probability  how far it is expected to agree with the answer that is wanted, from 0 to 1
    questions    the expected questions of which it is the answer
    """

    lead: tuple[AnsweringLine, ...]
    also: tuple[AnsweringLine, ...]
    probability: float
    questions: tuple[str, ...] = ()


class _RatedAnswer(NamedTuple):
    """A question with the agreement of its answer with the one that is wanted."""

    match: MatchedQuestion
    agreement: float

    @property
    def lead(self) -> tuple[AnsweringLine, ...]:
        """The lines of the answer."""
        return self.match.expected.lead


def choose_answering_lines(matches: Sequence[MatchedQuestion]) -> AnsweringLines | None:
    """The answer that agrees best with what may be wanted, and grows while that agreement does; None where it is low.

    matches  the likeliest first; near misses among them have no answer
    """
    matches = [one for one in matches if one.expected.is_answered]
    rated = [_RatedAnswer(one, _rate_agreement(one.expected.lead, matches)) for one in matches]
    best = max(rated, key=lambda one: one.agreement, default=None)
    if best is None:
        return None
    chosen = [_prefer_sentences(best, rated)]
    near = _list_near(chosen[0], best.agreement, rated)
    lead, agreement = dict.fromkeys(chosen[0].lead), chosen[0].agreement
    while longer := _find_addition(lead, agreement, near, matches):
        chosen.append(longer)
        lead |= dict.fromkeys(longer.lead)
        agreement = _rate_agreement(lead, matches)
    probability = min(1.0, max(agreement, best.agreement))
    if probability < MIN_AGREEMENT:
        return None
    beside = dict.fromkeys(line for one in chosen for line in one.match.expected.also)
    beside |= dict.fromkeys(line for one in near for line in one.lead)
    also = tuple(line for line in beside if line not in lead)
    return AnsweringLines(tuple(lead), also, probability, tuple(one.match.expected.text for one in chosen))


def _rate_agreement(lines: Iterable[AnsweringLine], matches: Sequence[MatchedQuestion]) -> float:
    """The F2 of these lines with the answer that is wanted, as it is to be expected."""
    said, most = set(lines), RECALL_WEIGHT**2
    return math.fsum(
        one.probability
        * (1 + most)
        * len(said.intersection(one.expected.lead))
        / (len(said) + most * len(one.expected.lead))
        for one in matches
    )


def _prefer_sentences(best: _RatedAnswer, rated: Sequence[_RatedAnswer]) -> _RatedAnswer:
    """The best answer; where it is steps of an algorithm, the best of its document that is sentences, if it is near."""
    if not _is_of_steps(best):
        return best
    told = [
        one
        for one in rated
        if one.agreement >= PROSE_SHARE * best.agreement and _is_same_document(one, best) and not _is_of_steps(one)
    ]
    return max(told, key=lambda one: one.agreement, default=best)


def _list_near(first: _RatedAnswer, best: float, rated: Sequence[_RatedAnswer]) -> list[_RatedAnswer]:
    """The answers that agree nearly as well as the best: they may be part of the first, and else stand beside it."""
    shares = {True: BESIDE_SHARE, False: OTHER_DOCUMENT_SHARE}
    return [one for one in rated if one.agreement >= shares[_is_same_document(one, first)] * best]


def _find_addition(
    lead: Mapping[AnsweringLine, None],
    agreement: float,
    near: Sequence[_RatedAnswer],
    matches: Sequence[MatchedQuestion],
) -> _RatedAnswer | None:
    """The answer with which this one agrees more, by most; None where there is none, or it would be too long."""
    best, found = agreement, None
    for one in near:
        together = {**lead, **dict.fromkeys(one.lead)}
        if len(together) == len(lead) or _is_of_steps(one) or _count_words(together) > MAX_LEAD_WORDS:
            continue
        if (longer := _rate_agreement(together, matches)) > best:
            best, found = longer, one
    return found


def _is_same_document(one: _RatedAnswer, other: _RatedAnswer) -> bool:
    return one.match.expected.document == other.match.expected.document


def _is_of_steps(one: _RatedAnswer) -> bool:
    """Whether half of an answer and more is drawn: "--> NO --> …"."""
    steps = sum(_STEP.search(line.text) is not None for line in one.lead)
    return 2 * steps >= len(one.lead)


def _count_words(lines: Iterable[AnsweringLine]) -> int:
    return sum(len(line.text.split()) for line in lines)
