"""Abbreviations that clinical writing uses without explaining them, each with the meaning that dominates."""

import re
from collections.abc import Mapping
from functools import cache

from wellsourced.text.tables import read_rows

_WORD = re.compile(r"\b[A-Z][\w/-]*[A-Z]\w*\b")


@cache
def known_abbreviations() -> Mapping[str, str]:
    """Abbreviation, as it is written → what it means where nothing speaks against it."""
    return {row[0]: row[1] for row in read_rows("wellsourced.clinical", "abbreviations.tsv")}


def write_out_abbreviations(text: str) -> str:
    """The text with what is known of its abbreviations written out: "DKA" as "diabetic ketoacidosis"."""
    return _WORD.sub(lambda word: known_abbreviations().get(word[0], word[0]), text)
