"""SPLADE in NumPy against what the original weights gave in torch, once, for a few texts."""

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from tests.tables import each_row
from wellsourced.encoders.base import Reranker
from wellsourced.encoders.splade import WEIGHTS_FILE, Splade, expand_text, score_texts
from wellsourced.encoders.wordpiece import load_bert_uncased

GOLDEN = json.loads((Path(__file__).parent / "golden_splade.json").read_text(encoding="utf-8"))
TEXTS = [text if isinstance(text, str) else " ".join([text["repeat"]] * text["times"]) for text in GOLDEN["texts"]]
QUESTION = GOLDEN["questions"][0]


# As the author of rasyosef/splade-tiny prints them: what NOTICE says of the model's origin rests on these numbers.
AUTHORS_SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
AUTHORS_SIMILARITIES = ((39.7253, 7.1662, 0.0), (7.1662, 27.0255, 0.1385), (0.0, 0.1385, 26.3539))
AUTHORS_WORDS = (
    "today lovely weather summers cool darling now beautiful nice worthy",
    "outside sunny cool so ahead darling it across sunshine rocky",
    "drove stadium he team move jumped driving ride run drive",
)


def test_the_weights_are_those_whose_author_prints_these_similarities() -> None:
    found = [score_texts(expand_text(sentence), AUTHORS_SENTENCES) for sentence in AUTHORS_SENTENCES]
    assert np.array(found) == pytest.approx(np.array(AUTHORS_SIMILARITIES), rel=0.003, abs=0.02)


@each_row(("sentence", "words"), list(zip(AUTHORS_SENTENCES, AUTHORS_WORDS, strict=True)))
def test_the_weights_suggest_the_words_that_their_author_prints(sentence: str, words: str) -> None:
    found = expand_text(sentence)
    strongest = found.words[np.argsort(-found.weights)][:10]
    assert {load_bert_uncased().piece(int(number)) for number in strongest} == set(words.split())


@each_row(("question", "matches"), list(zip(GOLDEN["questions"], GOLDEN["matches"], strict=True)))
def test_a_text_matches_a_question_as_by_the_original_weights(question: str, matches: list[float]) -> None:
    assert score_texts(expand_text(question), TEXTS) == pytest.approx(matches, abs=0.1)


@each_row(("question", "words"), list(zip(GOLDEN["questions"], GOLDEN["suggested"], strict=True)))
def test_a_question_suggests_the_words_that_the_original_weights_suggest(
    question: str, words: dict[str, float]
) -> None:
    vocabulary = files("wellsourced.encoders").joinpath("vocab.txt").read_text(encoding="utf-8").split("\n")
    found = expand_text(question)
    strength = {vocabulary[word]: weight for word, weight in zip(found.words, found.weights.tolist(), strict=True)}
    strong = {word: weight for word, weight in words.items() if weight > 0.1}
    assert {word: strength.get(word, 0.0) for word in strong} == pytest.approx(strong, abs=0.05)


def test_a_question_matches_itself_with_one_and_another_subject_hardly() -> None:
    itself, answer, other = Splade().score(QUESTION, [QUESTION, TEXTS[0], TEXTS[2]])
    assert itself == pytest.approx(1.0, abs=1e-5)
    assert answer > 0.5 > 0.05 > other >= 0


def test_a_match_does_not_depend_on_what_stands_beside_the_text() -> None:
    together = Splade().score(QUESTION, TEXTS)
    assert np.array_equal(together, np.array([Splade().score(QUESTION, [text])[0] for text in TEXTS]))
    assert np.array_equal(together[::-1], Splade().score(QUESTION, TEXTS[::-1]))


def test_nothing_matches_what_has_no_words() -> None:
    assert Splade().score(QUESTION, ["", " \n", "\u200b"]).tolist() == [0, 0, 0]
    assert Splade().score("", TEXTS).tolist() == [0] * len(TEXTS)
    assert Splade().score(QUESTION, []).shape == (0,)


@each_row("text", ["\ud800 half a pair", "a" * 100_000, "[SEP] [MASK]", "日本語のテキスト", "?" * 5_000])
def test_any_text_can_be_matched(text: str) -> None:
    assert np.isfinite(Splade().score(text, [text, QUESTION])).all()


def test_a_long_text_is_read_as_far_as_its_window() -> None:
    assert Splade().score(QUESTION, [TEXTS[4]]) == Splade().score(QUESTION, [TEXTS[4] + " Metformin, diabetes."])


def test_several_threads_give_what_one_gives() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: Splade().score(QUESTION, TEXTS), range(8)))
    assert all(np.array_equal(one, found[0]) for one in found)


def test_it_is_a_matcher_and_its_weights_are_numbers_alone() -> None:
    assert isinstance(Splade(), Reranker)
    with (
        files("wellsourced.encoders").joinpath(WEIGHTS_FILE).open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        assert len(stored["words"]) == len(load_bert_uncased()._ids)
        assert all(stored[name].dtype.kind in "if" for name in stored.files)
