"""What is known of a work: which records are of the same one, by ids and titles, and which notices on it stand."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from wellsourced.citations.identifiers import normalize_pmcid, reference_ids
from wellsourced.lazy import lazy_regex
from wellsourced.text.dates import day_number, day_range
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Notice, Reference, Retraction

MIN_TITLE_WORDS = 4
"""Content words that a title must have to identify a work: there are many “Letters to the editor” in a year."""

_DISCUSSION_WORDS_TEXT = """
    letter letters editor editors reply replies response responses author authors comment comments commentary editorial
    correspondence erratum errata corrigendum correction corrections retraction notice
"""
DISCUSSION_WORDS = frozenset(_DISCUSSION_WORDS_TEXT.split())
"""Words of titles that say which part a text has in a discussion, and not of what it is."""

DISCUSSION_TYPES = frozenset(
    ("Published Erratum", "Retraction of Publication", "Expression of Concern", "Comment", "Editorial", "Letter")
)
"""Types of publication that may bear the title of the work that they speak of."""

REINSTATEMENT_PREFIX = "reinstated"
"""How the reason of a notice (a republication) begins when it makes a withdrawn work valid again."""

_DOCUMENT_WORD = r"(?:\s+(?:article|paper|chapter|publication|manuscript|study|review))?"
RETRACTION_MARK = lazy_regex(
    rf"^\W*(?:this\s+(?:article|paper)\s+(?:has\s+been|was|is)\s+)?(?:retracted|withdrawn|removed){_DOCUMENT_WORD}"
    r"\s*(?:[:\])]|\.\s|[—–-]+\s)\s*"
    rf"|\s*[\[(](?:this\s+(?:article|paper)\s+(?:has\s+been|was|is)\s+)?(?:retracted|withdrawn)\b[^\])]{{0,200}}[\])]\W*$"
    rf"|\s*(?:[:.]\s|[—–-]+\s?)(?:retracted|withdrawn){_DOCUMENT_WORD}\W*$",
    re.IGNORECASE,
)
"""How publishers and indexes mark the title of a work that was withdrawn; that of a notice begins "Retraction"."""

MARKUP_TAG = lazy_regex(r"</?[A-Za-z][^<>]{0,80}>")
NOTICE_KINDS_BY_GRAVITY = ("retraction", "concern", "correction", "republication")
UNKNOWN_DAY = 99_999_999
"""Later than every day: of what has no date, nobody can say that it came before a reinstatement."""


def title_retraction(title: str, source: str = "its title") -> Retraction:
    """What a title says of its own work: "true" where it is marked as withdrawn, else "unknown"."""
    if not RETRACTION_MARK.search(MARKUP_TAG.sub("", title)):
        return Retraction()
    return Retraction(status="true", notices=(Notice(kind="retraction", source=source),))


def merge_retractions(words: Sequence[Retraction]) -> Retraction:
    """What is known of a work when all have spoken.

    A retraction stands, whoever says so, unless the work was reinstated on the same day or later; a notice without a
    date is as old as the word that it comes from. Then any concern stands. "false" needs somebody who knows the work
    and lists no retraction that stands; else it is "unknown". The gravest notices come first; those that a
    reinstatement lifted are left out, and the reinstatement itself is kept.
    """
    republished = (notice for word in words for notice in word.notices if notice.kind == "republication")
    reinstatements = (notice for notice in republished if notice.reason.startswith(REINSTATEMENT_PREFIX))
    # The first day on which each may have come; one without a date can lift nothing.
    days = (day_range(notice.published).earliest for notice in reinstatements)
    lifted = max((day for day in days if day != UNKNOWN_DAY), default=0)
    # One of each kind, source and id: Crossref gives one for the publisher and one for Retraction Watch.
    first: dict[tuple[str, str, str], Notice] = {}
    for notice in (notice for word in words for notice in _select_standing_notices(word, lifted)):
        first.setdefault((notice.kind, notice.source, notice.id), notice)
    notices = list(first.values())
    retracted = any(notice.kind == "retraction" for notice in notices)
    without_notice = (word for word in words if all(notice.kind != "retraction" for notice in word.notices))
    retracted |= any(word.status == "true" and _as_of_day(word) > lifted for word in without_notice)
    knowing = [word for word in words if word.status == "true" or (word.status == "false" and not retracted)]
    status = "true" if retracted else "false" if knowing else "unknown"
    return Retraction(
        status=status,
        as_of=max((word.as_of for word in knowing if word.as_of), default=None),
        notices=tuple(sorted(notices, key=lambda notice: NOTICE_KINDS_BY_GRAVITY.index(notice.kind))),
    )


def _select_standing_notices(word: Retraction, lifted: int) -> Iterator[Notice]:
    """The notices of one word, without retractions that were lifted, by a reinstatement or by the word itself."""
    for notice in word.notices:
        latest = day_range(notice.published).latest or _as_of_day(word)
        # A notice without a date is as old as the word that it comes from.
        if notice.kind != "retraction" or (word.status != "false" and latest > lifted):
            yield notice


def _as_of_day(word: Retraction) -> int:
    return day_number(word.as_of) if word.as_of else UNKNOWN_DAY


def group_by_work(references: Iterable[Reference]) -> dict[str, str]:
    """The id of each reference → the id of the first reference of the same work.

    Records are of one work when they share a DOI, a PMID or a PMC id, or both share one with a third. By title and
    year they are when nothing speaks against it: of a title that works with different DOIs, PMIDs or PMC ids bear in
    one year, nobody can say whose it is. A record that has nothing of this stands alone.
    """
    known = list(references)
    groups = _group_by_ids(known)
    for bearing in _group_by_title(known).values():
        several = list({id(groups[key]): groups[key] for key in bearing}.values())
        kinds = [kind for group in several for kind in {key.partition(":")[0] for key in group} - {"record"}]
        if len(several) > 1 and len(kinds) == len(set(kinds)):
            _join_group(groups, set().union(*several))
    first: dict[int, str] = {}
    return {one.id: first.setdefault(id(groups[_record_key(one)]), one.id) for one in known}


def _group_by_ids(references: Iterable[Reference]) -> dict[str, set[str]]:
    """Record, or id of a work → all of either that are of the same work, one set for each work."""
    groups: dict[str, set[str]] = {}
    for one in references:
        own = {_record_key(one), *_id_keys(one)}
        _join_group(groups, own.union(*(groups.get(key, ()) for key in own)))
    return groups


def _join_group(groups: dict[str, set[str]], group: set[str]) -> None:
    groups.update(dict.fromkeys(group, group))


def _group_by_title(references: Iterable[Reference]) -> dict[str, list[str]]:
    """Title and year, where they identify a work → the records that bear them."""
    bearing: dict[str, list[str]] = defaultdict(list)
    for one in references:
        if title := _title_key(one):
            bearing[title].append(_record_key(one))
    return bearing


def _record_key(reference: Reference) -> str:
    return f"record:{reference.id}"


def _id_keys(reference: Reference) -> list[str]:
    doi, pmid = reference_ids(reference)
    kind, _, id = reference.id.partition(":")
    pmcid = normalize_pmcid(reference.pmcid or (id if kind == "pmc" else ""))
    return [f"{name}:{id}" for name, id in (("doi", doi), ("pmid", pmid), ("pmcid", pmcid)) if id]


def _title_key(reference: Reference) -> str:
    title = tokenize(reference.title)
    telling = set(title) - STOP_WORDS - DISCUSSION_WORDS
    is_discussion = not DISCUSSION_TYPES.isdisjoint(reference.publication_types)
    # "Letter to the editor" is the title of many works a year, and a comment bears the title of what it comments on.
    if not reference.year or is_discussion or len(telling) < MIN_TITLE_WORDS:
        return ""
    return f"{' '.join(title)} {reference.year}"
