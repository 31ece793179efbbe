"""Danger in words that no rule foresaw is sensed; who asks about medicine or the past is not alarmed."""

import asyncio
import gzip
import json
import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.samples import a_tenth
from tests.tables import each_row
from tests.text.labelled import Asked, emergencies
from wellsourced.encoders.base import Role, Vectors
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.errors import ModelError
from wellsourced.medicine.emergencies import detect_emergency
from wellsourced.pipeline.frame.emergency_model import (
    ADVICE,
    EMERGENCY_KIND,
    POISON_ADVICE,
    SUICIDE_ADVICE,
    ModelEmergencyDetector,
    choose_advice,
    load_classifier,
    split_text,
)
from wellsourced.question.understanding import EmergencyDetector, RuleEmergencyDetector

QA = Path(__file__).parents[4] / "shared" / "data" / "qa"

UNFORESEEN = "grandad's lips are a funny colour and his heart is going like mad, he nearly went down when he stood up"


class Broken(MiniLM):
    """MiniLM whose weights are not there."""

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        raise ModelError("The file of the weights is gone. Install it again.")


@pytest.fixture(scope="module")
def alarm() -> ModelEmergencyDetector:
    return ModelEmergencyDetector(CachedEncoder(MiniLM()))


def senses(alarm: EmergencyDetector, asked: Sequence[Asked]) -> list[bool]:
    async def each() -> list[bool]:
        return [await alarm.detect(one.text) is not None for one in asked]

    return asyncio.run(each())


async def test_danger_that_no_rule_foresaw_is_sensed(alarm: ModelEmergencyDetector) -> None:
    assert detect_emergency(UNFORESEEN) is None
    found = await alarm.detect(UNFORESEEN)
    assert found is not None
    assert (found.kind, found.signs, found.advice) == (EMERGENCY_KIND, (UNFORESEEN,), ADVICE)


async def test_vague_words_are_no_sign_of_danger(alarm: ModelEmergencyDetector) -> None:
    for vague in ("what now?", "What should I do?", "What can I do now?", "Please help, what next?"):
        assert await alarm.detect(vague) is None, vague


async def test_a_patient_summed_up_for_a_clinician_raises_no_alarm_that_no_rule_raises(
    alarm: ModelEmergencyDetector,
) -> None:
    summary = "30-year-old, 34 weeks pregnant, BP 165/112 with proteinuria and headache: what now?"
    assert await alarm.detect(summary) is None
    assert await alarm.detect("5 year old, SpO2 84, lips are blue, what now?") is not None
    assert await alarm.detect(f"My wife is a {summary}") is not None


@each_row(
    ("text", "lines"),
    [
        (UNFORESEEN, ()),
        ("she licked the dishwasher stuff and her lips burn", (POISON_ADVICE,)),
        ("I have written the letters and my chest hurts", (SUICIDE_ADVICE,)),
        ("please come quickly", (POISON_ADVICE, SUICIDE_ADVICE)),
    ],
)
def test_the_lines_for_poisoning_and_suicide_are_left_out_only_where_something_else_is_told(
    text: str, lines: tuple[str, ...]
) -> None:
    assert choose_advice(text) == " ".join((ADVICE, *lines))


def test_every_labelled_poisoning_and_thought_of_suicide_has_its_line() -> None:
    asked = [one for one in emergencies() if one.language == "en"]
    assert [one for one in asked if one.kind == "poisoning" and POISON_ADVICE not in choose_advice(one.text)] == []
    assert [one for one in asked if one.kind == "suicide" and SUICIDE_ADVICE not in choose_advice(one.text)] == []
    others = [one for one in asked if one.kind not in ("none", "poisoning", "suicide")]
    assert sum(SUICIDE_ADVICE in choose_advice(one.text) for one in others) <= len(others) / 3


async def test_a_rule_that_recognises_the_kind_comes_first(alarm: ModelEmergencyDetector) -> None:
    found = await alarm.detect("my husband is having a heart attack")
    assert found == detect_emergency("my husband is having a heart attack")
    assert found is not None
    assert found.kind == "chest pain"


def test_the_general_advice_says_whom_to_call() -> None:
    assert all(number in ADVICE for number in ("112", "911"))
    assert "1-800-222-1222" in POISON_ADVICE
    assert all(number in SUICIDE_ADVICE for number in ("988", "findahelpline.com"))


async def test_of_several_sentences_the_one_that_alarms_is_shown(alarm: ModelEmergencyDetector) -> None:
    found = await alarm.detect(f"We had a nice lunch at home today. {UNFORESEEN}. Thank you for reading.")
    assert found is not None
    assert found.signs == (f"{UNFORESEEN}.",)


async def test_danger_at_the_end_of_a_long_letter_is_sensed(alarm: ModelEmergencyDetector) -> None:
    letter = "We moved house and the garden is lovely. The neighbours came round with a cake. " * 12
    found = await alarm.detect(letter + UNFORESEEN)
    assert found is not None
    assert found.signs == (UNFORESEEN,)


