import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.text.tokens import content_stems, stem_coverage, tokenize


def test_words_are_lower_case_plain_letters_with_their_digits() -> None:
    assert tokenize("COX-2 inhibitors in Sjögren’s syndrome: 1,000.5 µg/day, HbA1c < 7 %") == (
        ["cox", "2", "inhibitors", "in", "sjogren's", "syndrome", "1000.5", "μg", "day", "hba1c", "7"]
    )


def test_accents_may_be_composed_or_not() -> None:
    assert tokenize("Guérin") == tokenize("Gue\u0301rin") == ["guerin"]


def test_stems_leave_out_the_words_of_the_question_and_keep_its_subject() -> None:
    assert content_stems("What is the first-line treatment for gout?") == content_stems(
        "First-line treatments of gouts"
    )
    assert content_stems("Which of these are the ones that it does?") == ["one"]


@each_row("word", ["no", "not", "without", "treatment", "symptoms", "cause", "risk"])
def test_words_that_carry_meaning_are_content(word: str) -> None:
    assert len(content_stems(word)) == 1


def test_a_possessive_is_its_noun() -> None:
    assert content_stems("Crohn's disease") == content_stems("Crohn disease")


def test_coverage_is_the_share_of_the_claims_stems() -> None:
    assert stem_coverage("Aspirin reduces strokes", "The stroke rate was reduced") == pytest.approx(2 / 3)
    assert stem_coverage("Aspirin reduces strokes", "aspirin reduced stroke") == 1
    assert stem_coverage("What is it?", "anything") == 0


@given(st.text(), st.text())
def test_coverage_is_a_share_and_complete_in_the_text_itself(claim: str, text: str) -> None:
    assert 0 <= stem_coverage(claim, text) <= 1
    assert stem_coverage(claim, claim) == (1 if content_stems(claim) else 0)


def test_hostile_text_does_not_hang() -> None:
    started = time.process_time()
    content_stems("a" + "\u0301\u0327" * 50_000 + "1," * 50_000)
    assert time.process_time() - started < 3
