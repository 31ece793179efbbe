"""Which records are of the same work, by the ids and titles under which a work is known."""

import re
from collections import defaultdict
from collections.abc import Iterable

from wellsourced.citations.publication_status import normalize_pmid, reference_ids
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Reference

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


_PMID = re.compile(r"(?:(?:pmid|pubmed)\s*:?\s*)?([0-9]{1,9})", re.IGNORECASE)
_PMCID = re.compile(r"(?:pmc\s*:\s*)?pmc\s*([0-9]{1,9})|pmc\s*:\s*([0-9]{1,9})", re.IGNORECASE)


def possible_ids(given: str) -> tuple[str, ...]:
    """The ids that somebody may mean who writes "31234567", "PMID: 31234567", "PMC123" or the address of a DOI.

    What was written comes first, as it is: it may be the id of a document of one's own.
    """
    bare = given.strip()
    pmid, pmcid, doi = _PMID.fullmatch(bare), _PMCID.fullmatch(bare), reference_ids(Reference(id=bare, doi=bare)).doi
    others = [f"pubmed:{normalize_pmid(pmid[1])}"] if pmid and normalize_pmid(pmid[1]) else []
    others += [f"pmc:PMC{pmcid[1] or pmcid[2]}"] if pmcid else []
    others += [f"doi:{doi}"] if doi else []
    return (bare, *(other for other in others if other.casefold() != bare.casefold()))


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
    pmcid = normalize_pmid((reference.pmcid or (id if kind == "pmc" else "")).upper().removeprefix("PMC"))
    return [f"{name}:{id}" for name, id in (("doi", doi), ("pmid", pmid), ("pmcid", pmcid)) if id]


def _title_key(reference: Reference) -> str:
    title = tokenize(reference.title)
    telling = set(title) - STOP_WORDS - DISCUSSION_WORDS
    is_discussion = not DISCUSSION_TYPES.isdisjoint(reference.publication_types)
    if not reference.year or is_discussion or len(telling) < MIN_TITLE_WORDS:
        return ""
    return f"{' '.join(title)} {reference.year}"
