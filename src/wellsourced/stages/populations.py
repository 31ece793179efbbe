"""Populations: whether those whom a work studied are those whom a question is about, as far as words show it.

Ages, sex, pregnancy, and people against animals or cells: what a text says of these can be compared. Where question or
work says nothing of one, nothing is said of it; that a work "fits" means that nothing it says speaks against it and
that it speaks of at least one thing that the question names.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.text.ages import ranges
from wellsourced.text.guard.people import meet
from wellsourced.text.lines import line
from wellsourced.types import Passage, Question, Reference

READ = 4_000
"""Characters of a document in which those who were studied are looked for."""

SHOWN = 12
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

Label = Literal["fits", "differs", "not stated"]


class Match(NamedTuple):
    """Whether it fits; how not, with the words of the source."""

    label: Label
    reason: str = ""


def matched(question: Question, reference: Reference, passage: Passage, text: str) -> Match:
    """What the title, the passage and the beginning of the document say, held against the question.

    The question's population is that of its PICO where it has one, else what its own words say.
    """
    wanted = question.pico.population if question.pico and question.pico.population else question.text
    said = (reference.title, passage.text, text[:READ])
    found = [one for one in (_species(wanted, said), _ages(wanted, said), _sexes(wanted, said)) if one]
    worst = next((one for one in found if one.label == "differs"), None)
    return worst or (Match("fits") if found else Match("not stated"))


def _species(wanted: str, said: Sequence[str]) -> Match | None:
    """A work on animals or cells only, for a question that does not ask for them."""
    if _ANIMALS.search(wanted):
        return None
    if any(_PEOPLE.search(part) for part in said):
        return None
    found = next(_matches(_NOT_PEOPLE, said), None)
    return Match("differs", f"it speaks of no people: “{line(found.group(), SHOWN)}”") if found else None


def _ages(wanted: str, said: Sequence[str]) -> Match | None:
    """Ages of the work that have nothing in common with those that are asked for."""
    asked = list(ranges(wanted))
    told = next((some for part in said if (some := list(ranges(part)))), [])
    if not asked or not told:
        return None
    if any(meet(one, other) for one in asked for other in told):
        return Match("fits")
    return Match("differs", f"it speaks of other ages: “{line(told[0].said, SHOWN)}”")


def _sexes(wanted: str, said: Sequence[str]) -> Match | None:
    """One sex, or pregnancy, of which alone the work speaks, when the question asks for another."""
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        if not own.search(wanted) or other.search(wanted):
            continue
        if next(_matches(own, said), None):
            return Match("fits")
        if found := next(_matches(other, said), None):
            return Match("differs", f"it speaks only of “{found.group()}”")
    if _PREGNANT.search(wanted):
        return Match("fits") if next(_matches(_PREGNANT, said), None) else None
    return None


def _matches(pattern: re.Pattern[str], said: Sequence[str]) -> Iterator[re.Match[str]]:
    return (found for part in said if (found := pattern.search(part)))
