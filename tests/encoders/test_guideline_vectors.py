"""The vectors of the guidelines that come with wellsourced are those that its encoder computes."""

import numpy as np

from wellsourced.encoders.cache import CachedEncoder, vector_key
from wellsourced.encoders.fake import HashedEncoder
from wellsourced.encoders.guideline_vectors import add_guideline_vectors, load_guideline_vectors
from wellsourced.encoders.minilm import MiniLM
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.library.search.passage_rows import search_text
from wellsourced.text.passages import cut_index_passages
from wellsourced.types import Document


def guideline_texts() -> list[str]:
    documents = [one for one in read_guidelines() if isinstance(one, Document)]
    return [search_text(document, passage) for document in documents for passage in cut_index_passages(document)]


def test_every_passage_of_the_guidelines_has_its_vector() -> None:
    keys = {key.tobytes() for key in load_guideline_vectors().keys}
    missing = [text[:80] for text in guideline_texts() if vector_key(text, "passage") not in keys]
    assert missing == [], "run tools/guideline_vectors.py"


def test_they_are_what_the_encoder_computes() -> None:
    texts = guideline_texts()[::60]
    known = CachedEncoder(MiniLM())
    add_guideline_vectors(known)
    shipped = known.encode(texts)
    assert np.abs(shipped - MiniLM().encode(texts)).max() < 2e-3
    assert np.allclose(np.linalg.norm(shipped, axis=1), 1, atol=2e-3)


def test_another_encoder_is_told_nothing() -> None:
    other = CachedEncoder(HashedEncoder())
    add_guideline_vectors(other)
    text = guideline_texts()[0]
    assert np.array_equal(other.encode([text]), CachedEncoder(HashedEncoder()).encode([text]))
