"""Works: which records are of one and the same article, by what a work is known by everywhere."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.notices import ids_of, pmid_in
from wellsourced.text.tokens import words
from wellsourced.types import Reference

TELLING = 4
"""Content words that a title must have to identify a work: there are many “Letters to the editor” in a year."""


def works(references: Iterable[Reference]) -> dict[str, str]:
    """The id of each reference → the id of the first reference of the same work.

    Records are of one work when they share a DOI, a PMID or a PMC id, or both share one with a third. By title and
    year they are when nothing speaks against it: of a title that works with different DOIs, PMIDs or PMC ids bear in
    one year, nobody can say whose it is. A record that has nothing of this stands alone.
    """
    known = list(references)
    keys = [_ids(one) for one in known]
    titles = _telling_titles(known, keys)
    groups: dict[str, set[str]] = {}
    for one, ids, title in zip(known, keys, titles, strict=True):
        own = {f"record:{one.id}", *ids.values(), *title}
        group = own.union(*(groups.get(key, ()) for key in own))
        groups.update(dict.fromkeys(group, group))
    first: dict[int, str] = {}
    return {one.id: first.setdefault(id(groups[f"record:{one.id}"]), one.id) for one in known}


def _ids(reference: Reference) -> Mapping[str, str]:
    """Kind of id → the id, of those that the record has."""
    doi, pmid = ids_of(reference)
    kind, _, id = reference.id.partition(":")
    pmcid = pmid_in((reference.pmcid or (id if kind == "pmc" else "")).upper().removeprefix("PMC"))
    return {name: f"{name}:{id}" for name, id in (("doi", doi), ("pmid", pmid), ("pmcid", pmcid)) if id}


def _telling_titles(references: Sequence[Reference], ids: Sequence[Mapping[str, str]]) -> list[Sequence[str]]:
    """For each reference its title with the year, where they identify a work; else nothing."""
    titles = [_title(one) for one in references]
    borne: dict[tuple[str, str], set[str]] = defaultdict(set)
    for title, its_ids in zip(titles, ids, strict=True):
        for kind, id in its_ids.items():
            borne[title, kind].add(id)
    ambiguous = {title for (title, _), several in borne.items() if len(several) > 1}
    return [[title] if title and title not in ambiguous else [] for title in titles]


def _title(reference: Reference) -> str:
    title = words(reference.title)
    if not reference.year or len(set(title) - STOP_WORDS) < TELLING:
        return ""
    return f"title:{' '.join(title)} {reference.year}"
