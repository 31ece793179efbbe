"""Compute the vectors of the guideline digests that come with wellsourced: `make guidelines`, when the digests change.

Without it nothing is wrong: passages that the file does not know are encoded at the first question, which takes half a
minute.
"""

from pathlib import Path

import numpy as np

from wellsourced.encoders.guideline_vectors import VECTORS_FILE, encode_guidelines
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.library.search.passage_table import search_text
from wellsourced.text.passages import cut_index_passages

FOLDER = Path(__file__).parents[1] / "src" / "wellsourced" / "encoders"


def main() -> None:
    """Encode every passage as a library would, and write the file."""
    texts = [search_text(document, one) for document in read_guidelines() for one in cut_index_passages(document)]
    found = encode_guidelines(texts)
    np.savez_compressed(FOLDER / VECTORS_FILE, keys=found.keys, vectors=found.vectors)
    print(f"{len(found.keys)} vectors of {len(texts)} passages: {FOLDER / VECTORS_FILE}")


if __name__ == "__main__":
    main()
