"""Ask again whether the works that a stored answer cites have been withdrawn since, and compare two answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.pipeline.retrieve.retractions import look_up_retractions, update_retraction
from wellsourced.sources.base import RetractionRegistry
from wellsourced.types import Answer, Gap, Reference, Retraction, Statement


class RecheckResult(NamedTuple):
    """A stored answer, and what is known now of the works that it cites.

    answer    as it was given, word for word; the references of its evidence say what is known now
    changes   the cited works that were withdrawn, doubted or reinstated since
    unsupported_statements   the statements that rest on nothing but works that may not count any more
    gaps      registries that could not be asked: of them, nothing new is known
    """

    answer: Answer
    changes: tuple[Reference, ...]
    unsupported_statements: tuple[Statement, ...]
    gaps: tuple[Gap, ...]


async def recheck_answer(answer: Answer, registries: Sequence[RetractionRegistry]) -> RecheckResult:
    """Ask again about every work in the evidence of an answer; nothing that it says is changed or left out."""
    before = {item.passage.reference.id: item.passage.reference for item in answer.evidence}
    known = await look_up_retractions(list(before.values()), registries)
    evidence = tuple(
        item.model_copy(update={"passage": update_retraction(item.passage, known.retractions)})
        for item in answer.evidence
    )
    home = {item.passage.id: item.passage.reference for item in evidence}
    now = answer.model_copy(update={"evidence": evidence})
    return RecheckResult(
        now,
        tuple(
            one
            for one in _cited_works(now).values()
            # A second notice of the same kind changes nothing for a reader.
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


def compare_answers(before: Answer, now: Answer) -> list[str]:
    """What differs between two answers to one question, a sentence each."""
    earlier, today = ({statement.text for statement in answer.statements} for answer in (before, now))
    changes = [f"no longer stated: {text}" for text in sorted(earlier - today)]
    changes += [f"new: {text}" for text in sorted(today - earlier)]
    changes += _describe_turn(before, now)
    if not changes and [one.text for one in before.statements] != [one.text for one in now.statements]:
        changes.append("the statements are in another order")
    return changes


def _cited_works(answer: Answer) -> dict[str, Reference]:
    home = {item.passage.id: item.passage.reference for item in answer.evidence}
    return {home[id].id: home[id] for id in answer.shown_ids}


def _describe_turn(before: Answer, now: Answer) -> Iterator[str]:
    if before.abstained != now.abstained:
        yield "there was an answer then, but not now" if now.abstained else "there is an answer now, but was none then"
    if before.choice and now.choice and before.choice != now.choice:
        yield f"the choice was {before.choice} then, and is {now.choice} now"
