"""Vectors of the guideline digests, as the built-in encoder computed them once, so that no question need wait for them.

Of every passage, and of everything in it that can be quoted, under its titles and alone. They are looked up by the
words they stand for: what the digests do not say is encoded like any other text. Made by tools/guideline_vectors.py.
"""

from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

KEYS_FILE, VECTORS_FILE = "guideline_vector_keys.npy", "guideline_vectors.npy"


class GuidelineVectors(NamedTuple):
    """Vectors that come with wellsourced; what is not asked for stays on the disk.

    rows      key of a text in its role (encoders.cache.vector_key) → its row
    vectors   float16 (texts, width), unit rows
    """

    rows: dict[bytes, int]
    vectors: NDArray[np.float16]


def find_guideline_vector(key: bytes) -> NDArray[np.float16] | None:
    """The vector under this key, if it is here."""
    known = load_guideline_vectors()
    row = known.rows.get(key)
    return None if row is None else known.vectors[row]


@cache
def load_guideline_vectors() -> GuidelineVectors:
    """Those of the built-in encoder; no code in their files is run."""
    folder = files("wellsourced.encoders")
    with as_file(folder / KEYS_FILE) as keys, as_file(folder / VECTORS_FILE) as vectors:
        rows = {key.tobytes(): row for row, key in enumerate(np.load(keys))}
        return GuidelineVectors(rows, np.load(vectors, mmap_mode="r"))
