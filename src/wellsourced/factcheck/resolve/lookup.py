"""Asking everybody who may know a work: by one id, or by what a text says of it."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.errors import NotFoundError, SourceError, WellsourcedError
from wellsourced.factcheck.resolve.base import IdKind, WorkCatalogue
from wellsourced.factcheck.resolve.identifiers import doi_spellings
from wellsourced.factcheck.resolve.record_match import RecordAgreement, compare_record
from wellsourced.http import Failure, classify_failure
from wellsourced.types import CitedSource, Reference

MAX_CANDIDATES = 5
"""Works that one catalogue is asked for by a title."""

MAX_TITLE = 300
"""Characters of a title that are sent: no title has as many."""


class CatalogueOutage(NamedTuple):
    """Somebody who could not be asked, and why."""

    name: str
    failure: Failure
    reason: str


class IdLookup(NamedTuple):
    """What came of asking for one id.

    reference   the card; None where nobody knows the id
    final       it does not exist: whoever gives out such ids says so
    asked, down who answered, and who did not
    """

    reference: Reference | None = None
    final: bool = False
    asked: tuple[str, ...] = ()
    down: tuple[CatalogueOutage, ...] = ()


async def look_up_id(kind: IdKind, id: str, catalogues: Sequence[WorkCatalogue]) -> IdLookup:
    """The work with this id, by the first who knows it. Of a DOI, shorter spellings are tried when it is not known."""
    looked = await _look_up_spelling(kind, id, catalogues)
    for shorter in doi_spellings(id)[1:] if kind == "doi" else ():
        # Other spellings are tried only for a DOI that certainly does not exist: an outage says nothing of its
        # spelling.
        if looked.reference or not looked.final:
            break
        again = await _look_up_spelling(kind, shorter, catalogues)
        looked = again if again.reference else looked
    return looked


async def _look_up_spelling(kind: IdKind, id: str, catalogues: Sequence[WorkCatalogue]) -> IdLookup:
    asked: list[str] = []
    down: list[CatalogueOutage] = []
    found, final = None, False
    for catalogue in (one for one in catalogues if kind in one.ids):
        try:
            found = await catalogue.find_by_id(kind, id)
        except NotFoundError:
            final = catalogue.ids[kind]
        except WellsourcedError as error:
            down.append(_build_outage(catalogue, error))
            continue
        asked.append(catalogue.name)
        if found or final:
            break
    return IdLookup(found, final, tuple(asked), tuple(down))


class TitleSearch(NamedTuple):
    """What came of asking for a title.

    sure    works that it must be, one card each; near: works that may be meant, the likeliest first
    """

    sure: tuple[Reference, ...] = ()
    near: tuple[Reference, ...] = ()
    asked: tuple[str, ...] = ()
    down: tuple[CatalogueOutage, ...] = ()


async def search_title(cited: CitedSource, catalogues: Sequence[WorkCatalogue]) -> TitleSearch:
    """The works that a text may mean by a title, an author and a year; one after another is asked until one is sure."""
    asked: list[str] = []
    down: list[CatalogueOutage] = []
    judged: list[tuple[RecordAgreement, Reference]] = []
    for catalogue in (one for one in catalogues if one.has_title_search):
        try:
            found = await catalogue.find_by_citation(
                cited.title[:MAX_TITLE], cited.authors, cited.year[:4], cited.journal[:MAX_TITLE], MAX_CANDIDATES
            )
        except WellsourcedError as error:
            down.append(_build_outage(catalogue, error))
            continue
        asked.append(catalogue.name)
        judged += [(compare_record(cited, one), one) for one in found]
        if any(how.is_sure for how, _ in judged):
            break
    sure = _one_per_work([one for how, one in judged if how.is_sure])
    ranked = sorted((pair for pair in judged if pair[0].is_near), key=lambda pair: -pair[0].share)
    near = _one_per_work([one for _, one in ranked])
    return TitleSearch(_narrow_matches(cited, sure), near, tuple(asked), tuple(down))


def _narrow_matches(cited: CitedSource, sure: Sequence[Reference]) -> tuple[Reference, ...]:
    """Of several works of one title, those of just this year and author, if there are."""
    exact = [one for one in sure if (how := compare_record(cited, one)).author and how.years == 0]
    return tuple(exact if len(sure) > 1 and exact else sure)


def _one_per_work(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """One card for each work."""
    first = group_by_work(references)
    return tuple({first[one.id]: one for one in reversed(references)}.values())[::-1]


def _build_outage(catalogue: WorkCatalogue, error: WellsourcedError) -> CatalogueOutage:
    # A library may lack what it searches with. That is no outage of a server, and as little is known.
    failure = classify_failure(error) if isinstance(error, SourceError) else "refused"
    return CatalogueOutage(catalogue.name, failure, error.phrase)
