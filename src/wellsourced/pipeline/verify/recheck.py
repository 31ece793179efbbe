"""Ask again whether the works that a stored answer cites have been withdrawn since, and what else has changed if the
question is answered now.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.pipeline.retrieve.retractions import look_up_retractions, update_retraction
from wellsourced.sources.base import RetractionRegistry
from wellsourced.types import Answer, Gap, Reference, Retraction, Statement
from wellsourced.types.answers import PLANNING_TIER


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


class WithdrawnWork(NamedTuple):
    """A work that the earlier answer cites and that may not count any more, and why."""

    reference: Reference
    objection: str


class AnswerChanges(NamedTuple):
    """What has changed, as far as it can be known.

    new              statements that were not said before, in the words of now
    no_longer_said   statements of before that are not said now
    withdrawn        works cited before that have been withdrawn or doubted since
    newly_cited      works that are cited now and were not
    verdict          how the answer as a whole turned, a sentence each: to a "no", or to none at all
    unknown          why something cannot be known, a sentence each: a source that does not answer, or is not asked
    searched_first   sources that were searched now and not then: they may be why
    is_comparable    whether statements and works could be compared; where not, only `withdrawn` is told
    """

    new: tuple[str, ...] = ()
    no_longer_said: tuple[str, ...] = ()
    withdrawn: tuple[WithdrawnWork, ...] = ()
    newly_cited: tuple[Reference, ...] = ()
    verdict: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    searched_first: tuple[str, ...] = ()
    is_comparable: bool = True

    @property
    def has_changed(self) -> bool:
        """Whether anything is not as it was."""
        return any((self.new, self.no_longer_said, self.withdrawn, self.newly_cited, self.verdict))


def compare_answers(before: Answer, now: Answer) -> list[str]:
    """What differs between two answers to one question, a sentence each."""
    earlier, today = ({statement.text for statement in answer.statements} for answer in (before, now))
    changes = [f"no longer stated: {text}" for text in sorted(earlier - today)]
    changes += [f"new: {text}" for text in sorted(today - earlier)]
    changes += _describe_turn(before, now)
    if not changes and [one.text for one in before.statements] != [one.text for one in now.statements]:
        changes.append("the statements are in another order")
    return changes


def find_changes(rechecked: RecheckResult, now: Answer, sources: Collection[str]) -> AnswerChanges:
    """Compare an answer with what is answered now.

    What rests on a source that answered then and does not now would seem to be no longer so. Then, and where somebody
    else writes, statements and works are not compared.

    rechecked   the earlier answer, and what the registries know now of its works
    sources     names of what can be searched now
    """
    before = rechecked.answer
    lacks = (*_list_lost_sources(before, now, sources), *_describe_other_writer(before, now))
    unasked = tuple(f"{gap.source} could not say which works were withdrawn: {gap.reason}" for gap in rechecked.gaps)
    changes = AnswerChanges(withdrawn=tuple(_list_withdrawn(rechecked, now)), unknown=(*lacks, *unasked))
    # What rests on a source that is silent now would seem to be said no longer: then nothing but withdrawals is told.
    if lacks:
        return changes._replace(is_comparable=False)
    earlier, today = _cited_works(before), _cited_works(now)
    works = group_by_work([*earlier.values(), *today.values()])
    known = {works[id] for id in earlier}
    return changes._replace(
        new=_list_unsaid(now, before),
        no_longer_said=_list_unsaid(before, now),
        newly_cited=tuple({works[id]: one for id, one in today.items() if works[id] not in known}.values()),
        verdict=tuple(_describe_turn(before, now)),
        searched_first=tuple(name for name in _searched_sources(now) if name not in _searched_sources(before)),
    )


def _searched_sources(answer: Answer) -> dict[str, None]:
    searches = (one for one in answer.attempts if one.tier != PLANNING_TIER and one.status != "failed")
    return dict.fromkeys(one.search.source for one in searches)


def _list_lost_sources(before: Answer, now: Answer, sources: Collection[str]) -> Iterator[str]:
    failures = {gap.source: gap.reason for gap in now.gaps if gap.status == "failed"}
    failures |= {one.search.source: one.error for one in now.attempts if one.status == "failed"}
    for name in _searched_sources(before):
        if name in failures:
            yield f"{name} could not be searched: {failures[name]}"
        elif name not in sources:
            yield f"{name} was searched then, but is not searched now"


def _describe_other_writer(before: Answer, now: Answer) -> Iterator[str]:
    if before.writer != now.writer and before.statements and now.statements:
        then, today = (one.writer or "the sources themselves" for one in (before, now))
        yield f"the answer was written by {then} then, and by {today} now"


def _list_withdrawn(rechecked: RecheckResult, now: Answer) -> Iterator[WithdrawnWork]:
    """Of what registries say, and of what the search left out now for that reason; each work once."""
    cited = _cited_works(rechecked.answer)
    known = {
        one.id: WithdrawnWork(one, objection) for one in rechecked.changes if (objection := one.retraction.objection)
    }
    for one in now.dropped:
        # The search leaves out what was withdrawn before it is read: that, too, is how one learns of it.
        reference = cited.get(one.id.rpartition("#")[0])
        if reference and one.is_withdrawal:
            known.setdefault(reference.id, WithdrawnWork(reference, one.reason))
    yield from known.values()


def _list_unsaid(of: Answer, other: Answer) -> tuple[str, ...]:
    """Statements of one answer that the other has neither in these words nor on the same quotes."""
    texts = {one.text for one in other.statements}
    quotes = {_quotes(one) for one in other.statements}
    return tuple(
        # The same quotes in other words are the same statement: a model words them differently each time.
        one.text
        for one in of.statements
        if one.text not in texts and (not one.citations or _quotes(one) not in quotes)
    )


def _quotes(statement: Statement) -> frozenset[str]:
    return frozenset(one.quote for one in statement.citations)


def _cited_works(answer: Answer) -> dict[str, Reference]:
    home = {item.passage.id: item.passage.reference for item in answer.evidence}
    return {home[id].id: home[id] for id in answer.shown_ids}


def _describe_turn(before: Answer, now: Answer) -> Iterator[str]:
    if before.abstained != now.abstained:
        yield "there was an answer then, but not now" if now.abstained else "there is an answer now, but was none then"
    if before.choice and now.choice and before.choice != now.choice:
        yield f"the choice was {before.choice} then, and is {now.choice} now"
