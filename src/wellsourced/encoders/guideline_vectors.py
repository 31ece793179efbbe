"""Vectors of the guideline digests, as the built-in encoder computed them once, so that a first question need not wait.

They are looked up by the words they stand for: a passage whose words have changed is encoded like any other. Made by
tools/guideline_vectors.py.
"""

from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM

VECTORS_FILE = "guideline_vectors.npz"


class PrecomputedVectors(NamedTuple):
    """Keys of texts, uint8 (texts, 16), and their unit rows, float16 (texts, width), row by row."""

    keys: NDArray[np.uint8]
    vectors: NDArray[np.float16]


def add_guideline_vectors(encoder: CachedEncoder) -> None:
    """Let the encoder know the vectors of the digests, if they are its own; another encoder computes its own."""
    if encoder.name == MiniLM.name:
        known = load_guideline_vectors()
        encoder.add_encoded([key.tobytes() for key in known.keys], known.vectors)


def load_guideline_vectors() -> PrecomputedVectors:
    """The vectors that come with wellsourced; no code in their file is run."""
    with files("wellsourced.encoders").joinpath(VECTORS_FILE).open("rb") as file, np.load(file) as arrays:
        return PrecomputedVectors(arrays["keys"], arrays["vectors"])
