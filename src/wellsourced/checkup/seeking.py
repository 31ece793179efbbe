"""Asking everybody who may know a work: by one id, or by what a text says of it."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.checkup.agreeing import Agreement, agreement
from wellsourced.checkup.catalogues import Catalogue, IdKind
from wellsourced.checkup.identifying import spellings
from wellsourced.errors import NotFound, SourceError, WellsourcedError
from wellsourced.http import Failure, failure_of
from wellsourced.text.works import works
from wellsourced.types import Cited, Reference

CANDIDATES = 5
"""Works that one catalogue is asked for by a title."""

LONGEST = 300
"""Characters of a title that are sent: no title has as many."""


class Down(NamedTuple):
    """Somebody who could not be asked, and why."""

    name: str
    failure: Failure
    reason: str


class Looked(NamedTuple):
    """What came of asking for one id.

    reference   the card; None where nobody knows the id
    final       it does not exist: whoever gives out such ids says so
    asked, down who answered, and who did not
    """

    reference: Reference | None = None
    final: bool = False
    asked: tuple[str, ...] = ()
    down: tuple[Down, ...] = ()


async def by_id(kind: IdKind, id: str, catalogues: Sequence[Catalogue]) -> Looked:
    """The work with this id, by the first who knows it. Of a DOI, shorter spellings are tried when it is not known."""
    looked = await _by_spelling(kind, id, catalogues)
    for shorter in spellings(id)[1:] if kind == "doi" else ():
        if looked.reference or not looked.final:
            break
        again = await _by_spelling(kind, shorter, catalogues)
        looked = again if again.reference else looked
    return looked


async def _by_spelling(kind: IdKind, id: str, catalogues: Sequence[Catalogue]) -> Looked:
    asked: list[str] = []
    down: list[Down] = []
    for catalogue in catalogues:
        if kind not in catalogue.ids:
            continue
        try:
            found = await catalogue.by_id(kind, id)
        except NotFound:
            asked.append(catalogue.name)
            if catalogue.ids[kind]:
                return Looked(None, True, tuple(asked), tuple(down))
        except WellsourcedError as error:
            down.append(_down(catalogue, error))
        else:
            return Looked(found, False, (*asked, catalogue.name), tuple(down))
    return Looked(None, False, tuple(asked), tuple(down))


class Searched(NamedTuple):
    """What came of asking for a title.

    sure    works that it must be, one card each; near: works that may be meant, the likeliest first
    """

    sure: tuple[Reference, ...] = ()
    near: tuple[Reference, ...] = ()
    asked: tuple[str, ...] = ()
    down: tuple[Down, ...] = ()


async def by_title(cited: Cited, catalogues: Sequence[Catalogue]) -> Searched:
    """The works that a text may mean by a title, an author and a year; one after another is asked until one is sure."""
    asked: list[str] = []
    down: list[Down] = []
    judged: list[tuple[Agreement, Reference]] = []
    for catalogue in (one for one in catalogues if one.lists):
        try:
            found = await catalogue.like(
                cited.title[:LONGEST], cited.authors, cited.year[:4], cited.journal[:LONGEST], CANDIDATES
            )
        except WellsourcedError as error:
            down.append(_down(catalogue, error))
            continue
        asked.append(catalogue.name)
        judged += [(agreement(cited, one), one) for one in found]
        if any(how.sure for how, _ in judged):
            break
    sure = _of_works([one for how, one in judged if how.sure])
    ranked = sorted((pair for pair in judged if pair[0].near), key=lambda pair: -pair[0].share)
    near = _of_works([one for _, one in ranked])
    return Searched(_narrowed(cited, sure), near, tuple(asked), tuple(down))


def _narrowed(cited: Cited, sure: Sequence[Reference]) -> tuple[Reference, ...]:
    """Of several works of one title, those of just this year and author, if there are."""
    exact = [one for one in sure if (how := agreement(cited, one)).author and how.years == 0]
    return tuple(exact if len(sure) > 1 and exact else sure)


def _of_works(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """One card for each work."""
    first = works(references)
    return tuple({first[one.id]: one for one in reversed(references)}.values())[::-1]


def _down(catalogue: Catalogue, error: WellsourcedError) -> Down:
    # A library may lack what it searches with. That is no outage of a server, and as little is known.
    failure = failure_of(error) if isinstance(error, SourceError) else "refused"
    return Down(catalogue.name, failure, str(error).rstrip("."))
