"""Which of what is shown of a guideline is the short answer: the few units that decide, in few words.

What is shown keeps the source's paragraphs, and what answers is seldom all of one: it is a row, a branch, two items of
a list. Each unit is rated by how it takes up the question (`unit_weights.json`, by
benchmarks/fit_short_answer.py, eb43d2cc).
The best one leads, with what is nearly as good or has words of the question that it lacks, while all is short.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.question_profile import QuestionProfile
from wellsourced.claims.question_terms import has_word, read_words
from wellsourced.expected_questions.bank import AnsweringLine
from wellsourced.expected_questions.matching import MatchedQuestion, choose_answering_lines, rate_unanswered
from wellsourced.models import unit_features
from wellsourced.models.answerability import find_wanted_sorts
from wellsourced.models.unit_choice import GrowingAnswer, QuoteCandidate, join_choices, join_neighbours
from wellsourced.text.logistic import read_fitted
from wellsourced.text.passages import last_heading, words_under_title
from wellsourced.types import Question, Value

MAX_WORDS_OF_FIGURE = 45
"""Words of a short answer where a figure is asked for."""

MAX_WORDS = 65
"""Words of any other one, but for a list."""

MAX_LIST_WORDS = 110
"""Words of a list up to which all of it leads where a list is asked for."""

MAX_RATING_GAP = 1.5
"""How far below the best unit another one may be rated and lead with it."""

SAME_STATEMENT = 2.5
"""What is added to the rating of a unit of the best one's own statement: they belong together."""

NEW_WORDS = 1.0
"""What is added to it by words that ask and stand in no unit that leads yet, if it has them all."""


BESIDE = 4.0
"""What is taken from the rating of a unit that says what something is, where it is asked what is done about it, and of
one that begins with "After …", where it is asked what is done before."""

OTHER_WORK_SHARE = 0.9
"""Share of the telling words that the short answer has, which a statement of another work must have to be shown."""

DOING_TYPES = frozenset({"treatment", "prevention"})
DESCRIBING_TYPES = frozenset({"diagnosis", "cause", "signs", "outlook", "frequency", "target"})

_DESCRIBING_HEADING = re.compile(
    r"\b(?:definitions?|epidemiology|pathophysiology|overview|classification|severity (?:assessment|grading)"
    r"|risk factors)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|prior to|ahead of)\b|\bpre-", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|following|post)\b", re.IGNORECASE)


class ShortAnswerModel(Value):
    """weights · features rate a unit; `fitted_on` says on which questions, n of them."""

    weights: dict[str, float]
    fitted_on: str = ""
    n: int = 0

    def rate(self, features: Mapping[str, float]) -> float:
        """How well a unit would lead. Raises KeyError for a missing feature."""
        return math.fsum(weight * features[name] for name, weight in self.weights.items())

    def rate_units(
        self, units: Sequence[unit_features.ShownUnit], features: Sequence[Mapping[str, float]]
    ) -> list[float]:
        """How well each would lead.

        Where a figure of the question picks the best one of several branches or rows, nothing else leads with it but
        what is said with it or is for that figure, too.
        """
        ratings = [self.rate(one) for one in features]
        best = ratings.index(max(ratings))
        place = units[best].choice.passage.id
        # A figure of the question ("eGFR 25") picks one of several branches; a neighbour for another figure must not
        # lead with it.
        is_picked = features[best]["suits figures"] and any(
            row["suits not"] for one, row in zip(units, features, strict=True) if one.choice.passage.id == place
        )
        return [
            rating
            if not is_picked
            or row["suits figures"]
            or (not row["suits not"] and one.statement == units[best].statement)
            else -math.inf
            for one, row, rating in zip(units, features, ratings, strict=True)
        ]


@cache
def load_short_answer_model() -> ShortAnswerModel:
    """What comes with this package."""
    return read_fitted(ShortAnswerModel, "wellsourced.models", "unit_weights.json")


class ShownStatement(NamedTuple):
    """What becomes one statement, and whether it leads."""

    choice: QuoteCandidate
    leads: bool


def divide_at_short_answer(
    question: Question,
    asked: QuestionProfile,
    chosen: Sequence[QuoteCandidate],
    choices: Sequence[QuoteCandidate],
    most: int,
) -> list[ShownStatement]:
    """What is shown, best first, each candidate in two where only some of its units lead.

    chosen   what is shown, best first; the first is of a guideline
    choices  every unit, with its own score
    most     statements that may lead
    """
    things, units = unit_features.read_asked_things(question, asked), unit_features.list_shown_units(chosen, choices)
    model = load_short_answer_model()
    rated = model.rate_units(units, unit_features.describe_units(things, units))
    ratings = [
        one - BESIDE * (_is_beside(asked, unit) or _is_of_other_time(question.text, unit))
        for one, unit in zip(rated, units, strict=True)
    ]
    leading = select_leading_units(things, units, ratings, most) if most else []
    shown = [shown for number, one in enumerate(chosen) for shown in _divide(one, number, leading)]
    # After the units were chosen: what leads says how much of the question another work has to have.
    return _drop_distant_works(things, shown)


