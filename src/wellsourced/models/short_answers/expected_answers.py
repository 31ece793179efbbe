"""Of the units that may be said, those that answer an expected question which is what somebody asks."""

import re
from collections.abc import Iterator, Sequence

from wellsourced.expected_questions.answering_lines import choose_answering_lines
from wellsourced.expected_questions.bank import AnsweringLine
from wellsourced.expected_questions.matching import MatchedQuestion, rate_unanswered
from wellsourced.models.short_answers.unit_selection import ShownStatement
from wellsourced.models.unit_choice import GrowingAnswer, QuoteCandidate, join_neighbours

_GOES_ON = re.compile(r"\b(?:or|and|plus)\W*$", re.IGNORECASE)

MIN_OVERLAP = 0.5
"""Share of the shorter one, a unit or a line, that both have in common when the unit is of the line."""


def mark_expected(choices: Sequence[QuoteCandidate], matches: Sequence[MatchedQuestion]) -> list[QuoteCandidate]:
    """The candidates; of those that lie in the lines of a match it is known that they answer, or belong beside that."""
    lines, near_miss = choose_answering_lines(matches), rate_unanswered(matches)
    choices = [one._replace(near_miss=near_miss) for one in choices] if near_miss else list(choices)
    if lines is None:
        return choices
    return [
        one._replace(answers=lines.probability, expected=lines.questions, is_beside=not _lies_in(one, lines.lead))
        if _lies_in(one, (*lines.lead, *lines.also))
        else one
        for one in choices
    ]


def _lies_in(choice: QuoteCandidate, lines: Sequence[AnsweringLine]) -> bool:
    own = choice.unit.spans[choice.unit.context :]
    start, end = choice.passage.start + own[0].start, choice.passage.start + own[-1].end
    return any(
        min(end, line.end) - max(start, line.start) > MIN_OVERLAP * min(end - start, line.end - line.start)
        for line in (one.span for one in lines if one.document.id == choice.passage.reference.id)
    )


def choose_expected(choices: Sequence[QuoteCandidate], deciding: QuoteCandidate | None = None) -> list[ShownStatement]:
    """What answers, and what belongs beside it, as far as the words reach; [] where nothing is known to answer.

    deciding  the unit that says yes or no: it leads alone
    """
    lead = [one for one in choices if one.answers and not one.is_beside]
    if not lead:
        return []
    lead += _list_continuations(lead, choices)
    answer = GrowingAnswer()
    answer.add([deciding] if deciding else list(_order(lead)))
    leading = list(answer.chosen)
    answer.add(list(_order(lead)) if deciding else [])
    answer.add(list(_order([one for one in choices if one.is_beside])))
    beside = [one for one in answer.chosen if one not in leading]
    return [
        *(ShownStatement(one, True) for one in join_neighbours(leading)),
        *(ShownStatement(one, False) for one in join_neighbours(beside)),
    ]


def _list_continuations(lead: Sequence[QuoteCandidate], choices: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """What follows on a unit that ends with "or": the alternatives of an answer belong to it."""
    found: list[QuoteCandidate] = []
    open_ends = [one for one in lead if _GOES_ON.search(one.unit.own_text)]
    while open_ends:
        last = open_ends.pop()
        after = (
            one
            for one in choices
            if one.passage.id == last.passage.id
            and one.unit.spans[: one.unit.context] == last.unit.spans[: last.unit.context]
            and one.unit.spans[-1].start > last.unit.spans[-1].start
        )
        following = min(after, key=lambda one: one.unit.spans[-1].start, default=None)
        if following and following not in lead and following not in found:
            found.append(following)
            open_ends += [following] if _GOES_ON.search(following.unit.own_text) else []
    return found


def _order(choices: Sequence[QuoteCandidate]) -> Iterator[QuoteCandidate]:
    """As they stand in their documents, that of the best one first, each place once: passages overlap."""
    documents = list(dict.fromkeys(one.passage.reference.id for one in choices))

    def find_place(one: QuoteCandidate) -> tuple[int, int, int]:
        own = one.unit.spans[one.unit.context :]
        start = one.passage.start
        return documents.index(one.passage.reference.id), start + own[0].start, start + own[-1].end

    seen: set[tuple[int, int, int]] = set()
    for one in sorted(choices, key=lambda one: (find_place(one), -len(one.passage.text))):
        place = find_place(one)
        if place not in seen:
            seen.add(place)
            yield one
