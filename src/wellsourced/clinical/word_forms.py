"""Words in a form in which they are known again: abbreviations written out, the beginnings of those that tell."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

_WORD = re.compile(r"\b[A-Z][\w/-]*[A-Z0-9]\w*\b")


@cache
def known_abbreviations() -> Mapping[str, str]:
    """Abbreviation, as it is written → what it means where nothing speaks against it."""
    return {row[0]: row[1] for row in read_rows("wellsourced.clinical", "abbreviations.tsv")}


@cache
def _shorts_of() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for short, long in known_abbreviations().items():
        found[long] = (*found.get(long, ()), short)
    return found


@cache
def _shorts_in_any_letters() -> Mapping[str, str]:
    """Those that are no word in small letters, by these: "hba1c" → "HbA1c"; "all" and "aids" are words."""
    return {short.lower(): short for short in known_abbreviations() if not (short.isalpha() and short.isupper())}


def find_abbreviation(word: str) -> str:
    """The abbreviation that a word is, as the table writes it; "" where it is none."""
    return word if word in known_abbreviations() else _shorts_in_any_letters().get(word.lower(), "")


def list_other_abbreviations(short: str) -> tuple[str, ...]:
    """The other abbreviations of what one stands for: A1C for HbA1c, NOAC for DOAC."""
    return tuple(other for other in _shorts_of().get(known_abbreviations().get(short, ""), ()) if other != short)


def write_out_abbreviations(text: str) -> str:
    """The text with what is known of its abbreviations written out: "DKA" as "diabetic ketoacidosis"."""
    return _WORD.sub(lambda word: known_abbreviations().get(word[0], word[0]), text)


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


def word_beginnings(text: str) -> frozenset[str]:
    """How its telling words begin: "nephrologist" is of nephrology, and who is "referred" needs a referral."""
    stems = content_stems(write_out_abbreviations(text))
    return frozenset(_cut(stem) for stem in stems if not stem[0].isdecimal()) - _GENERIC


def _cut(stem: str) -> str:
    """A stem as far as it counts, a doubled letter at its end once: "referr" is "refer"."""
    begun = stem[:BEGINNING_LENGTH]
    return begun[:-1] if begun[-1] == begun[-2:-1] else begun


_GENERIC = frozenset(map(_cut, GENERIC_STEMS))

MIN_TELLING_WORDS = 3
"""Telling words from which a wording says what it is about; "What are the steps?" does not."""


def list_telling_words(wordings: Iterable[str]) -> list[frozenset[str]]:
    """The telling words of each wording of a question; where all have hardly any, of those that have as many as the
    first: "Who can't have Antabuse?", and "contraindications to disulfiram"."""
    found = [word_beginnings(wording) for wording in wordings]
    telling = [words for words in found if len(words) >= MIN_TELLING_WORDS]
    return telling or [words for words in found if len(words) >= max(1, len(found[0]))]
