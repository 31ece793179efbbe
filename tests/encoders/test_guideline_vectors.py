"""The vectors and words of the guidelines that come with wellsourced are those that its encoders compute."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.hashed_encoder import HashedEncoder
from tools.guideline_vectors import list_passages, list_texts
from wellsourced.config.encoders import cache_vectors
from wellsourced.encoders.cache import CachedEncoder, find_guideline_vector, load_guideline_vectors, vector_key
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import SparseVector, Splade, expand_text, find_guideline_words, load_guideline_words
from wellsourced.readers.guidelines import read_guidelines

VOCABULARY = 30_522


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return sorted({text for document in read_guidelines() for text in list_texts(document)})


def test_every_passage_of_the_guidelines_and_all_that_can_be_quoted_of_it_has_its_vector(texts: list[str]) -> None:
    missing = [text[:80] for text in texts if find_guideline_vector(vector_key(text, "passage")) is None]
    assert missing == [], "run tools/guideline_vectors.py"
    assert len(load_guideline_vectors().rows) == len(load_guideline_vectors().vectors) == len(texts)


def test_they_are_what_the_encoder_computes(texts: list[str]) -> None:
    some = texts[::400]
    known = cache_vectors(MiniLM())
    assert isinstance(known, CachedEncoder)
    # Processors differ in the last digits, and those of float16 with them: a thousandth of what a cosine is.
    cosines = (known.encode(some) * MiniLM().encode(some)).sum(axis=1)
    assert cosines.min() > 0.999


def test_none_of_them_is_computed_again(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known = cache_vectors(MiniLM())
    assert known is not None
    monkeypatch.setattr(MiniLM, "encode", None)
    assert known.encode(texts[:50]).shape == (50, MiniLM.dim)


def test_another_encoder_is_told_nothing(texts: list[str]) -> None:
    other = cache_vectors(HashedEncoder())
    assert other is not None
    assert np.array_equal(other.encode(texts[:1]), CachedEncoder(HashedEncoder()).encode(texts[:1]))


def test_every_passage_of_the_guidelines_has_the_words_that_it_suggests() -> None:
    passages = list_passages(read_guidelines())
    assert all(find_guideline_words(text) for text in passages), "run tools/guideline_vectors.py"
    assert len(load_guideline_words().places) == len(passages)
    for text in sorted(passages)[::400]:
        known = find_guideline_words(text)
        assert known is not None
        assert _strengths(known) == pytest.approx(_strengths(expand_text(text)), rel=0.002, abs=0.005)


def _strengths(vector: SparseVector) -> NDArray[np.float32]:
    strengths = np.zeros(VOCABULARY, np.float32)
    strengths[vector.words] = vector.weights
    return strengths


def test_a_passage_matches_a_question_as_if_its_words_were_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    passages = sorted(list_passages(read_guidelines()))[:5]
    known = Splade().score("How is gout treated?", passages)
    monkeypatch.setattr("wellsourced.encoders.splade.find_guideline_words", lambda text: None)
    assert known == pytest.approx(Splade().score("How is gout treated?", passages), rel=0.002, abs=0.001)