def _drop_distant_works(things: unit_features.AskedThings, shown: Sequence[ShownStatement]) -> list[ShownStatement]:
    """What is shown without what other works say that have less of the question than what leads: on heparin-induced
    thrombocytopenia, what a guideline on stroke says of heparin."""
    leads = [one.choice for one in shown if one.leads]
    works = {one.passage.reference.id for one in leads}
    least = OTHER_WORK_SHARE * max((_cover(things, one) for one in leads), default=0.0)
    return [
        one
        for one in shown
        if not works or one.choice.passage.reference.id in works or _cover(things, one.choice) >= least
    ]


def _cover(things: unit_features.AskedThings, choice: QuoteCandidate) -> float:
    """The share of the question's telling words that a candidate has under its titles."""
    return unit_features.cover_words(things.words, read_words(words_under_title(choice.passage, choice.unit.text)))


def _is_beside(asked: QuestionProfile, unit: unit_features.ShownUnit) -> bool:
    """Whether a unit says what something is, by its heading, where it is asked what is done about it."""
    kinds = {need.name for need in asked.types}
    asks_to_do = bool(kinds & DOING_TYPES) and not kinds & DESCRIBING_TYPES and not asked.is_definition
    return asks_to_do and _DESCRIBING_HEADING.search(last_heading(unit.choice.passage.section)) is not None


def _is_of_other_time(question: str, unit: unit_features.ShownUnit) -> bool:
    """Whether what a unit begins with says "after", where it is asked what is done before, or the other way."""
    begins, colon, _ = unit.unit.own_text.partition(":")
    asked, said = ((_BEFORE.search(text) is not None, _AFTER.search(text) is not None) for text in (question, begins))
    # Only where each side speaks of one time: "before and after surgery" is asked of both.
    return bool(colon) and sum(asked) == sum(said) == 1 and asked != said


def _divide(
    choice: QuoteCandidate, number: int, leading: Sequence[unit_features.ShownUnit]
) -> Iterator[ShownStatement]:
    own = [one.unit for one in leading if one.statement == number]
    rest = [part for part in choice.parts or (choice.unit,) if part not in own]
    for parts, leads in ((own, True), (rest, False)):
        if parts:
            yield ShownStatement(join_choices([choice._replace(unit=part) for part in parts]), leads)


def select_leading_units(
    things: unit_features.AskedThings, units: Sequence[unit_features.ShownUnit], ratings: Sequence[float], most: int
) -> list[unit_features.ShownUnit]:
    """The units of the short answer, from the ratings of all that are shown; of at most so many statements."""
    best = max(range(len(units)), key=lambda number: (ratings[number], -number))
    siblings = [one for one in units if one.statement == units[best].statement]
    asks_list = unit_features.asks_for_list(things.question)
    is_list = asks_list and units[best].unit.layout in unit_features.LIST_LAYOUTS
    # Whoever asks for a list wants all of it; half a list would read as a whole one.
    if is_list and sum(len(one.unit.own_text.split()) for one in siblings) <= MAX_LIST_WORDS:
        return siblings
    is_of_figure = bool(find_wanted_sorts(things.question)) and not asks_list
    growing = _GrowingLead(things, MAX_WORDS_OF_FIGURE if is_of_figure else MAX_WORDS, most)
    growing.add(units[best])
    while True:
        rated = {
            number: ratings[number] - ratings[best] + growing.rate_addition(one)
            for number, one in enumerate(units)
            if growing.has_room(one)
        }
        number = max(rated, key=lambda number: (rated[number], -number), default=best)
        # No room for more, or nothing that comes near the best: the short answer stays short.
        if number == best or rated[number] < -MAX_RATING_GAP:
            return growing.units
        growing.add(units[number])


class _GrowingLead:
    """The units that lead so far, the words that they take, and what of the question they have."""

    def __init__(self, things: unit_features.AskedThings, most_words: int, most_statements: int) -> None:
        self.units: list[unit_features.ShownUnit] = []
        self._things = things
        self._every = math.fsum(word.rarity for word in things.clause) or 1.0
        self._had: set[str] = set()
        self._room, self._most = most_words, most_statements

    def add(self, one: unit_features.ShownUnit) -> None:
        """Take a unit, whether there is room for it or not."""
        self._room -= self._count_words(one)
        self.units.append(one)
        text = read_words(one.unit.text)
        self._had |= {word.stem for word in self._things.clause if has_word(text, word)}

    def has_room(self, one: unit_features.ShownUnit) -> bool:
        """Whether a unit is not there yet, and short enough, of a statement that leads already or that may."""
        statements = {other.statement for other in self.units}
        is_new = one not in self.units
        return (
            is_new
            and self._count_words(one) <= self._room
            and (one.statement in statements or len(statements) < self._most)
        )

    def rate_addition(self, one: unit_features.ShownUnit) -> float:
        """What a unit adds to what is there."""
        text = read_words(one.unit.text)
        new = math.fsum(
            word.rarity for word in self._things.clause if word.stem not in self._had and has_word(text, word)
        )
        return NEW_WORDS * new / self._every + SAME_STATEMENT * (one.statement == self.units[0].statement)

    def _count_words(self, one: unit_features.ShownUnit) -> int:
        """Lines that a unit stands under are said once."""
        above = one.unit.spans[: one.unit.context]
        # Lines that a unit stands under are shown once for all units under them, and counted once.
        is_said = any(
            other.choice.passage.id == one.choice.passage.id and other.unit.spans[: other.unit.context] == above
            for other in self.units
        )
        return len((one.unit.own_text if is_said else one.unit.text).split())


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
    # A unit that ends with "or" goes on in the next one: the alternatives of an answer belong to it.
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
