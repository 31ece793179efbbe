"""Where a guideline digest contradicts itself: lines that cannot both be followed, found by readers.

The digests are shown as they were published, and nothing in them is put right. Who is shown one of two lines that
contradict each other has to see the other one as well. `digest_contradictions.tsv` is written by
tools/digest_contradictions.py.
"""

from functools import cache
from typing import NamedTuple

from wellsourced.text.sentences import Span
from wellsourced.text.tables import read_rows


class DigestContradiction(NamedTuple):
    """Lines of one digest that contradict each other.

    document   id of the document
    sha256     of the text in which the lines stand so, the beginning
    about      what differs, in a sentence for clinicians
    sides      where the lines stand
    """

    document: str
    sha256: str
    about: str
    sides: tuple[Span, ...]


@cache
def load_digest_contradictions() -> tuple[DigestContradiction, ...]:
    """All that are known, the gravest first."""
    return tuple(
        DigestContradiction(document, sha256, about, tuple(Span(*map(int, side.split("-"))) for side in sides.split()))
        for document, sha256, about, sides in read_rows("wellsourced.readers", "digest_contradictions.tsv")
    )
