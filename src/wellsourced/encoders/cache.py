"""A cache around an encoder: the same sentence is encoded once in a process, and those of the guideline digests came
with the package.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import as_file, files
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Role, Vectors, lift_vectors

MAX_VECTORS = 20_000
"""Vectors kept: 15 MB at 384 numbers."""


ShippedVectors = Callable[[bytes], NDArray[np.float16] | None]


class CachedEncoder:
    """Another encoder's vectors; those used longest ago are forgotten first. Safe to use from several threads.

    All are kept, and given, in the half precision that libraries store: a vector that a library told and one that was
    computed here are the same number for number, so that no answer depends on what was asked before.
    """

    def __init__(self, encoder: Encoder, limit: int = MAX_VECTORS, shipped: ShippedVectors | None = None) -> None:
        """`shipped` finds vectors that this encoder computed before, by the keys of their texts."""
        self.encoder = encoder
        self.limit = limit
        self._shipped = shipped
        self._vectors: OrderedDict[bytes, NDArray[np.float16]] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the encoder: the vectors are its own."""
        return self.encoder.name

    @property
    def dim(self) -> int:
        """The width of its vectors."""
        return self.encoder.dim

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; only texts that are not remembered are encoded, each once."""
        keys = [vector_key(text, role) for text in texts]
        known = self._find_vectors(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            vectors = self.encoder.encode(list(new.values()), role).astype(np.float16)
            known |= zip(new, vectors, strict=True)
            self._store_vectors({key: known[key] for key in new})
        return np.array([known[key] for key in keys], dtype=np.float32).reshape(len(keys), self.dim)

    def lift(self, published: NDArray[np.float32]) -> Vectors:
        """Vectors that the encoder's model gave elsewhere, as the encoder gives them."""
        return lift_vectors(self.encoder, published)

    def add_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take over vectors of passages, row by row, that this encoder computed at another time."""
        self._store_vectors(
            dict(zip((vector_key(text, "passage") for text in texts), vectors.astype(np.float16), strict=True))
        )

    def _find_vectors(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        with self._lock:
            known = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in known:
                self._vectors.move_to_end(key)
        if self._shipped:
            shipped = ((key, self._shipped(key)) for key in keys if key not in known)
            known |= {key: vector for key, vector in shipped if vector is not None}
        return known

    def _store_vectors(self, new: dict[bytes, NDArray[np.float16]]) -> None:
        with self._lock:
            # A copy: a row of a large array would keep all of it in memory.
            self._vectors.update((key, vector.copy()) for key, vector in new.items())
            while len(self._vectors) > self.limit:
                self._vectors.popitem(last=False)


def vector_key(text: str, role: Role) -> bytes:
    """Sixteen bytes by which the vector of a text in a role is known."""
    return blake2b(f"{role}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


# Vectors of the guideline digests, as the built-in encoder computed them once, so that no question need wait for
# them.
#
# Of every passage, and of everything in it that can be quoted, under its titles and alone. They are looked up by the
# words they stand for: what the digests do not say is encoded like any other text. Made by
# tools/guideline_vectors.py.


KEYS_FILE, VECTORS_FILE = "guideline_vector_keys.npy", "guideline_vectors.npy"


class GuidelineVectors(NamedTuple):
    """Vectors that come with wellsourced, float16 unit rows on the disk, and which is whose, by `vector_key`."""

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
