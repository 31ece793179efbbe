"""Results of other works that speak against a statement, shown beside it without a count.

Single sentences are held against each other, never a list against a paragraph. Two that do not know of each other have
to say that they oppose each other: the rules for results (`claims/results/opposition.py`), read both ways, and the
judge of support. Either alone sees too many. Nothing is dropped for it: who reads both sides may find that they
studied other people, or another dose.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.results.opposition import (
    are_opposite_results,
    list_interventions,
    may_be_of_same_people,
    reports_result,
)
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.support import judge_support
from wellsourced.text.sanitization import one_line
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Conflict, ConflictSide, Evidence, Passage, Statement

MAX_CONFLICTS = 5
"""Conflicts that are shown."""

MAX_JUDGED_PAIRS = 24
"""Pairs that the judge is asked about, at most; those of the first statements and the best evidence first."""


class ReportedResult(NamedTuple):
    """A sentence that reports a result, by its place in the passage."""

    passage: Passage
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """Its words, as printed."""
        return self.passage.text[self.start : self.end]


class OpposingResults(NamedTuple):
    """A sentence that a statement rests on, and one of another work that opposes it."""

    statement: Statement
    shown: ReportedResult
    other: ReportedResult


class ContradictionResult(NamedTuple):
    """The conflicts, and a note where nobody could judge whether there are any."""

    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()


async def find_contradictions(
    statements: Sequence[Statement], evidence: Sequence[Evidence], judge: Judge
) -> ContradictionResult:
    """Conflicts of statements that stand with other works of the evidence; none when the judge fails."""
    found = list(_find_opposing(statements, [item.passage for item in evidence]))[:MAX_JUDGED_PAIRS]
    said = await judge_support([Pair(one_line(one.shown.sentence), one.other.sentence) for one in found], judge)
    against = [one for one, verdict in zip(found, said.verdicts, strict=True) if verdict.label == "contradicts"]
    return ContradictionResult(
        tuple(_build_conflict(one) for one in _first_per_work(against))[:MAX_CONFLICTS], said.notes
    )


def _find_opposing(statements: Sequence[Statement], passages: Sequence[Passage]) -> Iterator[OpposingResults]:
    results = [one for passage in passages for one in _list_results(passage)]
    for statement in statements:
        cited = [one for one in results if _rests_on(statement, one)]
        own = {passage.reference.id for passage in passages if passage.id in statement.cited_ids}
        for shown in cited:
            named = list_interventions(shown.sentence)
            for other in results:
                # Reading a pair is the dearer part: what shares no drug is no pair.
                if other.passage.reference.id in own or named.isdisjoint(list_interventions(other.sentence)):
                    continue
                if _are_of_same_people(shown, other) and are_opposite_results(shown.sentence, other.sentence):
                    yield OpposingResults(statement, shown, other)


def _list_results(passage: Passage) -> Iterator[ReportedResult]:
    for start, end in split_sentences(passage.text):
        if reports_result(passage.text[start:end]):
            yield ReportedResult(passage, start, end)


def _rests_on(statement: Statement, result: ReportedResult) -> bool:
    """Whether the statement quotes words of the sentence."""
    start, end = result.passage.start + result.start, result.passage.start + result.end
    return any(
        citation.passage_id == result.passage.id and citation.start < end and start < citation.end
        for citation in statement.citations
    )


def _are_of_same_people(one: ReportedResult, other: ReportedResult) -> bool:
    titled = (f"{each.passage.reference.title}. {each.sentence}" for each in (one, other))
    return may_be_of_same_people(*titled)


def _first_per_work(against: Sequence[OpposingResults]) -> list[OpposingResults]:
    """One for each sentence shown and work that opposes it, though several statements rest on the sentence."""
    first: dict[tuple[str, str], OpposingResults] = {}
    for one in against:
        first.setdefault((one_line(one.shown.sentence), one.other.passage.reference.id), one)
    return list(first.values())


def _build_conflict(one: OpposingResults) -> Conflict:
    sides = (_build_side(one.shown), _build_side(one.other))
    return Conflict(about=sides[0].says, sides=sides)


def _build_side(result: ReportedResult) -> ConflictSide:
    return ConflictSide(says=one_line(result.sentence), passage_id=result.passage.id, quote=result.sentence)
