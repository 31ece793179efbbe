"""How likely a section of a guideline answers: what it names and has of the question, how its units are judged."""

import math

import pytest

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.claims.question_profile import QuestionProfile, read_question
from wellsourced.judges.base import load_calibration
from wellsourced.judges.overlap import OverlapJudge
from wellsourced.pipeline.read.evidence_selection import add_best_quotes, find_places, select_telling_units
from wellsourced.pipeline.read.section_relevance import (
    MARGIN,
    JudgedSection,
    JudgedUnit,
    describe_section,
    describe_sections,
    load_section_model,
    score_sections,
)
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.text.logistic import log_odds
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Evidence, Passage, Question, Reference

JUDGE = OverlapJudge(load_calibration("relevance", "overlap"))
GUIDELINE = Reference(id="g", title="Gout Guideline", kind="guideline")
DOSING = "Give colchicine 1.2 mg by mouth at the first sign of a flare."
PREGNANCY = "Colchicine is contraindicated in pregnancy."


def passage(text: str, section: str, start: int = 0) -> Passage:
    return Passage(reference=GUIDELINE, text=text, start=start, end=start + len(text), section=section)


def section(text: str, title: str, score: float = 0.5, place: int = 0) -> JudgedSection:
    made = passage(text, title)
    return JudgedSection(made, [JudgedUnit(unit, score) for unit in find_quotable_spans(made)], place)


def asked(text: str) -> QuestionProfile:
    return read_question(Question(text=text))


def described(question: str, text: str, title: str = "Gout › Flares") -> dict[str, float]:
    return describe_section(asked(question), section(text, title), 0.5)


@each_row(
    ("question", "feature", "count"),
    [
        ("What dose of colchicine for a flare?", "missing names", 0),
        ("What dose of prednisolone for a flare?", "missing names", 1),
        ("What dose of colchicine in pregnancy?", "missing people", 1),
        ("What is the half-life of colchicine?", "missing others", 1),
        ("What dose of colchicine for a flare?", "figure", 1),
        ("How often is colchicine given?", "figure", -1),
        ("What helps in a flare?", "figure", 0),
    ],
)
def test_what_is_asked_for_and_lacking_is_counted(question: str, feature: str, count: int) -> None:
    assert described(question, DOSING)[feature] == count


def test_advice_against_counts_where_it_is_asked_who_must_not_have_it() -> None:
    assert described("Who should not be given colchicine?", PREGNANCY)["advice against"] == 1
    assert described("Who should not be given colchicine?", DOSING)["advice against"] == 0
    assert described("What dose of colchicine?", PREGNANCY)["advice against"] == 0


def test_the_model_weighs_just_what_is_described() -> None:
    assert set(load_section_model().weights) == set(described("What dose of colchicine?", DOSING))


async def test_a_section_on_what_is_asked_is_likelier_than_one_beside_it_and_all_are_probabilities() -> None:
    both = [
        section(DOSING, "Gout › Flares"),
        section("Eat less meat, and drink less beer on every day of the week.", "Gout › Diet", 0.1, place=9),
    ]
    scores = await score_sections(asked("What dose of colchicine for a flare?"), both, JUDGE)
    assert 0 < scores[1] < scores[0] < 1
    assert await describe_sections(asked("What?"), [], JUDGE) == []


async def test_a_later_place_among_what_was_found_makes_it_less_likely() -> None:
    question = asked("What dose of colchicine for a flare?")
    first, last = (section(DOSING, "Gout › Flares", place=place) for place in (0, 40))
    scores = await score_sections(question, [first, last], JUDGE)
    assert scores[0] > scores[1]


async def test_a_section_that_has_nothing_to_quote_does_not_answer() -> None:
    empty = Evidence(passage=passage("---", "Gout › Dosing"), relevance=0.9)
    (item,) = await add_best_quotes(Question(text="What dose of colchicine?"), [empty], JUDGE)
    assert item.relevance == 0


def test_a_passage_is_shown_by_its_best_sentences_and_not_by_a_fragment_that_its_headings_lift() -> None:
    made = passage(
        "No titration needed.\n\nGive colchicine at the first sign of a flare. Ice helps many people with it too.",
        "Gout",
    )
    scores = {"No titration needed.": 0.9, "Give colchicine at the first sign of a flare.": 0.8}
    units = [JudgedUnit(unit, scores.get(unit.own_text, 0.1)) for unit in find_quotable_spans(made)]
    units.sort(key=lambda one: -one.score)
    told = select_telling_units(units)
    assert [one.unit.own_text for one in told] == ["Give colchicine at the first sign of a flare."]


def test_where_no_sentence_comes_near_the_best_unit_shows_it() -> None:
    made = passage("No titration needed.\n\nIce helps many people who have it too.", "Gout")
    units = [JudgedUnit(unit, 0.9 if "titration" in unit.text else 0.1) for unit in find_quotable_spans(made)]
    units.sort(key=lambda one: -one.score)
    assert select_telling_units(units) == units[:1]


def test_a_section_stands_where_its_best_passage_was_found() -> None:
    whole = document("d", "One sentence stands here. Another one follows. A third one ends it.")
    (part,) = passages(whole)
    inside = part.model_copy(update={"start": 26, "text": whole.text[26:], "end": len(whole.text)})
    other = passages(document("e", "Something else."))[0]
    found = [Candidate(one, "source") for one in (other, inside, inside)]
    assert find_places(found, [Evidence(passage=part, relevance=0.5)]) == {part.id: 1}


def test_log_odds_are_finite_at_the_ends() -> None:
    assert log_odds(0.5, MARGIN) == 0
    assert log_odds(1, MARGIN) == pytest.approx(-log_odds(0, MARGIN)) == pytest.approx(math.log(9999), abs=0.01)
