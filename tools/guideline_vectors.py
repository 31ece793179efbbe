"""Compute the vectors of the guideline digests that come with wellsourced: `make guidelines`, when the digests change.

Without it nothing is wrong: passages that the file does not know are encoded at the first question, which takes half a
minute.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wellsourced.encoders.cache import vector_key
from wellsourced.encoders.guideline_vectors import VECTORS_FILE, PrecomputedVectors
from wellsourced.encoders.minilm import MiniLM
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.library.search.passage_rows import search_text
from wellsourced.text.passages import cut_index_passages

FOLDER = Path(__file__).parents[1] / "src" / "wellsourced" / "encoders"


def encode_guidelines(texts: Sequence[str]) -> PrecomputedVectors:
    """The vectors of these texts by the built-in encoder, in the order of their keys."""
    by_key = {vector_key(text, "passage"): text for text in texts}
    keys = sorted(by_key)
    vectors = MiniLM().encode([by_key[key] for key in keys]).astype(np.float16)
    return PrecomputedVectors(np.array([list(key) for key in keys], dtype=np.uint8), vectors)


def main() -> None:
    """Encode every passage as a library would, and write the file."""
    texts = [search_text(document, one) for document in read_guidelines() for one in cut_index_passages(document)]
    found = encode_guidelines(texts)
    np.savez_compressed(FOLDER / VECTORS_FILE, keys=found.keys, vectors=found.vectors)
    print(f"{len(found.keys)} vectors of {len(texts)} passages: {FOLDER / VECTORS_FILE}")


if __name__ == "__main__":
    main()
