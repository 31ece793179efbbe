"""Compute the vectors of the guideline digests that come with wellsourced, and the words that their passages suggest:
`make guidelines`, when the digests change.

Without it nothing is wrong: texts that the files do not know are encoded when they are needed, which takes half a
minute at the first question and a second or two at others.
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np

from wellsourced.answering.sections import find_sections
from wellsourced.encoders.cache import KEYS_FILE, VECTORS_FILE, vector_key
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import GUIDELINE_WORDS_FILE, expand_text
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.text.passages import cut_index_passages, search_text, text_under_titles
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


def list_passages(documents: Iterable[Document]) -> set[str]:
    """The passages that are ranked again, as the ranker reads them."""
    return {text_under_titles(passage) for document in documents for passage in cut_index_passages(document)}


def write_vectors(texts: Collection[str]) -> None:
    """Encode these texts, and write the files."""
    keys = sorted({vector_key(text, "passage"): text for text in texts}.items())
    vectors = MiniLM(threads=1).encode([text for _, text in keys]).astype(np.float16)
    np.save(FOLDER / KEYS_FILE, np.array([list(key) for key, _ in keys], dtype=np.uint8))
    np.save(FOLDER / VECTORS_FILE, vectors)


def write_words(texts: Collection[str]) -> None:
    """Expand these passages, and write what they suggest."""
    keys = sorted({vector_key(text, "passage"): text for text in texts}.items())
    found = [expand_text(text) for _, text in keys]
    np.savez_compressed(
        FOLDER / GUIDELINE_WORDS_FILE,
        keys=np.array([list(key) for key, _ in keys], dtype=np.uint8),
        ends=np.cumsum([len(one.words) for one in found], dtype=np.uint32),
        words=np.concatenate([one.words for one in found]).astype(np.uint16),
        weights=np.concatenate([one.weights for one in found]).astype(np.float16),
    )


def main() -> None:
    """Encode all that is read of the digests."""
    documents = list(read_guidelines())
    texts = {text for document in documents for text in list_texts(document)}
    write_vectors(texts)
    print(f"vectors of {len(texts):,} texts: {FOLDER / VECTORS_FILE}")
    passages = list_passages(documents)
    write_words(passages)
    print(f"words of {len(passages):,} passages: {FOLDER / GUIDELINE_WORDS_FILE}")


if __name__ == "__main__":
    main()
