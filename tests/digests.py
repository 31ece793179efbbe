"""The guideline digests as documents: to read them costs a second of a processor, so each process does it once."""

from functools import cache

from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Document


@cache
def read_digests() -> dict[str, Document]:
    """Return them all by their ids; nobody changes the dictionary."""
    return {document.reference.id: document for document in read_guidelines()}
