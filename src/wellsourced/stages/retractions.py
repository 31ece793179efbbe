"""Retractions: before anything is read, ask who keeps count of them; what was withdrawn or doubted may not count."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.accounts import current
from wellsourced.admission import Admission
from wellsourced.errors import SourceError
from wellsourced.sources.base import Local, Registry
from wellsourced.stages.search import Candidate
from wellsourced.text.notices import ids_of, settled
from wellsourced.types import Answer, Dropped, Evidence, Gap, Notice, Passage, Reference, Retraction, Statement

PATIENCE = 30.0
"""Seconds that one registry on the network may take, from its turn on."""

TITLES = ("RETRACTED:", "RETRACTED ARTICLE:", "WITHDRAWN:")
"""How publishers begin the title of a work that they withdrew; the title of a notice begins "Retraction"."""


class LookedUp(NamedTuple):
    """What is known of each work, by the id of its reference, and the registries that could not be asked."""

    retractions: Mapping[str, Retraction]
    gaps: tuple[Gap, ...] = ()


class Settled(NamedTuple):
    """The candidates that may count, in order, their cards with what is known of the works; the others, with why."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()
    gaps: tuple[Gap, ...] = ()


async def settle(
    candidates: Sequence[Candidate],
    registries: Sequence[Registry],
    seconds: float = PATIENCE,
    admission: Admission | None = None,
) -> Settled:
    """Leave out what was withdrawn or doubted, by the records themselves or by any registry; a correction is neither.

    seconds     patience with one registry on the network; all are asked at once, and one that fails is a gap, never
                "not retracted"
    admission   the lines in which questions wait for a registry; None: nobody else asks
    """
    references = {one.passage.reference.id: one.passage.reference for one in candidates}
    known = await look_up(list(references.values()), registries, seconds, admission)
    carrying = [one._replace(passage=_carrying(one.passage, known.retractions)) for one in candidates]
    objections = [one.passage.reference.retraction.objection for one in carrying]
    return Settled(
        tuple(one for one, objection in zip(carrying, objections, strict=True) if not objection),
        tuple(_dropped(one.passage, reason) for one, reason in zip(carrying, objections, strict=True) if reason),
        known.gaps,
    )


async def look_up(
    references: Sequence[Reference],
    registries: Sequence[Registry],
    seconds: float = PATIENCE,
    admission: Admission | None = None,
) -> LookedUp:
    """What the records and the registries together say of each work (see `text.notices.settled`).

    Records of one work, known by a DOI or a PMID that they share, speak for each other.
    """
    findable = [one for one in references if any(ids_of(one))]
    lines = admission or Admission()
    answers = await asyncio.gather(*(_ask(one, findable, seconds, lines) for one in registries if findable))
    works = _by_work(references)
    retractions = {}
    for one in references:
        words = [answer.words[one.id] for answer in answers if one.id in answer.words]
        retractions[one.id] = settled([own_word(one), *_of_kin(one, works), *words])
    return LookedUp(retractions, tuple(gap for answer in answers for gap in answer.gaps))


class _Answer(NamedTuple):
    """What one registry said, by the ids of references, or why it said nothing."""

    words: Mapping[str, Retraction]
    gaps: tuple[Gap, ...] = ()


async def _ask(registry: Registry, references: Sequence[Reference], seconds: float, lines: Admission) -> _Answer:
    account = current()
    try:
        async with asyncio.timeout(account.count_seconds_left()):
            if isinstance(registry, Local):
                return _Answer(await registry.retractions(references))
            async with lines.admit_search(registry.name), asyncio.timeout(seconds):
                return _Answer(await registry.retractions(references))
    except TimeoutError:
        reason = f"no answer within {seconds:g} s"
        if account.is_over():
            reason = f"no answer within the {account.budget.seconds:g} s of budget.seconds"
            account.leave_out(f"the question to {registry.name} which works were retracted")
    except SourceError as error:
        reason = str(error)
    told = f"it could not be asked which works were retracted: {reason}"
    return _Answer({}, (Gap(source=registry.name, status="failed", reason=told),))


def _by_work(references: Sequence[Reference]) -> Mapping[str, Sequence[Reference]]:
    """The references that share an id."""
    works = defaultdict(list)
    for one in references:
        for id in filter(None, ids_of(one)):
            works[id].append(one)
    return works


def _of_kin(reference: Reference, works: Mapping[str, Sequence[Reference]]) -> list[Retraction]:
    ids = filter(None, ids_of(reference))
    return [own_word(other) for id in ids for other in works[id] if other.id != reference.id]


def own_word(reference: Reference) -> Retraction:
    """What the record itself says, the title that the publisher gave it included."""
    if not reference.title.startswith(TITLES):
        return reference.retraction
    title = Notice(kind="retraction", source="its title")
    return settled([reference.retraction, Retraction(status="true", notices=(title,))])


def _carrying(passage: Passage, retractions: Mapping[str, Retraction]) -> Passage:
    """The passage, its card with what is known of the work now."""
    reference = passage.reference
    now = retractions.get(reference.id, reference.retraction)
    if now == reference.retraction:
        return passage
    return passage.model_copy(update={"reference": reference.model_copy(update={"retraction": now})})


def _dropped(passage: Passage, reason: str) -> Dropped:
    return Dropped(what="passage", id=passage.id, text=passage.text, reason=reason)


class Changed(NamedTuple):
    """A cited work that stands otherwise than it did, and what was known of it before."""

    reference: Reference
    before: Retraction


class Rechecked(NamedTuple):
    """A stored answer, asked about again.

    answer    as it was given, word for word; the cards of its evidence say what is known now
    changed   the cited works that were withdrawn, doubted or reinstated since
    fallen    the statements that rest on nothing but works that may not count any more
    gaps      registries that could not be asked: of them, nothing new is known
    """

    answer: Answer
    changed: tuple[Changed, ...]
    fallen: tuple[Statement, ...]
    gaps: tuple[Gap, ...]


async def recheck(answer: Answer, registries: Sequence[Registry], seconds: float = PATIENCE) -> Rechecked:
    """Ask again about every work in the evidence of an answer; nothing that it says is changed or left out."""
    before = {item.passage.reference.id: item.passage.reference for item in answer.evidence}
    known = await look_up(list(before.values()), registries, seconds)
    evidence = tuple(_renewed(item, known.retractions) for item in answer.evidence)
    home = {item.passage.id: item.passage.reference for item in evidence}
    cited = {home[c.passage_id].id: home[c.passage_id] for s in answer.statements for c in s.citations}
    return Rechecked(
        answer.model_copy(update={"evidence": evidence}),
        tuple(
            Changed(one, before[one.id].retraction)
            for one in cited.values()
            if _standing(one.retraction) != _standing(before[one.id].retraction)
        ),
        tuple(one for one in answer.statements if _fallen(one, home)),
        known.gaps,
    )


def _renewed(item: Evidence, retractions: Mapping[str, Retraction]) -> Evidence:
    return item.model_copy(update={"passage": _carrying(item.passage, retractions)})


def _standing(retraction: Retraction) -> str:
    """ "retracted", "under an expression of concern" or "": a second notice of the same kind changes nothing."""
    return retraction.objection.partition(" (")[0]


def _fallen(statement: Statement, home: Mapping[str, Reference]) -> bool:
    rests_on = [home[citation.passage_id] for citation in statement.citations]
    return bool(rests_on) and all(one.retraction.objection for one in rests_on)
