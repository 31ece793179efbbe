"""Who is in danger now is told so; who asks about medicine is not alarmed."""

import gzip
import json
from pathlib import Path

import pytest

from tests.samples import a_tenth
from tests.tables import each_row
from tests.text.labelled import Asked, emergencies
from wellsourced.medicine.emergencies import correct_danger_words, detect_emergency, extract_present_clauses
from wellsourced.text.tables import read_rows

SHARED = Path(__file__).parents[3] / "shared" / "data" / "qa"

PAIRS = [
    ("my dad's face is drooping and he can't speak", "What does a drooping face mean in stroke?"),
    ("How do I know if I'm having a heart attack?", "How do I know if I have diabetes?"),
    ("how can i tell if my mum is having a stroke", "How can you tell a stroke from a migraine?"),
    ("I have crushing chest pain", "I have no chest pain, do I need a stress test?"),
    ("I have chest pain and my left arm is numb", "I had chest pain in 2010, can I fly?"),
    ("chest pain left arm sweating", "chest pain women vs men presentation"),
    ("I took 30 paracetamol an hour ago", "I took 30 mg of prednisone an hour ago, may I drink coffee?"),
    ("I took 30 paracetamol an hour ago", "How many paracetamol can I take in a day?"),
    ("my toddler drank bleach, what do I do", "Is bleach safe to clean a toddler's bottle?"),
    ("my toddler swallowed my heart tablets", "my dog swallowed my heart tablets"),
    ("I want to die", "I want to die my hair while pregnant, is it safe?"),
    ("I'm suicidal", "Can antidepressants make people suicidal?"),
    ("I want to kill myself", "I'm writing a novel in which a nurse says: I want to kill myself"),
    ("my back hurts and I can't pee and my groin is numb", "my back is killing me after gardening"),
    ("My daughter is having a seizure right now", "My daughter had a seizure two years ago, may she drive?"),
    ("my husband is having a heart attack", "Does a heart attack risk go up with ibuprofen?"),
    ("my baby is 5 weeks old and has a fever of 38.4", "my 4 year old has a fever of 38.4 and plays"),
    ("a man collapsed in front of me and isn't breathing, help", "A 70-year-old man collapsed. Which drug is first?"),
    ("I can't breathe", "I sometimes have panic attacks where I can't breathe, does CBT help?"),
    ("I am 32 weeks pregnant and bleeding heavily", "Is bleeding in early pregnancy always a miscarriage?"),
    ("My wife has a fever, a stiff neck and the light hurts", "no fever, no stiff neck, just a headache"),
    ("my friend has crushing chest pain", "My patient has crushing chest pain, which P2Y12 inhibitor?"),
    ("I had a TIA yesterday but feel fine now", "I had a TIA three years ago, may I fly?"),
    ("my mum had a mini stroke two days ago", "Which drug prevents a stroke after a TIA?"),
    ("I'm pregnant and still take ramipril", "Is ramipril safe in pregnancy?"),
    ("I got a positive pregnancy test and I am on warfarin", "I am not pregnant and take warfarin"),
]


@each_row(("danger", "question"), PAIRS)
def test_danger_is_told_from_a_question_that_looks_like_it(danger: str, question: str) -> None:
    assert detect_emergency(danger) is not None
    assert detect_emergency(question) is None


@each_row(
    ("text", "source"),
    [
        ("I had a TIA yesterday", "Stroke Association"),
        ("I'm pregnant and still take ramipril", "UKTIS"),
        ("I have crushing chest pain", "NHS, Heart attack"),
    ],
)
def test_what_to_do_names_the_page_that_it_rests_on(text: str, source: str) -> None:
    found = detect_emergency(text)
    assert found is not None
    assert found.source.startswith(source)
    assert "https://" in found.source


def test_who_had_a_tia_or_takes_a_harmful_medicine_in_pregnancy_is_told_to_ring_today_and_not_to_stop() -> None:
    for text in ("I had a TIA yesterday", "I'm pregnant and still take ramipril"):
        found = detect_emergency(text)
        assert found is not None
        assert "today" in found.advice
        assert "not stop a medicine by yourself" in found.advice


def test_every_kind_of_emergency_names_its_source() -> None:
    table = read_rows("wellsourced.medicine", "emergencies.tsv")[1:]
    advised = {kind for kind, weight, _ in table if weight == "advice" and len(kind) > 2}
    assert advised == {kind for kind, weight, _ in table if weight == "source"}


