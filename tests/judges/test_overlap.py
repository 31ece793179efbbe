"""Rare words count for more than common ones."""

import pytest

from wellsourced.judges.overlap import overlap_features, rare_coverage, stem_rarity
from wellsourced.text.tokens import content_stems


def stem(word: str) -> str:
    return content_stems(word)[0]


def test_a_word_of_every_other_text_is_less_rare_than_a_drug_and_an_unknown_name_is_rarest() -> None:
    assert stem_rarity(stem("patients")) < stem_rarity(stem("metformin")) < stem_rarity("zzyzxumab")


def test_sharing_the_drug_is_worth_more_than_sharing_the_patients() -> None:
    question = "Which patients need romosozumab?"
    assert rare_coverage(question, "Romosozumab strengthens bone.") > 0.6
    assert rare_coverage(question, "The patients need bone.") < 0.4


def test_all_words_shared_is_one_and_none_is_zero() -> None:
    assert overlap_features("gout flares", "Flares of gout end.") == {
        "coverage": 1.0,
        "rare_coverage": pytest.approx(1.0),
    }
    assert overlap_features("gout flares", "The wrist was set.") == {"coverage": 0.0, "rare_coverage": 0.0}


def test_a_claim_without_content_words_shares_nothing() -> None:
    assert overlap_features("What is it?", "It is.") == {"coverage": 0.0, "rare_coverage": 0.0}
