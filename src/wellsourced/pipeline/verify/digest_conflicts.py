"""That a line which is cited is contradicted by another line of the same digest: both are shown."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.readers.digest_contradictions import DigestContradiction, load_digest_contradictions
from wellsourced.text.sentences import Span
from wellsourced.types import Conflict, ConflictSide, Document, Evidence, Passage, Statement
from wellsourced.types.documents import hash_text

MIN_CITED_SHARE = 0.5
"""Share of a line that a statement quotes when it rests on the line."""

MAX_CONFLICTS = 3
"""Of one answer, the gravest."""


class DigestConflicts(NamedTuple):
    """The conflicts, and the passages in which the other sides stand, as far as they were not read."""

    conflicts: tuple[Conflict, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def find_digest_conflicts(
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    known: Sequence[DigestContradiction] | None = None,
) -> DigestConflicts:
    """Conflicts of what is cited with what its own digest says elsewhere.

    known   None: those that come along
    """
    home = {item.passage.id: item.passage.reference.id for item in evidence}
    cited = {(home.get(one.passage_id), one.start, one.end) for said in statements for one in said.citations}
    conflicts: list[Conflict] = []
    added: dict[str, Evidence] = {}
    for one in load_digest_contradictions() if known is None else known:
        document = documents.get(one.document)
        if (
            len(conflicts) == MAX_CONFLICTS
            or document is None
            or not _is_cited(one, cited)
            or hash_text(document.text) != one.sha256
        ):
            continue
        sides = [(side, _find_passage(side, document, evidence)) for side in one.sides]
        added |= {item.passage.id: item for _, item in sides if item.passage.id not in home}
        conflicts.append(
            Conflict(about=one.about, sides=tuple(_build_side(side, document, item) for side, item in sides))
        )
    return DigestConflicts(tuple(conflicts), tuple(added.values()))


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
    return next(_list_passages_around(side, document, evidence), None) or Evidence(
        passage=_build_section(side, document), relevance=0.0
    )


def _list_passages_around(side: Span, document: Document, evidence: Sequence[Evidence]) -> Iterator[Evidence]:
    for item in evidence:
        passage = item.passage
        if passage.reference.id == document.reference.id and passage.start <= side.start and side.end <= passage.end:
            yield item


def _build_section(side: Span, document: Document) -> Passage:
    around = (one for one in document.sections if one.start <= side.start and side.end <= one.end)
    section = next(around, None)
    start, end = (section.start, section.end) if section else side
    end = start + len(document.text[start:end].rstrip())
    title = section.title if section else ""
    return Passage(reference=document.reference, text=document.text[start:end], start=start, end=end, section=title)


def _build_side(side: Span, document: Document, item: Evidence) -> ConflictSide:
    quote = document.text[side.start : side.end]
    return ConflictSide(says=quote, passage_id=item.passage.id, quote=quote)