@each_row(
    "text",
    [
        "I had a heart attack in 2010, can I fly?",
        "A 55-year-old man presents with crushing chest pain and sweating. Which drug is given first?",
        "My patient's lips are blue and he is gasping, which oxygen flow do you advise?",
        "I'm writing a novel in which grandad's lips turn blue and he nearly goes down. Is this plausible?",
        "what should I do if someone chokes?",
        "When should one call an ambulance for chest pain?",
        "My gums bleed when I floss",
        "Does aspirin prevent strokes in people with diabetes?",
        "",
        "?",
        "\n\n",
        "🙂",
        "I" * 5000,
    ],
)
async def test_what_is_no_emergency_now_is_left_alone(alarm: ModelEmergencyDetector, text: str) -> None:
    assert await alarm.detect(text) is None


def test_nineteen_in_twenty_labelled_emergencies_are_sensed_and_at_most_one_in_eleven_anxious_questions_alarms(
    alarm: ModelEmergencyDetector,
) -> None:
    asked = [one for one in emergencies() if one.language == "en"]
    danger = [one for one in asked if one.kind != "none"]
    calm = [one for one in asked if one.kind == "none"]
    missed = [one for one, found in zip(danger, senses(alarm, danger), strict=True) if not found]
    alarmed = [one for one, found in zip(calm, senses(alarm, calm), strict=True) if found]
    assert len(missed) <= len(danger) / 20, missed
    assert len(alarmed) <= len(calm) / 11, alarmed


def test_it_adds_what_the_rules_miss_and_takes_nothing_away(alarm: ModelEmergencyDetector) -> None:
    danger = [one for one in emergencies() if one.kind != "none"]
    both, rules = senses(alarm, danger), senses(RuleEmergencyDetector(), danger)
    assert sum(both) >= sum(rules) + 40
    assert all(sensed or not seen for sensed, seen in zip(both, rules, strict=True))


@pytest.mark.skipif(not QA.is_dir(), reason="the development data (../shared/data) are not on this machine")
@a_tenth
@each_row("name", ["kqa", "medqa", "pubmedqa", "mmlu_med", "expertqa"])
def test_real_questions_raise_no_more_than_one_alarm_in_a_hundred(
    alarm: ModelEmergencyDetector, name: str, step: int
) -> None:
    asked = [Asked(name, "none", "en", text) for text in questions(QA / f"{name}.jsonl.gz")][: 300 // step]
    alarmed = [one.text for one, found in zip(asked, senses(alarm, asked), strict=True) if found]
    assert len(alarmed) <= max(1, len(asked) / 100), alarmed  # of the few of a daily run one may


def questions(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["question"]


@each_row("encoder", [None, HashedEncoder()])
async def test_without_the_encoder_that_it_was_fitted_on_the_rules_watch_alone(encoder: HashedEncoder | None) -> None:
    alarm = ModelEmergencyDetector(encoder)
    assert await alarm.detect(UNFORESEEN) is None
    assert await alarm.detect("I can't breathe") == await RuleEmergencyDetector().detect("I can't breathe") is not None


async def test_an_encoder_that_fails_is_told_in_the_log_and_the_rules_go_on(caplog: pytest.LogCaptureFixture) -> None:
    alarm = ModelEmergencyDetector(Broken())
    with caplog.at_level(logging.WARNING):
        assert await alarm.detect(UNFORESEEN) is None
    assert "by rules only" in caplog.text
    assert UNFORESEEN not in caplog.text
    assert await alarm.detect("I can't breathe") is not None


def test_the_net_was_fitted_on_the_encoder_that_comes_with_the_package() -> None:
    assert load_classifier().encoder == MiniLM.name
    assert len(load_classifier().weights) == MiniLM.dim


def test_every_sentence_is_judged_and_so_is_what_it_stands_in() -> None:
    assert split_text("I fell. My arm aches badly. What now, please?") == [
        "My arm aches badly. ",
        "I fell. My arm aches badly. What now, please?",
    ]
    long = "My arm aches. " * 100
    together = [part for part in split_text(long) if part != "My arm aches. "]
    assert len(together) > 1
    assert "".join(together) == long


def test_both_fill_the_protocol() -> None:
    assert isinstance(ModelEmergencyDetector(None), EmergencyDetector)
    assert isinstance(RuleEmergencyDetector(), EmergencyDetector)


async def test_a_question_waits_for_it_no_longer_than_the_eye_notices(alarm: ModelEmergencyDetector) -> None:
    await alarm.detect("ready")
    begun = time.process_time()
    for count in range(10):
        await alarm.detect(f"my knee has been sore for {count} days after running, should I rest it or go on?")
    assert (time.process_time() - begun) / 10 < 0.1


def test_a_point_within_a_number_ends_no_sentence() -> None:
    text = "My mum takes apixaban and her creatinine is 1.6 mg. Is the dose right for her?"
    assert split_text(text)[:2] == [
        "My mum takes apixaban and her creatinine is 1.6 mg. ",
        "Is the dose right for her?",
    ]
