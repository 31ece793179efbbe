"""Metrics of texts, on texts so short that every figure can be worked out by hand."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from wellsourced.errors import SettingsError
from wellsourced_evaluate.text_metrics import SynonymTable, load_text_metrics, read_synonyms, score_text

for library in ("cer", "nltk", "sacrebleu", "rouge_score_rs"):
    pytest.importorskip(library)

REFERENCE = "colchicine shortens the flare"


def test_the_same_text_is_the_best_there_is() -> None:
    found = score_text(reference=REFERENCE, hypothesis=REFERENCE)
    # Four words in one run: METEOR still takes 0.5 · (1/4)³ off.
    assert found == {"ROUGE-L": 1.0, "METEOR": 1 - 0.5 / 64, "chrF": 100.0, "GoogleBLEU": 1.0, "CharacTER": 0.0}


def test_a_text_without_a_word_in_common_is_the_worst() -> None:
    found = score_text(reference="abc", hypothesis="xyz")
    assert found == {"ROUGE-L": 0.0, "METEOR": 0.0, "chrF": 0.0, "GoogleBLEU": 0.0, "CharacTER": 1.0}


def test_half_of_the_words() -> None:
    found = score_text(reference=REFERENCE, hypothesis="colchicine shortens")
    assert found["ROUGE-L"] == pytest.approx(2 * 1 * 0.5 / 1.5)
    # Precision 1, recall 1/2, one run of two words: 10PR/(R+9P) · (1 − 0.5/8).
    assert found["METEOR"] == pytest.approx(10 * 0.5 / (0.5 + 9) * (1 - 0.5 / 8))
    # 2 words and 1 pair of 4 + 3 + 2 + 1 sequences.
    assert found["GoogleBLEU"] == pytest.approx(3 / 10)
    # “ the flare”: ten characters to be added to nineteen.
    assert found["CharacTER"] == pytest.approx(10 / 19)


def test_the_two_texts_cannot_be_exchanged_unseen() -> None:
    one = score_text(reference=REFERENCE, hypothesis="colchicine shortens")
    other = score_text(reference="colchicine shortens", hypothesis=REFERENCE)
    assert other["METEOR"] == pytest.approx(10 * 0.5 / (1 + 9 * 0.5) * (1 - 0.5 / 8))
    assert other["CharacTER"] == pytest.approx(10 / 29)
    assert other["chrF"] != one["chrF"]
    assert (other["ROUGE-L"], other["GoogleBLEU"]) == (one["ROUGE-L"], one["GoogleBLEU"])
    untyped: Callable[..., Any] = score_text
    with pytest.raises(TypeError):
        untyped(REFERENCE, "colchicine shortens")


def test_chrf_is_the_mean_over_six_lengths_of_characters_with_recall_twice_as_heavy() -> None:
    # “abc” in “abcd”: of 1, 2, 3 characters 3 of 3, 2 of 2 and 1 of 1 are right, and 3 of 4, 2 of 3, 1 of 2 are found.
    precision, recall = 1.0, (3 / 4 + 2 / 3 + 1 / 2) / 3
    expected = 100 * 5 * precision * recall / (4 * precision + recall)
    assert score_text(reference="abcd", hypothesis="abc")["chrF"] == pytest.approx(expected, abs=1e-6)


def test_a_word_that_was_moved_costs_its_length_and_not_the_rest() -> None:
    # “flare” goes to the end: five characters of the shifted text's 29.
    found = score_text(reference=REFERENCE, hypothesis="flare colchicine shortens the")
    assert found["CharacTER"] == pytest.approx(5 / len(REFERENCE))


def test_synonyms_and_stems_count_as_matches_for_meteor_and_for_rouge_they_do_not() -> None:
    found = score_text(reference="doctor", hypothesis="physician")
    assert found["METEOR"] == pytest.approx(1 - 0.5)  # one match in one run
    assert found["ROUGE-L"] == 0
    assert score_text(reference="flares", hypothesis="flare")["METEOR"] == pytest.approx(0.5)
    assert score_text(reference="flares", hypothesis="flare")["ROUGE-L"] == 0


def test_nothing_said_is_the_worst_and_nothing_to_compare_with_is_no_figure() -> None:
    assert set(score_text(reference=" \n", hypothesis="gout").values()) == {None}
    found = score_text(reference="gout", hypothesis=" ")
    assert (found["ROUGE-L"], found["METEOR"], found["CharacTER"]) == (0.0, 0.0, 1.0)


def test_a_library_that_is_not_installed_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cer", None)  # what Python does where it is not installed
    load_text_metrics.cache_clear()
    with pytest.raises(
        SettingsError, match=r"compared with cer, which is not installed: pip install 'wellsourced-evaluate\[text-m"
    ):
        score_text(reference="a", hypothesis="a")


def words_of(table: SynonymTable, word: str) -> set[str]:
    return {lemma.name() for one in table.synsets(word) for lemma in one.lemmas()}


def test_forms_are_traced_to_their_base_and_irregular_ones_too() -> None:
    table = SynonymTable(["s\tn\tchild kid", "s\tv\tcure heal", "s\ta\tlarge big", "e\tn\tchildren child"])
    assert words_of(table, "children") == {"child", "kid"}
    assert words_of(table, "Kids") == {"child", "kid"}
    assert words_of(table, "cured") == {"cure", "heal"}
    assert words_of(table, "healing") == {"cure", "heal"}
    assert words_of(table, "larger") == {"large", "big"}
    assert words_of(table, "colchicine") == set()


def test_the_table_of_the_package_holds_wordnet() -> None:
    assert {"doctor", "physician", "medico"} <= words_of(read_synonyms(), "physicians")
    assert "tooth" in words_of(read_synonyms(), "teeth")
    assert words_of(read_synonyms(), "xylophones") == {"xylophone", "marimba"}
