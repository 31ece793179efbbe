"""References as journals print them, made from the record alone: what the record does not say is left out, not guessed.

AMA        AMA Manual of Style, 11th edition, chapter 3: six authors, or three and “et al”
Vancouver  NLM's Citing Medicine, 2nd edition, as ICMJE recommends it: six authors, then “et al.”
IEEE       IEEE Reference Guide (2024): initials first, six authors or the first and “et al.”
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from wellsourced.text.dates import MONTH_ABBREVIATIONS
from wellsourced.types import Reference

CitationStyle = Literal["ama", "vancouver", "ieee"]

MAX_AUTHORS = 6
"""Authors that all three print in full."""

NAME_WITH_INITIALS = re.compile(r"(?P<family>.+?)[, ]+(?P<initials>(?:[^\W\d_]\.?[- ]?){1,4})")
GROUP_WORD = re.compile(
    r"\b(?:of|for|the|and|group|committee|association|society|college|consortium|network)\b", re.IGNORECASE
)
"""Words that a group has in its name and a person has not."""


class AuthorName(NamedTuple):
    """An author: family name and initials without points; a group, or a name in another form, has no initials."""

    family: str
    initials: str = ""


def parse_author_name(printed: str) -> AuthorName:
    """The parts of “Smith JA” and “Smith, J. A.”; any other form (“John Smith”, a group) is a name as it is printed."""
    found = None if GROUP_WORD.search(printed) else NAME_WITH_INITIALS.fullmatch(printed.strip())
    if not found or not (letters := re.sub(r"[^\w]", "", found["initials"])).isupper():
        family, _, given = (part.strip() for part in printed.partition(","))
        if not given or len(given.split()) > 3:
            return AuthorName(printed.strip())
        letters = "".join(part[0].upper() for part in re.split(r"[\s-]+", given) if part[:1].isalpha())
        return AuthorName(family, letters)
    return AuthorName(found["family"].strip(), letters)


def render_reference(reference: Reference, style: CitationStyle) -> str:
    """One reference in one line. A work that was retracted, or is doubted, says so first."""
    written = STYLE_RENDERERS[style](reference)
    objection = reference.retraction.objection
    return f"[{objection.upper()}] {written}" if objection else written


def _render_ama(reference: Reference) -> str:
    return _join_sentences(
        *_work_and_place(reference, str(reference.year or ""), shown_authors=3),
        _access_date(reference),
        f"doi:{reference.doi}" if reference.doi else reference.url,
        end=not (reference.doi or reference.url),
    )


def _render_vancouver(reference: Reference) -> str:
    has_url_alone = bool(reference.url and not reference.doi and not reference.pmid)
    return _join_sentences(
        *_work_and_place(reference, _publication_date(reference), shown_authors=MAX_AUTHORS),
        f"doi: {reference.doi}" if reference.doi else "",
        f"PMID: {reference.pmid}" if reference.pmid else "",
        f"Available from: {reference.url}" if has_url_alone else "",
        end=not has_url_alone,
    )


def _work_and_place(reference: Reference, date: str, shown_authors: int) -> tuple[str, ...]:
    """What AMA and Vancouver begin with; `shown_authors` are printed of more than six."""
    names = [f"{name.family} {name.initials}".strip() for name in map(parse_author_name, reference.authors)]
    authors = ", ".join(names) if len(names) <= MAX_AUTHORS else f"{', '.join(names[:shown_authors])}, et al"
    place = _join_parts((date, ";"), (_volume_and_issue(reference), ":"), (reference.pages, ""))
    source = _journal_or_publisher(reference, bool(authors))
    return authors or reference.organisation, _title_or_id(reference), source, place


def _render_ieee(reference: Reference) -> str:
    names = [_initials_first(parse_author_name(author)) for author in reference.authors]
    authors = _join_names(names) if len(names) <= MAX_AUTHORS else f"{names[0]} et al."
    parts = (
        authors or reference.organisation,
        f"“{_title_or_id(reference).rstrip('.')},”",
        _journal_or_publisher(reference, bool(authors)),
        f"vol. {reference.volume}" if reference.volume else "",
        f"no. {reference.issue}" if reference.issue else "",
        f"pp. {reference.pages.replace('-', '–')}" if reference.pages else "",
        _month_and_year(reference),
        f"doi: {reference.doi}" if reference.doi else f"[Online]. Available: {reference.url}" if reference.url else "",
    )
    line = ", ".join(part for part in parts if part).replace(",”,", ",”")
    return line if line.endswith(reference.url or "\0") and not reference.doi else f"{line}."


STYLE_RENDERERS: dict[CitationStyle, Callable[[Reference], str]] = {
    "ama": _render_ama,
    "vancouver": _render_vancouver,
    "ieee": _render_ieee,
}


def _initials_first(name: AuthorName) -> str:
    return " ".join([*(f"{letter}." for letter in name.initials), name.family])


def _join_names(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _title_or_id(reference: Reference) -> str:
    """Without a title, the id: a reader has to find the work by something."""
    return " ".join(reference.title.split()) or reference.id


def _journal_or_publisher(reference: Reference, has_authors: bool) -> str:
    """The journal, or who published it where that is not already named as its author."""
    return reference.journal or (reference.organisation if has_authors else "")


def _volume_and_issue(reference: Reference) -> str:
    return f"{reference.volume}({reference.issue})" if reference.issue else reference.volume


def _publication_date(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month, _, day = rest.partition("-")
    return " ".join(filter(None, (year, _month_abbreviation(month), day.lstrip("0"))))


def _month_and_year(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month = _month_abbreviation(rest[:2])
    return " ".join(filter(None, (f"{month}." if month and month != "May" else month, year)))


def _month_abbreviation(number: str) -> str:
    return MONTH_ABBREVIATIONS[int(number) - 1] if number.isdecimal() and 1 <= int(number) <= 12 else ""


def _access_date(reference: Reference) -> str:
    """AMA gives the day on which what can change was read."""
    day = reference.accessed
    return f"Accessed {day:%B} {day.day}, {day.year}" if day and not reference.doi else ""


def _join_parts(*parts: tuple[str, str]) -> str:
    """The parts that there are, each with its mark before the next one that there is."""
    there = [part for part in parts if part[0]]
    return "".join(f"{text}{mark}" for text, mark in there[:-1]) + (there[-1][0] if there else "")


def _join_sentences(*parts: str, end: bool) -> str:
    """Each part ended by a point, unless it ends by a mark of its own; the last one, an address, by none."""
    there = [" ".join(part.split()) for part in parts if part]
    ended = [part if part[-1] in ".?!" else f"{part}." for part in there]
    if there and not end:
        ended[-1] = there[-1]
    return " ".join(ended)
