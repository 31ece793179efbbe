"""Which of the expected questions somebody asks, by meaning, words, names and figures, weighed; and which lines answer.

The probability is that of a choice among the nearest and none of them (a conditional logit).
`match_weights.json` is written by wellsourced_evaluate/fitting/match_weights.py (bdac1cd3) and by nobody's hand.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from operator import itemgetter
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.encoders.base import Encoder
from wellsourced.errors import SourceError, UnreadableFile
from wellsourced.expected_questions.bank import (
    FOLDER,
    AnsweringLine,
    ExpectedQuestion,
    NearRow,
    QuestionBank,
    find_lines,
)
from wellsourced.question.requested_quantity import (
    RequestedQuantity,
    detect_requested_quantities,
    find_sections_on_other_values,
    has_asked_figure,
    question_values,
)
from wellsourced.question.required_entities import RequiredEntity, find_required_entities, list_missing_terms
from wellsourced.question.terms import (
    QuestionTerm,
    TextWords,
    has_word,
    list_asked_words,
    list_terms,
    read_words,
    weigh_coverage,
)
from wellsourced.text.logistic import LogisticModel, read_fitted
from wellsourced.text.ranking import share_probability
from wellsourced.types import Document, Question
from wellsourced.worker_pool import run_in_worker

NEAREST = 50
"""Expected questions, the nearest by meaning, that are weighed."""

MIN_PROBABILITY = 0.005
"""Of a question that is told: below, it is hardly ever what was asked."""

MAX_LIKENESS_GAP = 5.0
"""How far the log of its odds may be behind the likeliest by meaning alone: words hardly ever make up for more. Of 150
questions those that are further behind have .003 of the probability together, and are two fifths of the nearest."""

AGREEMENT_SLOPE = 5.0
"""How fast another question with the same answer counts less, the further it is behind."""

OTHER_VALUE = 0.5
"""What a figure of the expected question that was not given takes from those that were."""


class MatchedQuestion(NamedTuple):
    """An expected question, and the probability that its lines answer what is asked."""

    expected: ExpectedQuestion
    probability: float


def rate_unanswered(matches: Sequence[MatchedQuestion]) -> float:
    """The probability that what is asked is a near miss: something that no guideline says, beside what one does."""
    return math.fsum(one.probability for one in matches if not one.expected.is_answered)


@cache
def load_match_model() -> LogisticModel:
    """What comes with this package: the log of the odds of a question to none of those that are near."""
    return read_fitted(LogisticModel, FOLDER, "match_weights.json")


class NearQuestion(NamedTuple):
    """An expected question that is near, by the cosines of what is asked with it and with the lines that answer it."""

    expected: ExpectedQuestion
    by_question: float
    by_lead: float

    @property
    def likeness(self) -> float:
        """Both together."""
        return self.by_question + self.by_lead


class ExpectedAnswer(NamedTuple):
    """A line that answers a question which was expected, and may be what is asked.

    question      as it was expected; its likeliest, where several have this line
    start, end    of the line, in the text of its document
    agreement     how far the answer that it belongs to is expected to agree with the one that is wanted, from 0 to 1
    near_miss     probability that what is asked is a near miss: no library answers it, though one has words nearby
    """

    question: str
    library: str
    document_id: str
    start: int
    end: int
    agreement: float
    near_miss: float


@runtime_checkable
class QuestionedLibrary(Protocol):
    """A library that may have expected questions."""

    @property
    def name(self) -> str: ...

    def load_expected_questions(self) -> QuestionBank | None: ...

    async def open(self, document_id: str) -> Document: ...


class AnswerMatcher:
    """Finds the lines of libraries that answer the expected questions which are asked.

    encoder   the one that the questions' vectors are of
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    async def match(self, question: Question | str, libraries: Sequence[object]) -> tuple[ExpectedAnswer, ...]:
        """The lines, best first; of what is no library, and of libraries without expected questions, nothing.

        Lines whose words are others today are left out. Where a near miss is asked, its nearest lines come last.
        """
        asked = Question(text=question) if isinstance(question, str) else question
        near: list[NearQuestion] = []
        for library in (one for one in libraries if isinstance(one, QuestionedLibrary)):
            # Questions that cannot be read, and those to a document that is gone or damaged, keep no other from being
            # found: `wellsourced library list NAME` tells of them.
            with suppress(UnreadableFile):
                rows = await run_in_worker(self._find_near_rows, asked, library)
                documents: dict[str, Document] = {}
                for id in {row.row.document for row in rows}:
                    with suppress(SourceError):
                        documents[id] = await library.open(id)
                near += place_rows(rows, documents, library.name)
        return list_answers(await run_in_worker(rate_matches, asked, near))

    def _find_near_rows(self, question: Question, library: QuestionedLibrary) -> list[NearRow]:
        return find_near_rows(question, library.load_expected_questions(), self.encoder)


