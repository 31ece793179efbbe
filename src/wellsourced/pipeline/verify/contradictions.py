"""Results of other works, or lines of the same digest, that speak against a statement, shown beside it without a count.

Single sentences are held against each other, never a list against a paragraph. Two that do not know of each other have
to say that they oppose each other: the rules for results (`claims/results/agreement.py`), read both ways, and the
judge of support. Either alone sees too many. Nothing is dropped for it: who reads both sides may find that they
studied other people, or another dose.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.claims.results.agreement import (
    are_opposite_results,
    list_interventions,
    may_be_of_same_people,
    reports_result,
)
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.quote_placement import judge_support
from wellsourced.readers.guidelines import DigestContradiction, load_digest_contradictions
from wellsourced.text.sanitization import one_line
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.types import Conflict, ConflictSide, Document, Evidence, Passage, Statement
from wellsourced.types.documents import hash_text

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


MIN_CITED_SHARE = 0.5
"""Share of a line that a statement quotes when it rests on the line."""

MAX_DIGEST_CONFLICTS = 3
"""Of one answer, the gravest."""


def find_digest_conflicts(
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    known: Sequence[DigestContradiction] | None = None,
) -> tuple[tuple[Conflict, ...], tuple[Evidence, ...]]:
    """Conflicts of what is cited with what its own digest says elsewhere, and the passages of that which were not read.

    known   None: those that come along
    """
    home = {item.passage.id: item.passage.reference.id for item in evidence}
    cited = {(home.get(one.passage_id), one.start, one.end) for said in statements for one in said.citations}
    conflicts: list[Conflict] = []
    added: dict[str, Evidence] = {}
    for one in load_digest_contradictions() if known is None else known:
        document = documents.get(one.document)
        if (
            len(conflicts) == MAX_DIGEST_CONFLICTS
            or document is None
            or not _is_cited(one, cited)
            or hash_text(document.text) != one.sha256
        ):
            continue
        sides = [(side, _find_passage(side, document, evidence)) for side in one.sides]
        added |= {item.passage.id: item for _, item in sides if item.passage.id not in home}
        conflicts.append(
            Conflict(about=one.about, sides=tuple(_build_digest_side(side, document, item) for side, item in sides))
        )
    return tuple(conflicts), tuple(added.values())


def _is_cited(one: DigestContradiction, cited: Collection[tuple[str | None, int, int]]) -> bool:
    """Whether what is cited, which of a row is each of its cells, is the greater part of a side."""
    own = [(start, end) for id, start, end in cited if id == one.document]
    return any(
        sum(max(0, min(end, side.end) - max(start, side.start)) for start, end in own)
        >= MIN_CITED_SHARE * (side.end - side.start)
        for side in one.sides
    )


def _find_passage(side: Span, document: Document, evidence: Sequence[Evidence]) -> Evidence:
    """The passage of the evidence that the line stands in; else the line's section."""
    own = (item for item in evidence if item.passage.reference.id == document.reference.id)
    around = (item for item in own if item.passage.start <= side.start and side.end <= item.passage.end)
    return next(around, None) or Evidence(passage=_build_section(side, document), relevance=0.0)


def _build_section(side: Span, document: Document) -> Passage:
    around = (one for one in document.sections if one.start <= side.start and side.end <= one.end)
    section = next(around, None)
    start, end = (section.start, section.end) if section else side
    end = start + len(document.text[start:end].rstrip())
    title = section.title if section else ""
    return Passage(reference=document.reference, text=document.text[start:end], start=start, end=end, section=title)


def _build_digest_side(side: Span, document: Document, item: Evidence) -> ConflictSide:
    quote = document.text[side.start : side.end]
    return ConflictSide(says=quote, passage_id=item.passage.id, quote=quote)
