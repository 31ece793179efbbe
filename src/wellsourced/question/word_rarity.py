"""How much the words of a question tell, in a form in which texts have them too.

Abbreviations are written out, words told by their beginnings. A word tells more the fewer sections of the guideline
digests have it (`digest_stems.tsv`); one that they lack and everyday English has (`ordinary_stems.txt`) tells little.
"""

import math
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from wellsourced.medicine.word_forms import write_out_abbreviations
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

GENERIC_STEMS = frozenset(
    content_stems(
        "first line initial recommended recommend best standard current option options choice approach strategy "
        "patient patients people person adult adults guideline guidelines main use used given give get take taken "
        "start started begin general overall need needed appropriate right much many long often soon case cases "
        "year years old kg good day days week weeks exact exactly step steps happen gets get cut off go goes"
    )
)
"""Of words that questions have whatever they are about."""

BEGINNING_LENGTH = 6
"""Letters by which words are compared."""


@lru_cache(maxsize=2048)
def word_beginnings(text: str) -> frozenset[str]:
    """How its telling words begin: "nephrologist" is of nephrology, and who is "referred" needs a referral."""
    return cut_beginnings(content_stems(write_out_abbreviations(text)))


def cut_beginnings(stems: Iterable[str]) -> frozenset[str]:
    """How the telling ones of these stems begin."""
    return frozenset(_cut(stem) for stem in stems if not stem[0].isdecimal()) - _GENERIC


def _cut(stem: str) -> str:
    """A stem as far as it counts, a doubled letter at its end once: "referr" is "refer"."""
    begun = stem[:BEGINNING_LENGTH]
    # "referr" (of "referred") and "refer" (of "referral") have to be one.
    return begun[:-1] if begun[-1] == begun[-2:-1] else begun


_GENERIC = frozenset(map(_cut, GENERIC_STEMS))

DIGEST_SECTIONS = 2_100
"""Sections of the digests, about."""

EVERYDAY_RARITY = 3.0
"""Rarity of a word that no digest has and everyday English does: "lysing" tells less than "pacemaker"."""

UNKNOWN_RARITY = 5.0
"""Rarity of a word that neither has."""


def rate_rarity(stem: str) -> float:
    """How much a stem tells, from 0 upwards."""
    if count := load_digest_counts().get(stem):
        return math.log(1 + DIGEST_SECTIONS / count)
    # No digest has it: an everyday word says little all the same, a word that nothing knows may be the subject.
    return EVERYDAY_RARITY if stem in load_ordinary_stems() else UNKNOWN_RARITY


@cache
def load_ordinary_stems() -> frozenset[str]:
    """Stems of everyday English and of most medical text, by wellsourced_evaluate/fitting/word_lists.py (bdac1cd3)."""
    return frozenset(files(__package__).joinpath("ordinary_stems.txt").read_text(encoding="utf-8").split())


@cache
def load_digest_counts() -> dict[str, int]:
    """Stem → sections of the digests that have it, for stems in the digests, by tools/digest_stems.py."""
    return {stem: int(count) for stem, count in read_rows(__package__, "digest_stems.tsv")}