def find_near_rows(question: Question, bank: QuestionBank | None, encoder: Encoder) -> list[NearRow]:
    """The expected questions of a library that are nearest to what is asked, nearest first."""
    return bank.find_nearest(encoder.encode(list(question.wordings), "query"), NEAREST) if bank else []


def place_rows(rows: Sequence[NearRow], documents: Mapping[str, Document], library: str) -> list[NearQuestion]:
    """Those whose lines read in these documents as they did."""
    placed = ((row, documents.get(row.row.document)) for row in rows)
    found = ((row, find_lines(row.row, document, library)) for row, document in placed if document)
    return [NearQuestion(expected, row.by_question, row.by_lead) for row, expected in found if expected]


def rate_matches(question: Question, near: Sequence[NearQuestion]) -> list[MatchedQuestion]:
    """The nearest, with a probability of MIN_PROBABILITY and more, the likeliest first."""
    nearest = sorted(near, key=lambda one: -one.likeness)[:NEAREST]
    sections = [{(line.document.id, line.section) for line in one.expected.lead} for one in nearest]
    # A whole answer may stand in sections on other values than the question gives, where one beside holds.
    others = find_sections_on_other_values(question_values(question.text), set().union(*sections))
    fitting = [one for one, own in zip(nearest, sections, strict=True) if not own <= others]
    model, likenesses = load_match_model(), [_describe_likeness(one, fitting) for one in fitting]
    rated = [model.weigh(features) for features in likenesses]
    least = max(rated, default=0.0) - MAX_LIKENESS_GAP
    # Words are only read of those that can still be what is asked: it takes a millisecond each.
    asked = read_asked(question)
    described = [
        (one, {**features, **_describe_words(asked, one.expected)})
        for one, features, rating in zip(fitting, likenesses, rated, strict=True)
        if rating >= least
    ]
    chances = share_probability([model.log_odds(features) for _, features in described])
    found = [MatchedQuestion(one.expected, chance) for (one, _), chance in zip(described, chances, strict=True)]
    return sorted((one for one in found if one.probability >= MIN_PROBABILITY), key=lambda one: -one.probability)


def list_answers(matches: Sequence[MatchedQuestion]) -> tuple[ExpectedAnswer, ...]:
    """The lines of matches, each once, best first.

    matches  the likeliest first
    """
    near_miss, chosen = rate_unanswered(matches), choose_answering_lines(matches)
    answered = [match for match in matches if match.expected.is_answered]
    found: dict[AnsweringLine, ExpectedAnswer] = {}

    def add(lines: Iterable[AnsweringLine], agreement: float) -> None:
        for line in lines:
            likeliest = next(one for one in matches if line in (*one.expected.lead, *one.expected.also))
            place = (line.document.library, line.document.id, *line.span)
            found.setdefault(line, ExpectedAnswer(likeliest.expected.text, *place, agreement, near_miss))

    if chosen:
        add((*chosen.lead, *chosen.also), chosen.probability)
    rated = ((_rate_answer(one.expected.lead, answered), one.expected.lead) for one in answered)
    for agreement, lead in sorted(rated, key=lambda one: -one[0]):
        add(lead, agreement)
    for match in matches:
        add(match.expected.lead, 0.0)
    return tuple(found.values())


def _describe_likeness(one: NearQuestion, near: Sequence[NearQuestion]) -> dict[str, float]:
    """The features of an expected question for which no word of it is read.

    near  all that are near, nearest first
    """
    return {
        "question likeness": one.by_question,
        "lead likeness": one.by_lead,
        "behind": near[0].likeness - one.likeness,
        "agreement": _rate_agreement(one, near),
        "near miss": float(not one.expected.is_answered),
    }


def _rate_agreement(one: NearQuestion, near: Sequence[NearQuestion]) -> float:
    """How many other questions as near are answered by a line of its answer."""
    own = set(one.expected.lead) if one.expected.is_answered else set()
    others = (
        other
        for other in near
        if other is not one and other.expected.is_answered and own.intersection(other.expected.lead)
    )
    return math.log1p(math.fsum(math.exp(AGREEMENT_SLOPE * (other.likeness - one.likeness)) for other in others))


