"""Which expected question is asked, which lines are the answer then, and how they are read and said."""

import math
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.expected_questions.bank import AnsweredDocument, AnsweringLine, ExpectedQuestion
from wellsourced.expected_questions.matching import (
    MatchedQuestion,
    choose_answering_lines,
    list_answers,
    rate_unanswered,
)
from wellsourced.text.logistic import LogisticModel
from wellsourced.text.ranking import share_probability
from wellsourced.text.sentences import Span

GOUT, ASTHMA = AnsweredDocument("doi:gout", "0", "Gout"), AnsweredDocument("doi:asthma", "0", "Asthma")


def line(number: int, document: AnsweredDocument = GOUT, words: int = 5) -> AnsweringLine:
    return AnsweringLine(document, Span(100 * number, 100 * number + 50), "Flares", " ".join(["word"] * words))


def match(
    probability: float, *lead: AnsweringLine, also: tuple[AnsweringLine, ...] = (), is_answered: bool = True
) -> MatchedQuestion:
    return MatchedQuestion(ExpectedQuestion("?", lead, also, is_answered), probability)


def test_an_answer_grows_while_it_is_expected_to_agree_more_with_the_one_that_is_wanted() -> None:
    # F2 of one line with an answer of one line: 1; of two lines 5/6, of three 5/7.
    # One: .4 · 1 = .4; two: (.4 + .36) · 5/6 = .633; three: (.4 + .36 + .125) · 5/7 = .632, which is no more.
    found = choose_answering_lines(
        [match(0.4, line(1), also=(line(2),)), match(0.36, line(3)), match(0.125, line(4)), match(0.1, line(5))]
    )
    assert found
    assert found.lead == (line(1), line(3))
    assert found.also == (line(2), line(4))
    assert found.probability == pytest.approx(0.76 * 5 / 6)


def test_questions_with_one_answer_count_together() -> None:
    # Two lines, each .2 · 1; the other alone .3 · 1: together .4 against .3, and with it (.4 + .3) · 5/6 = .583.
    found = choose_answering_lines([match(0.3, line(1)), match(0.2, line(2)), match(0.2, line(2))])
    assert found
    assert (found.lead, found.probability) == ((line(2), line(1)), pytest.approx(0.7 * 5 / 6))
    apart = choose_answering_lines([match(0.3, line(1, words=60)), *[match(0.2, line(2, words=60))] * 2])
    assert apart
    assert (apart.lead, apart.also, apart.probability) == ((line(2, words=60),), (line(1, words=60),), 0.4)


def test_what_is_long_already_leads_alone_and_the_rest_stands_beside_it() -> None:
    found = choose_answering_lines([match(0.4, line(1, words=80)), match(0.39, line(2, words=20))])
    assert found
    assert (found.lead, found.also) == ((line(1, words=80),), (line(2, words=20),))


def test_another_guideline_answers_too_only_where_it_is_nearly_as_likely() -> None:
    near = choose_answering_lines([match(0.4, line(1)), match(0.3, line(1, ASTHMA))])
    far = choose_answering_lines([match(0.4, line(1)), match(0.2, line(1, ASTHMA))])
    assert near and far
    assert near.lead == (line(1), line(1, ASTHMA))
    assert (far.lead, far.also) == ((line(1),), ())


def test_near_misses_have_no_answer_and_say_how_likely_nothing_answers() -> None:
    missed = [match(0.5, line(1), is_answered=False), match(0.3, line(2)), match(0.1, line(3), is_answered=False)]
    found = choose_answering_lines(missed)
    assert found
    assert (found.lead, found.also, found.probability) == ((line(2),), (), 0.3)
    assert rate_unanswered(missed) == pytest.approx(0.6)
    assert choose_answering_lines(missed[:1]) is None


def test_every_line_of_a_match_is_told_once_with_its_part_best_first() -> None:
    drawn = [
        match(0.5, line(1), also=(line(2),)),
        match(0.3, line(4), is_answered=False),
        match(0.1, line(3), line(1)),
        match(0.02, line(5)),
    ]
    told = [(one.start, one.agreement) for one in list_answers(drawn)]
    # Of two lines one is wanted at .5, both at .1: .5 · 5/6 + .1 = .517; one alone .5 + .1 · 5/9 = .556.
    assert told == [
        (100, pytest.approx(0.556, abs=0.001)),
        (200, pytest.approx(0.556, abs=0.001)),
        (300, pytest.approx(0.556, abs=0.001)),
        (500, pytest.approx(0.02)),
        (400, 0.0),
    ]
    assert {(one.near_miss, one.document_id) for one in list_answers(drawn)} == {(0.3, "doi:gout")}
    assert list_answers([]) == ()


def test_what_is_unlikely_is_no_answer() -> None:
    assert choose_answering_lines([]) is None
    assert choose_answering_lines([match(0.09, line(1))]) is None


def test_none_of_them_is_a_choice_as_well() -> None:
    model = LogisticModel(weights={"a": 2.0}, intercept=-1.0)
    one, other = share_probability([model.log_odds({"a": value}) for value in (1.0, 0.5)])
    odds = (math.e, 1.0)
    assert one == pytest.approx(odds[0] / (sum(odds) + 1))
    assert other == pytest.approx(odds[1] / (sum(odds) + 1))
    assert share_probability([]) == []


@pytest.fixture
async def digests(guidelines: Path, home: Path) -> AsyncIterator[Context]:
    """A context that has the digests and their expected questions."""
    shutil.copytree(guidelines, home)
    async with config.open_context(config.load({"network.offline": True})) as context:
        yield context


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("How long DAPT after PCI for ACS?", "12 months"),
        ("May noradrenaline go through a peripheral vein in septic shock?", "peripher"),
    ],
)
async def test_a_question_in_other_words_finds_the_lines_that_answer(digests: Context, asked: str, says: str) -> None:
    assert digests.expected_questions
    found = await digests.expected_questions.match(asked, digests.sources)
    best = [one for one in found if one.agreement == found[0].agreement]
    texts = [(await digests.find_source(one.library).open(one.document_id)).text[one.start : one.end] for one in best]
    assert any(says in text for text in texts)


@pytest.mark.parametrize("asked", ["oral metoprolol dose for AF rate control", "IV magnesium per kg, asthma, aged six"])
async def test_a_near_miss_is_likelier_than_any_answer_and_its_lines_are_not_marked(
    digests: Context, asked: str
) -> None:
    assert digests.expected_questions
    assert all(one.near_miss > 0.5 for one in await digests.expected_questions.match(asked, digests.sources))
    answer = await ask(asked, digests)
    assert answer.head == "closest"
    assert not any(section.marked for section in answer.sections)


async def test_lines_that_answer_are_marked(digests: Context) -> None:
    answer = await ask(
        "How long should dual antiplatelet therapy be given after PCI for acute coronary syndrome?", digests
    )
    assert "recommended for 12 months" in answer.tldr


async def test_nobody_knows_expected_questions_where_words_alone_or_other_libraries_are_wanted(home: Path) -> None:
    async with config.open_context(config.load({"preset": "words", "network.offline": True})) as context:
        assert context.expected_questions is None
