"""Names of people and groups, their parts kept apart as CSL names them (Citation Style Language 1.0.2, names).

A record keeps each author as one line: “Family, Given”, “Family, Given, Suffix”, or a group as it is called, which
stands in braces, as in BibTeX, where its commas would be read as a person's.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from wellsourced.lazy import lazy_regex

MAX_GIVEN_WORDS = 4
"""Words of given names, at most: what has more behind its comma is a group."""

_BLANKED = str.maketrans(".-", "  ")
_SUFFIX = lazy_regex(r"(?:jr|sr|[2-9](?:nd|rd|th)|II|III|IV)\.?", re.IGNORECASE)
MAX_INITIALS = 4

_GROUP_NOUNS = (
    "academy|administration|agency|alliance|association|board|cent(?:er|re)s?|clinic|collaboration|collaborators|college"
    "|commission|committee|consortium|council|department|federation|foundation|group|institutes?|investigators|ministry"
    "|network|organi[sz]ation|service|society|task force|team|trialists|union|university"
)
GROUP_NOUN = lazy_regex(rf"\b(?:{_GROUP_NOUNS})\b|^[A-Z/]{{2,20}}$", re.IGNORECASE)
"""What a group is, or its abbreviation alone."""

GROUP_WORD = lazy_regex(rf"\b(?:of|for|the|and|on|in)\b|^The\b|(?i:\b(?:{_GROUP_NOUNS})\b)")
"""Words that a group has in its name and a person has not."""

_BEHALF = lazy_regex(r"\A(?:on behalf of|for) (?=the\b|[A-Z])", re.IGNORECASE)
_TITLE = lazy_regex(r"\A(?:(?:Dr|Prof|Professor|Mr|Mrs|Ms|Sir|Dame)\.? )+")
_DEGREES = lazy_regex(
    r"(?:, ?(?:M\.?D|Ph\.?D|M\.?Sc|B\.?Sc|M\.?P\.?H|R\.?N|D\.?O|M\.?B\.?B\.?S|F\.?R\.?C\.?P|Pharm\.?D)\.?)+\Z"
)
_PARTICLE = lazy_regex(r"(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|al|el|bin|ibn|zu)\b|\S*['’]\Z")


class Author(NamedTuple):
    """An author.

    family   with its particles: "van der Berg"
    given    names or initials, as the source has them; "" when it has none
    suffix   "Jr", "III"
    group    a group, or a name that nobody took apart; the others are empty then
    """

    family: str = ""
    given: str = ""
    suffix: str = ""
    group: str = ""

    @property
    def initials(self) -> str:
        """The first letters of the given names, without points: "JP" of "Jean-Pierre"."""
        if _is_initials(self.given):
            return "".join(filter(str.isalpha, self.given))
        return "".join(part[0].upper() for part in self.given.translate(_BLANKED).split() if part[:1].isalpha())

    def __str__(self) -> str:
        """As NLM prints it: "van der Berg JP", "Smith JA Jr", "King ML 3rd"."""
        suffix = {"II": "2nd", "III": "3rd", "IV": "4th"}.get(self.suffix, self.suffix.rstrip("."))
        return self.group or " ".join(filter(None, (self.family, self.initials, suffix)))


def format_person(family: str, given: str = "", suffix: str = "") -> str:
    """One line of a record for a person; a comma behind a name says that it has no other."""
    parts = [words for part in (family, given, suffix) if (words := " ".join(part.split()))]
    return ", ".join(parts) if len(parts) > 1 else f"{''.join(parts)},"


def format_group(name: str) -> str:
    """One line of a record for a group."""
    name = _BEHALF.sub("", " ".join(name.split()))
    return name if parse_author(name).group == name else f"{{{name}}}"


def format_display_name(name: str) -> str:
    """One line of a record for a person whose name stands as it is spoken: "Jane B. Doe", "Ludwig van der Berg".

    Only where it is certain which word is the family name: the last of two, one behind initials or particles.
    """
    name = _TITLE.sub("", _DEGREES.sub("", " ".join(name.split())))
    if (author := parse_author(name)).family:
        given, suffix = author.given.split(), author.suffix
        if "," in name and not suffix and given[1:] and _SUFFIX.fullmatch(given[-1]):
            suffix = given.pop()
        # "Beethoven, Ludwig van": the particles are the family's.
        first = len(given)
        while first > 1 and _PARTICLE.fullmatch(given[first - 1]):
            first -= 1
        is_sorted = given[first:] or suffix != author.suffix
        family = " ".join((*given[first:], author.family))
        return format_person(family, " ".join(given[:first]), suffix) if is_sorted else name
    words, suffix = _split_suffix(name)
    first = next((place for place, word in enumerate(words) if place and _PARTICLE.match(word)), len(words) - 1)
    certain = first < len(words) - 1 or all(len(word.strip(".")) == 1 for word in words[1:-1])
    if "," in name or len(words) < 2 or not certain or GROUP_WORD.search(" ".join(words[:first])):
        return name
    return format_person(" ".join(words[first:]), " ".join(words[:first]), suffix)


def format_csl_name(name: Mapping[str, object]) -> str:
    """One line of a record for a name of CSL (an author or a group); "" for one without a name."""
    said = {part: words.strip() for part, words in name.items() if isinstance(words, str)}
    parts = (said.get(part, "") for part in ("dropping-particle", "non-dropping-particle", "family"))
    if not said.get("family"):
        return format_group(said.get("literal", ""))
    return format_person(" ".join(filter(None, parts)), said.get("given", ""), said.get("suffix", ""))


def parse_author(line: str) -> Author:
    """The parts of “Smith, John A.”, “Smith JA”, “Smith, Jr, John”; any other form, or a group, is one name."""
    line = " ".join(line.split())
    if line.startswith("{") and line.endswith("}"):
        return Author(group=line[1:-1])
    line = _BEHALF.sub("", line)
    if GROUP_WORD.search(line):
        return Author(group=line)
    family, *rest = (part.strip() for part in line.split(","))
    if len(rest) == 2 and _SUFFIX.fullmatch(rest[0]):
        rest.reverse()
    if family and rest == [""]:
        return Author(family)
    if family and rest and all(rest) and len(rest) <= 2 and len(rest[0].split()) <= MAX_GIVEN_WORDS:
        return Author(family, rest[0], rest[1] if len(rest) == 2 else "")
    words, suffix = _split_suffix(line)
    start = len(words)
    while start > 1 and _is_initials(words[start - 1]):
        start -= 1
    if start == len(words) or len(words) - start > MAX_GIVEN_WORDS:
        return Author(group=line)
    return Author(" ".join(words[:start]), " ".join(words[start:]), suffix)


def _split_suffix(name: str) -> tuple[list[str], str]:
    """The words of a name, and the suffix behind at least two of them."""
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    return words, suffix


def _is_initials(given: str) -> bool:
    letters = "".join(given.translate(_BLANKED).split())
    return letters.isalpha() and letters.isupper() and len(letters) <= MAX_INITIALS
