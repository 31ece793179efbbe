"""The grade is Kincaid's, worked out by hand; the syllables are those that are spoken."""

import pytest

from tests.tables import each_row
from wellsourced.text.languages import count_syllables, reading_grade

SPOKEN = """
    1 care take takes heart blood the were are one used helps eyes while whole dose scale weight through safe breathe
    1 died
    2 table tables people reduced doses patient patients disease pressure trying diet social being create needed
    2 changes causes muscle simple renal studies higher equal language virus fluid little apple treated asthma
    3 medicine aspirin metformin biopsy actual mania video physician area serious various reaction radio period
    3 cardiac allergies insulin annual infection hospital therapy evidence nausea created behaviour
    4 diabetes hypertension ibuprofen anxiety bacteria evaluate usually emergency cholesterol mortality pneumonia
    5 individual antibiotic
"""


@each_row("line", SPOKEN.strip().splitlines())
def test_syllables_are_those_that_are_spoken(line: str) -> None:
    count, *words = line.split()
    assert {word: count_syllables(word) for word in words} == dict.fromkeys(words, int(count))


def test_an_abbreviation_is_spelled_out_and_a_hyphen_parts_words() -> None:
    assert count_syllables("MRI") == 3
    assert count_syllables("long-term") == 2
    assert count_syllables("patient's") == 2


def test_the_grade_is_worked_out_by_hand() -> None:
    # 4 sentences of 10 words of one syllable: 0.39 * 10 + 11.8 * 1 - 15.59 = 0.11
    simple = "The heart is the one part that helps the blood. " * 4
    assert reading_grade(simple) == pytest.approx(0.11)
    # 3 sentences of 10 words, 15 syllables each: 0.39 * 10 + 11.8 * 1.5 - 15.59 = 6.01
    harder = "Metformin and aspirin are both used when there is pressure. " * 3
    assert reading_grade(harder) == pytest.approx(6.01)


def test_nothing_is_said_of_few_words_or_of_another_language() -> None:
    assert reading_grade("Take one tablet a day.") is None
    assert reading_grade("") is None
    assert reading_grade("Die Behandlung ist nicht mit dem Arzt und der Klinik besprochen worden. " * 5) is None


def test_plain_words_have_a_lower_grade_than_those_of_specialists() -> None:
    plain = "Your heart does not pump blood as well as it should. The pills help it. Take them each day. " * 3
    dense = (
        "Pharmacological optimisation of neurohormonal antagonism ameliorates cardiovascular mortality in individuals "
        "with symptomatic heart failure and reduced ejection fraction irrespective of diabetic comorbidity. "
    ) * 3
    low, high = reading_grade(plain), reading_grade(dense)
    assert low is not None
    assert high is not None
    assert low < 5
    assert high > 16
