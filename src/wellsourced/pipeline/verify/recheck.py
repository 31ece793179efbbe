"""Ask again whether the works that a stored answer cites have been withdrawn since."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.pipeline.retrieve.retractions import REGISTRY_SECONDS, look_up_retractions, update_retraction
from wellsourced.sources.base import RetractionRegistry
from wellsourced.types import Answer, Gap, Reference, Retraction, Statement, cited_passage_ids


class RetractionChange(NamedTuple):
    """A cited work of which something else is known now, and what was known of it before."""

    reference: Reference
    previous: Retraction


class RecheckResult(NamedTuple):
    """A stored answer, and what is known now of the works that it cites.

    answer    as it was given, word for word; the references of its evidence say what is known now
    changes   the cited works that were withdrawn, doubted or reinstated since
    unsupported_statements   the statements that rest on nothing but works that may not count any more
    gaps      registries that could not be asked: of them, nothing new is known
    """

    answer: Answer
    changes: tuple[RetractionChange, ...]
    unsupported_statements: tuple[Statement, ...]
    gaps: tuple[Gap, ...]


async def recheck_answer(
    answer: Answer, registries: Sequence[RetractionRegistry], seconds: float = REGISTRY_SECONDS
) -> RecheckResult:
    """Ask again about every work in the evidence of an answer; nothing that it says is changed or left out."""
    before = {item.passage.reference.id: item.passage.reference for item in answer.evidence}
    known = await look_up_retractions(list(before.values()), registries, seconds)
    evidence = tuple(
        item.model_copy(update={"passage": update_retraction(item.passage, known.retractions)})
        for item in answer.evidence
    )
    home = {item.passage.id: item.passage.reference for item in evidence}
    cited = {home[id].id: home[id] for id in cited_passage_ids(answer.statements)}
    return RecheckResult(
        answer.model_copy(update={"evidence": evidence}),
        tuple(
            RetractionChange(one, before[one.id].retraction)
            for one in cited.values()
            if _objection_kind(one.retraction) != _objection_kind(before[one.id].retraction)
        ),
        tuple(one for one in answer.statements if _has_lost_support(one, home)),
        known.gaps,
    )


def _objection_kind(retraction: Retraction) -> str:
    """ "retracted", "under an expression of concern" or "": a second notice of the same kind changes nothing."""
    return retraction.objection.partition(" (")[0]


def _has_lost_support(statement: Statement, home: Mapping[str, Reference]) -> bool:
    rests_on = [home[id] for id in statement.cited_ids]
    return bool(rests_on) and all(one.retraction.objection for one in rests_on)