def test_nine_in_ten_emergencies_are_recognised_and_at_most_three_in_a_hundred_questions_alarm() -> None:
    # "last" and "more" were not what the rules were made by; the learnt net is measured on them too.
    asked = [one for one in emergencies() if one.half in ("seen", "kept", "fresh")]
    present = [one for one in asked if one.kind != "none"]
    absent = [one for one in asked if one.kind == "none"]
    missed = [one for one in present if detect_emergency(one.text) is None]
    alarms = [one for one in absent if detect_emergency(one.text) is not None]
    print(*(f"missed   {told(one)}" for one in missed), *(f"alarm    {told(one)}" for one in alarms), sep="\n")
    assert len(present) >= 80
    assert len(absent) >= 260
    assert len(missed) <= 0.1 * len(present), [told(one) for one in missed]
    assert len(alarms) <= 0.03 * len(absent), [told(one) for one in alarms]


def told(one: Asked) -> str:
    return f"[{one.kind}] {one.text}"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the development data (../shared/data) are not on this machine")
@a_tenth
@each_row("name", ["kqa", "medqa", "bioasq", "pubmedqa", "medmcqa", "mmlu_med"])
def test_real_questions_of_clinicians_and_students_raise_no_more_than_one_alarm_in_five_hundred(
    name: str, step: int
) -> None:
    with gzip.open(SHARED / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        questions = [json.loads(line)["question"] for line in file][::step]
    alarms = [question for question in questions if detect_emergency(question) is not None]
    assert len(alarms) <= len(questions) / 500, alarms


def test_words_that_nobody_foresaw_are_recognised_half_the_time_and_alarm_seldom() -> None:
    asked = [one for one in emergencies() if one.half in ("last", "more")]
    present = [detect_emergency(one.text) is not None for one in asked if one.kind != "none"]
    absent = [detect_emergency(one.text) is not None for one in asked if one.kind == "none"]
    assert sum(present) >= 0.5 * len(present)
    assert sum(absent) <= 0.03 * len(absent)


@each_row(
    ("text", "left"),
    [
        ("I had a heart attack in 2010, can I fly?", "can I fly?"),
        ("My dad had a bypass in 2015, and now his chest is crushing", "and now his chest is crushing"),
        ("What causes chest pain in adults? My chest hurts", "My chest hurts"),
        ("what if someone chokes?", ""),
        ("A 55-year-old man presents with chest pain. Which drug is first?", ""),
        ("In my novel a man is choking, what does he feel?", ""),
        ("she can’t breathe", "she can’t breathe"),
        ("", ""),
    ],
)
def test_what_is_not_said_of_now_is_left_out(text: str, left: str) -> None:
    assert extract_present_clauses(text) == left


def test_the_signs_stand_in_the_question_as_they_were_typed() -> None:
    text = "My dad is unconcious, he isn’t   breathing"
    found = detect_emergency(text)
    assert found is not None
    assert found.kind == "unconscious"
    assert all(sign in text for sign in found.signs)
    assert "unconcious" in found.signs


def test_every_advice_says_whom_to_call() -> None:
    advice = {
        found.kind: found.advice
        for one in emergencies()
        if one.language == "en" and (found := detect_emergency(one.text))
    }
    assert len(advice) >= 15
    assert all("112" in words or "911" in words or "emergency department" in words for words in advice.values())
    assert "988" in advice["suicide"]
    assert "poison" in advice["poisoning"].lower()


@each_row(
    ("text", "begins"),
    [("ich bekomme keine Luft mehr", "Rufen"), ("no puedo respirar", "Llame"), ("je veux mourir", "Appelez")],
)
def test_who_asks_in_another_language_is_advised_in_it(text: str, begins: str) -> None:
    found = detect_emergency(text)
    assert found is not None
    assert found.advice.startswith(begins)


@each_row("text", ["", "?", "\n\n", "🙂", "I" * 5000, "took 30 " * 2000])
def test_what_is_no_question_is_no_emergency(text: str) -> None:
    assert detect_emergency(text) is None


def test_a_slip_of_the_finger_is_put_right_and_its_place_kept() -> None:
    text = "he is chocking and unconcious, help"
    spelled = correct_danger_words(text)
    assert spelled.text == "he is choking and unconscious, help"
    start, end = spelled.original_span(spelled.text.index("unconscious"), len(spelled.text))
    assert (text[start:end], end) == ("unconcious, help", len(text))


def test_a_word_of_its_own_is_no_slip_of_another() -> None:
    text = "breeding, seating, selling, breath, tables, buttery, prison, stoke, strike, heat"
    assert correct_danger_words(text).text == text


def test_words_behind_a_gap_are_whole_ones() -> None:
    assert detect_emergency("I drink every evening. Am I allowed to start the naltrexone tablets already?") is None
    ready = detect_emergency("I have the tablets ready in front of me")
    assert ready is not None
    assert ready.kind == "suicide"
