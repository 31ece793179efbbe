"""Compute the vectors of the guideline digests that come with wellsourced: `make guidelines`, when the digests change.

Without it nothing is wrong: texts that the files do not know are encoded when they are needed, which takes half a
minute at the first question and a second or two at others.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from wellsourced.answering.sections import find_sections
from wellsourced.encoders.cache import KEYS_FILE, VECTORS_FILE, vector_key
from wellsourced.encoders.minilm import MiniLM
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.library.passage_table import search_text
from wellsourced.text.passages import cut_index_passages, text_under_titles
from wellsourced.types import Document

FOLDER = Path(__file__).parents[1] / "src" / "wellsourced" / "encoders"


def list_texts(document: Document) -> Iterator[str]:
    """What is encoded of a digest: by the library, and where sections and their lines are scored."""
    for passage in cut_index_passages(document):
        yield search_text(document, passage)
        yield text_under_titles(passage)
    for section in find_sections(document):
        for unit in section.units:
            yield section.unit_text(unit)


def write_vectors(texts: Collection[str]) -> None:
    """Encode these texts, and write the files."""
    keys = sorted({vector_key(text, "passage"): text for text in texts}.items())
    vectors = MiniLM(threads=1).encode([text for _, text in keys]).astype(np.float16)
    np.save(FOLDER / KEYS_FILE, np.array([list(key) for key, _ in keys], dtype=np.uint8))
    np.save(FOLDER / VECTORS_FILE, vectors)


def main() -> None:
    """Encode all that is read of the digests."""
    texts = {text for document in read_guidelines() for text in list_texts(document)}
    write_vectors(texts)
    print(f"vectors of {len(texts):,} texts: {FOLDER / VECTORS_FILE}")


if __name__ == "__main__":
    main()
