"""How far the title of a page for patients is what a question is about: "Fever", of a child with a fever.

A page on sickle cell disease speaks of a fever too, and of calling a doctor; whoever asks has a fever to do with.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from wellsourced.clinical.word_forms import BEGINNING_LENGTH, rate_rarity
from wellsourced.text.tokens import content_stems

_IDLE_IN_TITLES = frozenset(
    content_stems("what need know about adult adults disease diseases disorder disorders problem problems information")
)
"""Words of titles that say little of what a page is on."""

_IDLE = _IDLE_IN_TITLES | frozenset(
    content_stems("child children should doctor call tell happen cause get go mean do feel many much take thing eat")
)
"""Words of questions that do; a title with a child, where none is asked of, is on another matter."""

MAX_OPENING_LENGTH = 300
"""Characters of a text in which it says what its subject is called."""

MIN_RARITY = 4.5
"""Rarity from which a word is rare."""

IDLE_RARITY = 0.5
"""What such a word counts."""


def rate_focus(wordings: Sequence[str], names: Sequence[str]) -> float:
    """From 0 to 1: the share of a title that a wording of the question has, and of the question that the title has.

    Rare words count for more.

    names   the title, and what else its subject is called
    """
    named = [_weigh_words(name, _IDLE_IN_TITLES) for name in names]
    asked = [_weigh_words(wording, _IDLE) for wording in wordings]
    return max((_rate(wording, name) for wording in asked for name in named), default=0.0)


def find_other_names(title: str, texts: Iterable[str]) -> list[str]:
    """What else the subject of a title is called, where texts on it begin with that: "also called low blood sugar"."""
    begins = re.compile(
        rf"{re.escape(title)},? (?:\([^)]*\),? )?(?:is |are |was )?(?:also |sometimes |often )?"
        r"(?:called|known as|referred to as|means|is the (?:medical )?(?:name|term|word) for|refers to)"
        r" (?P<names>[^.;:()]{3,60}?)"
        r"(?:,? (?:is|are|occurs?|happens?)\b|[.;:()])",
        re.IGNORECASE,
    )
    found = (begins.search(text[:MAX_OPENING_LENGTH]) for text in texts)
    return [name for one in found if one for name in re.split(r",? or |, ", one["names"]) if name]


def share_title(wordings: Sequence[str], names: Sequence[str]) -> float:
    """The share of a title, or of another name of its subject, that the question has, in any wording."""
    named = [_weigh_words(name, _IDLE_IN_TITLES) for name in names]
    asked = [_weigh_words(wording, _IDLE) for wording in wordings]
    return max(
        (_weigh_shared(wording, name) / sum(name.values()) for wording in asked for name in named if name), default=0.0
    )


def list_rare_stems(wordings: Iterable[str]) -> frozenset[str]:
    """Stems of the question that tell by themselves what a text is on: "lungworm", not "fever"."""
    stems = {stem for wording in wordings for stem in content_stems(wording)} - _IDLE
    return frozenset(stem for stem in stems if rate_rarity(stem) >= MIN_RARITY)


def _rate(asked: Mapping[str, float], named: Mapping[str, float]) -> float:
    shared = _weigh_shared(asked, named)
    return (shared / sum(named.values()) + shared / sum(asked.values())) / 2 if shared else 0.0


def _weigh_shared(asked: Mapping[str, float], named: Mapping[str, float]) -> float:
    return sum(min(asked[word], named[word]) for word in asked.keys() & named.keys())


def _weigh_words(text: str, idle: frozenset[str]) -> dict[str, float]:
    """How its words begin, in any form, and how rare they are."""
    stems = content_stems(text)
    return {stem[:BEGINNING_LENGTH]: IDLE_RARITY if stem in idle else rate_rarity(stem) for stem in stems}
