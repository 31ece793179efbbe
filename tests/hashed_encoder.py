"""An encoder that needs no model: texts that share words are near."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from wellsourced.encoders.base import Role, Vectors, normalize_rows
from wellsourced.text.tokens import content_stems


class HashedEncoder:
    """Signed feature hashing of stems into 64 numbers: texts that share words are near, and nothing else is known.

    The same in every process, unlike Python's own hash(). Weinberger et al., ICML 2009.
    """

    name = "hashed-64"
    dim = 64

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; zeros for a text without words."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for stem in content_stems(text):
                number = int.from_bytes(blake2b(stem.encode("utf-8", "replace"), digest_size=8).digest(), "big")
                # Signed, so that stems which fall together cancel as often as they add up; by BLAKE2, since Python's
                # own hash differs in every process.
                row[number % self.dim] += 1 if number >> 63 else -1
        return normalize_rows(vectors)