class AskedWords(NamedTuple):
    """What was read of a question, to be held against those that are expected: names, sorts of figures and values."""

    words: Sequence[QuestionTerm]
    wordings: TextWords
    terms: Sequence[RequiredEntity]
    quantities: Sequence[RequestedQuantity]
    values: frozenset[float]


def read_asked(question: Question) -> AskedWords:
    """Read what is asked, once."""
    return AskedWords(
        list_asked_words(question),
        read_words(" ".join(question.wordings)),
        find_required_entities(question),
        detect_requested_quantities(question.text),
        frozenset(question_values(question.text)),
    )


def _describe_words(asked: AskedWords, expected: ExpectedQuestion) -> dict[str, float]:
    """The features of an expected question for which it is read, with its answer."""
    whole = expected.answered_text
    there, own, values = read_words(whole), list_terms(expected.text), _list_own_values(expected.text)
    has_figure = has_asked_figure(asked.quantities, expected.lead_text)
    return {
        "words": weigh_coverage(asked.words, [has_word(there, word) for word in asked.words]),
        "its words": weigh_coverage(own, [has_word(asked.wordings, word) for word in own]),
        "missing names": float(len(list_missing_terms(asked.terms, whole))),
        "figure": (1.0 if has_figure else -1.0) if asked.quantities else 0.0,
        "values": len(asked.values & values) - OTHER_VALUE * len(values - asked.values),
    }


@lru_cache(maxsize=8192)
def _list_own_values(text: str) -> frozenset[float]:
    return frozenset(question_values(text))


# The lines that answer: several expected questions may be what is asked, and their answers share lines.
#
# That answer is given which is expected to agree best with the one that is wanted: the mean of its F2 with the answers
# of all, each as likely as its question (minimum Bayes risk; what is wanted and not said counts more than what is said
# and not wanted).


MIN_AGREEMENT = 0.15
"""Agreement with what is wanted from which lines are the answer."""

RECALL_WEIGHT = 2.0
"""Beta of the F-measure: how much more it counts that a wanted line is said than that one which is said is wanted."""

BESIDE_SHARE = 0.3
"""Share of the best answer's agreement from which another one is part of the answer, or belongs beside it."""

OTHER_DOCUMENT_SHARE = 0.6
"""The same share of one of another document: two guidelines on one disease."""

MAX_LEAD_WORDS = 90
"""Words of an answer to which no more are added."""


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


def choose_answering_lines(matches: Sequence[MatchedQuestion]) -> AnsweringLines | None:
    """The answer that agrees best with what may be wanted, and grows while that agreement does; None where it is low.

    matches  the likeliest first; near misses among them have no answer
    """
    answered = [one for one in matches if one.expected.is_answered]
    rated = [(_rate_answer(one.expected.lead, answered), one.expected) for one in answered]
    if not rated:
        return None
    agreement, best = max(rated, key=itemgetter(0))
    # The answers that agree nearly as well as the best: they may be part of the first, and else stand beside it.
    shares = {True: BESIDE_SHARE, False: OTHER_DOCUMENT_SHARE}
    near = [one for rate, one in rated if rate >= shares[one.document == best.document] * agreement]
    lead, chosen = dict.fromkeys(best.lead), [best]
    while True:
        together = [{**lead, **dict.fromkeys(one.lead)} for one in near]
        longer = [
            (_rate_answer(lines, answered), lines, one)
            for lines, one in zip(together, near, strict=True)
            if len(lines) > len(lead) and sum(len(line.text.split()) for line in lines) <= MAX_LEAD_WORDS
        ]
        rate, lines, added = max(longer, key=itemgetter(0), default=(0.0, lead, best))
        if rate <= agreement:
            break
        agreement, lead, chosen = rate, lines, [*chosen, added]
    if agreement < MIN_AGREEMENT:
        return None
    beside = dict.fromkeys(line for one in chosen for line in one.also)
    beside |= dict.fromkeys(line for one in near for line in one.lead)
    also = tuple(line for line in beside if line not in lead)
    return AnsweringLines(tuple(lead), also, min(1.0, agreement), tuple(one.text for one in chosen))


def _rate_answer(lines: Iterable[AnsweringLine], matches: Sequence[MatchedQuestion]) -> float:
    """The F2 of these lines with the answer that is wanted, as it is to be expected."""
    said, most = set(lines), RECALL_WEIGHT**2
    return math.fsum(
        one.probability
        * (1 + most)
        * len(said.intersection(one.expected.lead))
        / (len(said) + most * len(one.expected.lead))
        for one in matches
    )
