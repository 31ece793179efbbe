"""How much a word tells: by how few sections of the guideline digests have it (`digest_stems.tsv`).

One that they lack and everyday English has (`ordinary_stems.txt`) tells little.
"""

import math
from functools import cache
from importlib.resources import files

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
    return EVERYDAY_RARITY if stem in load_ordinary_stems() else UNKNOWN_RARITY


@cache
def load_ordinary_stems() -> frozenset[str]:
    """Stems of everyday English and of most medical text, by benchmarks/list_ordinary_stems.py."""
    content = files("wellsourced.clinical").joinpath("ordinary_stems.txt").read_text(encoding="utf-8")
    return frozenset(content.split())


@cache
def load_digest_counts() -> dict[str, int]:
    """Stem → sections of the digests that have it, for stems in the digests, by tools/digest_stems.py."""
    content = files("wellsourced.clinical").joinpath("digest_stems.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in content.splitlines())
    return {stem: int(count) for stem, count in rows}
