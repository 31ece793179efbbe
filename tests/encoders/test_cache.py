"""An encoder that remembers gives the same vectors and works less."""

from collections.abc import Sequence

import numpy as np

from tests.hashed_encoder import HashedEncoder
from wellsourced.encoders.base import Role, Vectors
from wellsourced.encoders.cache import CachedEncoder


class Noting(HashedEncoder):
    """Notes what it is asked; queries are turned round, as an encoder with two roles would tell them apart."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        self.asked += texts
        return super().encode(texts) * (-1 if role == "query" else 1)


def test_a_text_is_encoded_once_however_often_it_comes() -> None:
    noting = Noting()
    encoder = CachedEncoder(noting)
    first = encoder.encode(["gout", "statin", "gout"])
    again = encoder.encode(["gout", "aspirin"])
    assert noting.asked == ["gout", "statin", "aspirin"]
    assert np.array_equal(again[0], first[2])


def test_a_question_is_not_mistaken_for_a_passage_of_the_same_words() -> None:
    encoder = CachedEncoder(Noting())
    assert np.array_equal(encoder.encode(["gout"], "query"), -encoder.encode(["gout"]))


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    noting = Noting()
    encoder = CachedEncoder(noting, limit=2)
    encoder.encode(["gout", "statin"])
    encoder.encode(["gout"])
    encoder.encode(["aspirin"])
    encoder.encode(["gout", "statin"])
    assert noting.asked == ["gout", "statin", "aspirin", "statin"]


def test_more_texts_at_once_than_are_remembered_all_get_their_vectors() -> None:
    texts = ["gout", "statin", "aspirin"]
    assert np.array_equal(CachedEncoder(HashedEncoder(), limit=1).encode(texts), HashedEncoder().encode(texts))


def test_its_name_is_the_encoders_own() -> None:
    assert (CachedEncoder(HashedEncoder()).name, CachedEncoder(HashedEncoder()).dim) == ("hashed-64", 64)
