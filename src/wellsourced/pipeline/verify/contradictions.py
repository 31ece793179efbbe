"""Results of other works that speak against a statement, shown beside it without a count.

Single sentences are held against each other, never a list against a paragraph. Two that do not know of each other have
to say that they oppose each other: the rules for results (`claims/results/agreement.py`), read both ways, and the
judge of support. Either alone sees too many. Nothing is dropped for it: who reads both sides may find that they
studied other people, or another dose.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.results.agreement import (
    are_opposite_results,
    list_interventions,
    may_be_of_same_people,
    reports_result,
)
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.quote_placement import judge_support
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


async def find_contradictions(
    statements: Sequence[Statement], evidence: Sequence[Evidence], judge: Judge
) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
    """Conflicts of statements that stand with other works of the evidence; none, and a note, when the judge fails."""
    found = list(_find_opposing(statements, [item.passage for item in evidence]))[:MAX_JUDGED_PAIRS]
    said = await judge_support([Pair(one_line(shown.sentence), other.sentence) for shown, other in found], judge)
    against = [one for one, verdict in zip(found, said.verdicts, strict=True) if verdict.label == "contradicts"]
    # One for each sentence shown and work that opposes it, though several statements rest on the sentence.
    first: dict[tuple[str, str], Conflict] = {}
    for shown, other in against:
        sides = (_build_side(shown), _build_side(other))
        first.setdefault((sides[0].says, other.passage.reference.id), Conflict(about=sides[0].says, sides=sides))
    return tuple(first.values())[:MAX_CONFLICTS], said.notes


def _find_opposing(
    statements: Sequence[Statement], passages: Sequence[Passage]
) -> Iterator[tuple[ReportedResult, ReportedResult]]:
    """A sentence that a statement rests on, and one of another work that opposes it."""
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
                titled = (f"{each.passage.reference.title}. {each.sentence}" for each in (shown, other))
                if may_be_of_same_people(*titled) and are_opposite_results(shown.sentence, other.sentence):
                    yield shown, other


def _list_results(passage: Passage) -> Iterator[ReportedResult]:
    for start, end in split_sentences(passage.text):
        if reports_result(passage.text[start:end]):
            yield ReportedResult(passage, start, end)


def _rests_on(statement: Statement, result: ReportedResult) -> bool:
    start, end = result.passage.start + result.start, result.passage.start + result.end
    return any(
        citation.passage_id == result.passage.id and citation.start < end and start < citation.end
        for citation in statement.citations
    )


def _build_side(result: ReportedResult) -> ConflictSide:
    return ConflictSide(says=one_line(result.sentence), passage_id=result.passage.id, quote=result.sentence)
