"""Whether those whom a work studied are those whom the question is about, as far as words show it.

Ages, sex, pregnancy, and people against animals or cells: what a text says of these can be compared. Where question or
work says nothing of one, nothing is said of it; that a work "fits" means that nothing it says speaks against it and
that it speaks of at least one thing that the question names.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from wellsourced.claims.guard.groups import ages_overlap
from wellsourced.clinical.ages import extract_age_ranges
from wellsourced.text.sanitization import short_line
from wellsourced.types import Passage, Question, Reference

MAX_CHARS_READ = 4_000
"""Characters of a document in which those who were studied are looked for."""

MAX_WORDS_SHOWN = 12
"""Words of a source that are shown."""

_WOMEN = re.compile(r"\b(?:women|woman|girls|females?|mothers)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys|males?)\b", re.IGNORECASE)
_PREGNANT = re.compile(r"\bpregnan\w+|\bgestation\w*|\bantenatal\b", re.IGNORECASE)
_NOT_PEOPLE = re.compile(
    r"\b(?:in|of|with|using|between) (?:\w+ ){0,3}?(?:mice|rats|rabbits|zebrafish|pigs|dogs|macaques|rodents)\b"
    r"|\b(?:mouse|rat|murine|animal|rabbit) (?:models?|stud(?:y|ies))\b"
    r"|\b(?:mice|rats) (?:were|was|treated|fed|given)\b"
    r"|\bin vitro\b|\b(?:cell lines?|cultured (?:\w+ )?cells)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:patients?|participants?|people|persons?|men|women|children|adults?|volunteers?|humans?|infants?)\b",
    re.IGNORECASE,
)
_ANIMALS = re.compile(
    r"\b(?:mice|mouse|rats?|murine|animals?|rodents?|in vitro|cells?|zebrafish|dogs?|veterinary)\b", re.I
)

PopulationLabel = Literal["fits", "differs", "not stated"]


class PopulationMatch(NamedTuple):
    """Whether it fits; how not, with the words of the source."""

    label: PopulationLabel
    reason: str = ""


def match_population(question: Question, reference: Reference, passage: Passage, text: str) -> PopulationMatch:
    """What the title, the passage and the beginning of the document say, held against the question.

    The question's population is that of its PICO where it has one, else what its own words say.
    """
    wanted = question.pico.population if question.pico and question.pico.population else question.text
    said = (reference.title, passage.text, text[:MAX_CHARS_READ])
    compared = (_compare_species(wanted, said), _compare_ages(wanted, said), _compare_sexes(wanted, said))
    found = [one for one in compared if one]
    worst = next((one for one in found if one.label == "differs"), None)
    return worst or (PopulationMatch("fits") if found else PopulationMatch("not stated"))


def _compare_species(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    """A work on animals or cells only, for a question that does not ask for them."""
    if _ANIMALS.search(wanted) or _find_first(_PEOPLE, said):
        return None
    if found := _find_first(_NOT_PEOPLE, said):
        return PopulationMatch("differs", f"it speaks of no people: “{short_line(found.group(), MAX_WORDS_SHOWN)}”")
    return None


def _compare_ages(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    """Ages of the work that have nothing in common with those that are asked for."""
    asked = list(extract_age_ranges(wanted))
    told = next((some for part in said if (some := list(extract_age_ranges(part)))), [])
    if not asked or not told:
        return None
    if any(ages_overlap(one, other) for one in asked for other in told):
        return PopulationMatch("fits")
    return PopulationMatch("differs", f"it speaks of other ages: “{short_line(told[0].words, MAX_WORDS_SHOWN)}”")


def _compare_sexes(wanted: str, said: Sequence[str]) -> PopulationMatch | None:
    """One sex, or pregnancy, of which alone the work speaks, when the question asks for another."""
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        if not own.search(wanted) or other.search(wanted):
            continue
        if _find_first(own, said):
            return PopulationMatch("fits")
        if found := _find_first(other, said):
            return PopulationMatch("differs", f"it speaks only of “{found.group()}”")
    if _PREGNANT.search(wanted):
        return PopulationMatch("fits") if _find_first(_PREGNANT, said) else None
    return None


def _find_first(pattern: re.Pattern[str], said: Sequence[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.search, said)), None)
