"""Which expected question is asked, which lines are the answer then, and how they are read and said."""

import math
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.tables import each_row
from tests.world import GUIDELINE, document, passages, source
from tests.world import context as build_context
from wellsourced import config
from wellsourced.api import ask
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import AnsweredDocument, AnsweringLine, ExpectedQuestion
from wellsourced.expected_questions.matching import (
    MatchedQuestion,
    QuestionMatcher,
    choose_answering_lines,
    rate_unanswered,
)
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.pipeline.read.guideline_sections import ExpectedSections, boost_expected, read_expected_sections
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.text.logistic import LogisticModel
from wellsourced.text.ranking import share_probability
from wellsourced.text.sentences import Span
from wellsourced.types import Evidence, Question

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
    assert ExpectedSections(missed[:1]).hashes == {}


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


@each_row(
    ("asked", "says"),
    [
        ("How long DAPT after PCI for ACS?", "12 months"),
        ("May noradrenaline go through a peripheral vein in septic shock?", "peripher"),
        ("pentobarb load and infusion for refractory ICP", "10 mg/kg"),
    ],
)
def test_a_question_in_other_words_finds_the_lines_that_answer(asked: str, says: str) -> None:
    found = choose_answering_lines(QuestionMatcher(MiniLM()).match(Question(text=asked)))
    assert found and any(says in line.text for line in found.lead)


def test_what_is_given_at_other_values_is_no_answer_where_a_section_beside_is_for_the_given_one() -> None:
    asked = "72M CAP, CURB-65 3, penicillin anaphylaxis, which antibiotics?"
    sections = {
        line.section
        for one in QuestionMatcher(MiniLM()).match(Question(text=asked))
        if one.expected.is_answered
        for line in one.expected.lead[:1]
        if len(one.expected.lead) == 1
    }
    assert not any("CURB-65 0–1" in section or "CURB-65 2," in section for section in sections)
    assert any("CURB-65 3–5" in section for section in sections)


@each_row("asked", ["oral metoprolol dose for AF rate control", "IV magnesium per kg, asthma, aged six"])
def test_a_near_miss_is_likelier_than_any_answer(asked: str) -> None:
    matches = QuestionMatcher(MiniLM()).match(Question(text=asked))
    assert rate_unanswered(matches) > 0.5
    assert sum(one.probability for one in matches if one.expected.is_answered) < 0.5


async def test_lines_that_answer_lead_where_likeness_alone_leads_with_others(guidelines: Path, home: Path) -> None:
    shutil.copytree(guidelines, home)
    question = "How long should dual antiplatelet therapy be given after PCI for acute coronary syndrome?"
    async with config.open_context(config.load({"network.offline": True})) as context:
        answer = await ask(question, context)
        alone = replace(context, expected_questions=None, model=ExtractiveModel(context.relevance_judge))
        without = await ask(question, alone)
    passages = {item.passage.id: item.passage.text for item in answer.evidence}
    assert all(one.quote in passages[one.passage_id] for said in answer.statements for one in said.citations)
    said, before = (" ".join(one.text for one in some.statements if one.lead) for some in (answer, without))
    assert "Default: 12 months of DAPT after ACS event" in said
    assert "12 months of DAPT" not in before


async def test_nobody_knows_expected_questions_where_words_alone_or_other_libraries_are_wanted(home: Path) -> None:
    async with config.open_context(config.load({"preset": "words", "network.offline": True})) as context:
        assert context.expected_questions is None


@each_row(("changed", "texts"), [(False, ["Colchicine 1.2 mg at once, then 0.6 mg an hour later."]), (True, [])])
async def test_a_section_that_answers_is_read_unless_its_digest_has_changed(changed: bool, texts: list[str]) -> None:
    text = "Colchicine 1.2 mg at once, then 0.6 mg an hour later."
    known = GOUT._replace(sha256=sha256(text.encode()).hexdigest()[:16])
    answering = AnsweringLine(known, Span(0, len(text)), "Flares", text)
    digest = document(GOUT.id, f"{text} Or so." if changed else text, kind="guideline")
    found = Candidate(passages(GUIDELINE)[0], "digests")
    context = build_context(source("digests", digest, GUIDELINE, kind="guideline"))
    expected = ExpectedSections([match(0.4, answering)])
    read = await read_expected_sections(expected, [found], [], context)
    assert [item.passage.text for item, _ in read] == texts
    assert all(item.relevance == 0.4 for item, _ in read)


async def test_alternatives_of_an_answer_are_all_said_and_a_disease_as_a_whole_by_its_chapters(
    guidelines: Path, home: Path
) -> None:
    shutil.copytree(guidelines, home)
    async with config.open_context(config.load({"network.offline": True})) as context:
        one = await ask("What is the first-line antibiotic for community-acquired pneumonia in adults?", context)
        all_of_it = await ask("How is gout treated?", context)
    said, chapters = (" ".join(part.text for part in answer.statements if part.lead) for answer in (one, all_of_it))
    assert all(drug in said for drug in ("Amoxicillin", "Doxycycline", "Azithromycin"))
    assert "Allopurinol" in chapters and "gout flares" in chapters


async def test_what_is_cited_of_a_digest_that_contradicts_itself_is_shown_with_the_other_line(
    guidelines: Path, home: Path
) -> None:
    shutil.copytree(guidelines, home)
    async with config.open_context(config.load({"network.offline": True})) as context:
        answer = await ask("NEWS2 scale 2, sats 93% on 2 litres, how many points?", context)
    quotes = " ".join(side.quote for conflict in answer.conflicts for side in conflict.sides)
    assert "93–94% on supplemental O₂ scores 1" in quotes and "≤ 83" in quotes
    assert not {side.passage_id for one in answer.conflicts for side in one.sides} & {
        item.passage.id for item in answer.uncited_evidence
    }


def test_what_was_expected_and_what_was_judged_make_a_section_likelier_together() -> None:
    expected = ExpectedSections([match(0.5, AnsweringLine(GOUT, Span(0, 10), "Flares", "x"))])
    found = passages(document(GOUT.id, "Colchicine 1.2 mg at once.", kind="guideline"), GUIDELINE)
    shown = [Evidence(passage=one, relevance=chance) for one, chance in zip(found, (0.2, 0.55), strict=True)]
    best, other = boost_expected(shown, expected)
    assert (best.passage.reference.id, best.relevance) == (GOUT.id, pytest.approx(1 - 0.8 * 0.5))
    assert other.relevance == 0.55
    silent = [one.model_copy(update={"relevance": 0.0}) for one in shown]
    assert {one.relevance for one in boost_expected(silent, expected)} == {0.0}
