"""Read: look closely at what was found, keep what bears on the question, and say why the rest is left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.judges.base import Judge, Pair
from wellsourced.kit import Kit, Policy
from wellsourced.stages.search import Candidate
from wellsourced.text.context import in_context, with_heading
from wellsourced.text.units import units
from wellsourced.types import Document, Dropped, Evidence, Passage, Question


class Reading(NamedTuple):
    """What was kept, best first, the documents it was cut from by their ids, and what was left out."""

    evidence: tuple[Evidence, ...] = ()
    documents: Mapping[str, Document] = {}
    dropped: tuple[Dropped, ...] = ()

    def __add__(self, other: object) -> "Reading":
        """Two readings as one; a document read twice is kept as it was read first."""
        if not isinstance(other, Reading):
            return NotImplemented
        known = {item.passage.id for item in self.evidence}
        new = tuple(item for item in other.evidence if item.passage.id not in known)
        return Reading(
            tuple(sorted(self.evidence + new, key=lambda item: (-item.relevance, item.passage.id))),
            {**other.documents, **self.documents},
            self.dropped + other.dropped,
        )


async def read(question: Question, candidates: Sequence[Candidate], kit: Kit) -> Reading:
    """Keep what bears on the question, best first, as much as is to be read. Retracted works are never judged."""
    standing = [one for one in candidates if one.passage.reference.retraction.status != "true"]
    retracted = [_dropped(one.passage, "retracted") for one in candidates if one not in standing]
    weighed = await weigh(question, standing, kit.relevance)
    bearing = [one for one in weighed if one.relevance >= kit.policy.relevant]
    close = spread(bearing, kit.policy)
    left = [_dropped(one.passage, _why_left(one, bearing)) for one in weighed if one not in close]
    opened = [(one, await _open(one, kit)) for one in close]
    unopened = [_dropped(one.passage, "its document could not be opened") for one, document in opened if not document]
    evidence = [
        Evidence(passage=with_heading(one.passage, document), relevance=one.relevance)
        for one, document in opened
        if document
    ]
    return Reading(
        tuple(await show(question, evidence, kit.relevance)),
        {document.reference.id: document for _, document in opened if document},
        tuple(retracted + left + unopened),
    )


class Weighed(NamedTuple):
    """A passage, the source that can open its document, and the probability that it bears on the question."""

    passage: Passage
    source: str
    relevance: float


async def weigh(question: Question, candidates: Sequence[Candidate], judge: Judge) -> list[Weighed]:
    """Judge every passage under the titles it stands under, all in one wave; best first."""
    verdicts = await judge.judge([Pair(question.text, in_context(one.passage)) for one in candidates])
    weighed = [Weighed(*one, verdict.score) for one, verdict in zip(candidates, verdicts, strict=True)]
    return sorted(weighed, key=lambda one: (-one.relevance, one.passage.id))


def spread(weighed: Sequence[Weighed], policy: Policy) -> list[Weighed]:
    """The best, as many as are read closely, no document with more than its share."""
    taken: Counter[str] = Counter()
    kept = []
    for one in weighed:
        taken[one.passage.reference.id] += 1
        if taken[one.passage.reference.id] <= policy.per_document:
            kept.append(one)
    return kept[: policy.passages]


def _why_left(one: Weighed, bearing: Sequence[Weighed]) -> str:
    return f"{'others bear more on the question' if one in bearing else 'silent'} ({one.relevance:.2f})"


async def show(question: Question, evidence: Sequence[Evidence], judge: Judge) -> list[Evidence]:
    """The evidence with the words that show best why it bears on the question; all passages in one wave."""
    parts = [units(item.passage) for item in evidence]
    verdicts = iter(await judge.judge([Pair(question.text, unit.text) for some in parts for unit in some]))
    shown = []
    for item, some in zip(evidence, parts, strict=True):
        scored = [(next(verdicts).score, unit) for unit in some]
        best = max(scored, key=lambda pair: pair[0], default=None)
        quotes = tuple(best[1].quotes(item.passage.text)) if best else ()
        shown.append(item.model_copy(update={"quotes": quotes}))
    return shown


async def _open(candidate: Weighed, kit: Kit) -> Document | None:
    """The document, if it still says what the index says it says."""
    passage = candidate.passage
    try:
        document = await kit.source(candidate.source).open(passage.reference.id)
    except SourceError:
        return None
    return document if document.text[passage.start : passage.end] == passage.text else None


def _dropped(passage: Passage, reason: str) -> Dropped:
    return Dropped(what="passage", id=passage.id, text=passage.text, reason=reason)
