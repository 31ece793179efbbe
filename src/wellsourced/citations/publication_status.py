"""What has happened to a work since it was published: which notices stand, and what a reinstatement lifts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from wellsourced.text.dates import day_number, day_range
from wellsourced.types import Notice, Reference, Retraction

REINSTATEMENT_PREFIX = "reinstated"
"""How the reason of a notice (a republication) begins when it makes a withdrawn work valid again."""

NOTICE_KINDS_BY_GRAVITY = ("retraction", "concern", "correction", "republication")
UNKNOWN_DAY = 99_999_999
"""Later than every day: of what has no date, nobody can say that it came before a reinstatement."""

_BARE_DOI = re.compile(r"10\.\d{4,9}/\S+")
_RESOLVER_URL = re.compile(r"https?://[^/]*doi\.org/", re.IGNORECASE)


class WorkIds(NamedTuple):
    """The ids of a work: its DOI in lower case, its PMID in digits; "" for what it lacks."""

    doi: str
    pmid: str


def reference_ids(reference: Reference) -> WorkIds:
    """The ids that a card gives, its own id among them."""
    kind, _, id = reference.id.partition(":")
    doi = normalize_doi(reference.doi) or (normalize_doi(id) if kind == "doi" else "")
    return WorkIds(doi, normalize_pmid(reference.pmid) or (normalize_pmid(id) if kind == "pubmed" else ""))


def normalize_doi(doi: str) -> str:
    """A DOI as DOIs are compared: bare, in small letters (ISO 26324: case does not count); "" when there is none.

    "https://doi.org/10.1000/ABC", "doi:10.1000/abc" and "10.1000/Abc." are one.
    """
    found = _BARE_DOI.search(unquote(doi) if _RESOLVER_URL.match(doi.strip()) else doi)
    return found.group().rstrip(".,;").lower() if found else ""


def normalize_pmid(text: str) -> str:
    """A PMID as digits alone; "" for what is none, 0 among it."""
    digits = text.strip()
    return digits.lstrip("0") if digits.isascii() and digits.isdecimal() else ""


def merge_retractions(words: Sequence[Retraction]) -> Retraction:
    """What is known of a work when all have spoken.

    A retraction stands, whoever says so, unless the work was reinstated on the same day or later; a notice without a
    date is as old as the word that it comes from. Then any concern stands. "false" needs somebody who knows the work
    and lists no retraction that stands; else it is "unknown". The gravest notices come first; those that a
    reinstatement lifted are left out, and the reinstatement itself is kept.
    """
    reinstatements = (notice for word in words for notice in word.notices if _is_reinstatement(notice))
    lifted = max(map(_reinstatement_day, reinstatements), default=0)
    notices = _deduplicate_notices(notice for word in words for notice in _select_standing_notices(word, lifted))
    retracted = any(notice.kind == "retraction" for notice in notices)
    retracted |= any(_has_retraction_without_notice(word) and _as_of_day(word) > lifted for word in words)
    knowing = [word for word in words if word.status == "true" or (word.status == "false" and not retracted)]
    status = "true" if retracted else "false" if knowing else "unknown"
    return Retraction(
        status=status,
        as_of=max((word.as_of for word in knowing if word.as_of), default=None),
        notices=tuple(sorted(notices, key=lambda notice: NOTICE_KINDS_BY_GRAVITY.index(notice.kind))),
    )


def _is_reinstatement(notice: Notice) -> bool:
    return notice.kind == "republication" and notice.reason.startswith(REINSTATEMENT_PREFIX)


def _reinstatement_day(notice: Notice) -> int:
    """The first day on which a reinstatement may have come; 0 when it has no date and can lift nothing."""
    earliest = day_range(notice.published).earliest
    return 0 if earliest == UNKNOWN_DAY else earliest


def _select_standing_notices(word: Retraction, lifted: int) -> Iterator[Notice]:
    """The notices of one word, without retractions that were lifted, by a reinstatement or by the word itself."""
    for notice in word.notices:
        latest = day_range(notice.published).latest or _as_of_day(word)
        if notice.kind != "retraction" or (word.status != "false" and latest > lifted):
            yield notice


def _has_retraction_without_notice(word: Retraction) -> bool:
    return word.status == "true" and all(notice.kind != "retraction" for notice in word.notices)


def _as_of_day(word: Retraction) -> int:
    return day_number(word.as_of) if word.as_of else UNKNOWN_DAY


def _deduplicate_notices(notices: Iterable[Notice]) -> list[Notice]:
    """One of each kind, source and id: Crossref gives a notice once for the publisher and once for Retraction Watch."""
    first: dict[tuple[str, str, str], Notice] = {}
    for notice in notices:
        first.setdefault((notice.kind, notice.source, notice.id), notice)
    return list(first.values())
