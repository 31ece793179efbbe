"""References as journals print them, made from the record alone: what the record does not say is left out, not guessed.

AMA        AMA Manual of Style, 11th edition, chapter 3: six authors, or three and “et al”
Vancouver  NLM's Citing Medicine, 2nd edition, as ICMJE recommends it: six authors, then “et al.”
IEEE       IEEE Reference Guide (2024): initials first, six authors or the first and “et al.”
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from wellsourced.types import Reference

Style = Literal["ama", "vancouver", "ieee"]

MOST = 6
"""Authors that all three print in full."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
INITIALS = re.compile(r"(?P<family>.+?)[, ]+(?P<initials>(?:[^\W\d_]\.?[- ]?){1,4})")
GROUP = re.compile(
    r"\b(?:of|for|the|and|group|committee|association|society|college|consortium|network)\b", re.IGNORECASE
)
"""Words that a group has in its name and a person has not."""


class Name(NamedTuple):
    """An author: family name and initials without points; a group, or a name in another form, has no initials."""

    family: str
    initials: str = ""


def name_of(printed: str) -> Name:
    """The parts of “Smith JA” and “Smith, J. A.”; any other form (“John Smith”, a group) is a name as it is printed."""
    found = None if GROUP.search(printed) else INITIALS.fullmatch(printed.strip())
    if not found or not (letters := re.sub(r"[^\w]", "", found["initials"])).isupper():
        family, comma, given = (part.strip() for part in printed.partition(","))
        if comma and given and len(given.split()) <= 3:
            return Name(family, "".join(part[0].upper() for part in re.split(r"[\s-]+", given) if part[:1].isalpha()))
        return Name(printed.strip())
    return Name(found["family"].strip(), letters)


def cited_as(reference: Reference, style: Style) -> str:
    """One reference in one line. A work that was retracted, or is doubted, says so first."""
    written = WRITERS[style](reference)
    objection = reference.retraction.objection
    return f"[{objection.upper()}] {written}" if objection else written


def _ama(reference: Reference) -> str:
    names = [_surname_first(name_of(author)) for author in reference.authors]
    authors = ", ".join(names) if len(names) <= MOST else f"{', '.join(names[:3])}, et al"
    place = _joined((str(reference.year or ""), ";"), (_volume(reference), ":"), (reference.pages, ""))
    return _sentences(
        authors or reference.organisation,
        _title(reference),
        _publisher(reference, bool(authors)),
        place,
        _accessed(reference),
        f"doi:{reference.doi}" if reference.doi else reference.url,
        end=not (reference.doi or reference.url),
    )


def _vancouver(reference: Reference) -> str:
    names = [_surname_first(name_of(author)) for author in reference.authors]
    authors = ", ".join(names) if len(names) <= MOST else f"{', '.join(names[:MOST])}, et al"
    place = _joined((_date(reference), ";"), (_volume(reference), ":"), (reference.pages, ""))
    return _sentences(
        authors or reference.organisation,
        _title(reference),
        _publisher(reference, bool(authors)),
        place,
        f"doi: {reference.doi}" if reference.doi else "",
        f"PMID: {reference.pmid}" if reference.pmid else "",
        f"Available from: {reference.url}" if reference.url and not reference.doi and not reference.pmid else "",
        end=not (reference.url and not reference.doi and not reference.pmid),
    )


def _ieee(reference: Reference) -> str:
    names = [_initials_first(name_of(author)) for author in reference.authors]
    authors = _and(names) if len(names) <= MOST else f"{names[0]} et al."
    parts = (
        authors or reference.organisation,
        f"“{_title(reference).rstrip('.')},”",
        _publisher(reference, bool(authors)),
        f"vol. {reference.volume}" if reference.volume else "",
        f"no. {reference.issue}" if reference.issue else "",
        f"pp. {reference.pages.replace('-', '–')}" if reference.pages else "",
        _month_and_year(reference),
        f"doi: {reference.doi}" if reference.doi else f"[Online]. Available: {reference.url}" if reference.url else "",
    )
    line = ", ".join(part for part in parts if part).replace(",”,", ",”")
    return line if line.endswith(reference.url or "\0") and not reference.doi else f"{line}."


WRITERS: dict[Style, Callable[[Reference], str]] = {"ama": _ama, "vancouver": _vancouver, "ieee": _ieee}


def _surname_first(name: Name) -> str:
    return f"{name.family} {name.initials}".strip()


def _initials_first(name: Name) -> str:
    return " ".join([*(f"{letter}." for letter in name.initials), name.family])


def _and(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _title(reference: Reference) -> str:
    """Without a title, the id: a reader has to find the work by something."""
    return " ".join(reference.title.split()) or reference.id


def _publisher(reference: Reference, has_authors: bool) -> str:
    """The journal, or who published it where that is not already named as its author."""
    return reference.journal or (reference.organisation if has_authors else "")


def _volume(reference: Reference) -> str:
    return f"{reference.volume}({reference.issue})" if reference.issue else reference.volume


def _date(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month, _, day = rest.partition("-")
    return " ".join(filter(None, (year, _month(month), day.lstrip("0"))))


def _month_and_year(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month = _month(rest[:2])
    return " ".join(filter(None, (f"{month}." if month and month != "May" else month, year)))


def _month(number: str) -> str:
    return MONTHS[int(number) - 1] if number.isdigit() and 1 <= int(number) <= 12 else ""


def _accessed(reference: Reference) -> str:
    """AMA gives the day on which what can change was read."""
    day = reference.accessed
    return f"Accessed {day:%B} {day.day}, {day.year}" if day and not reference.doi else ""


def _joined(*parts: tuple[str, str]) -> str:
    """The parts that there are, each with its mark before the next one that there is."""
    there = [part for part in parts if part[0]]
    return "".join(f"{text}{mark}" for text, mark in there[:-1]) + (there[-1][0] if there else "")


def _sentences(*parts: str, end: bool) -> str:
    """Each part ended by a point, unless it ends by a mark of its own; the last one, an address, by none."""
    there = [" ".join(part.split()) for part in parts if part]
    ended = [part if part[-1] in ".?!" else f"{part}." for part in there]
    if there and not end:
        ended[-1] = there[-1]
    return " ".join(ended)
