"""Read: look closely at what was found, keep what bears on the question, and say why the rest is left out."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.judges.base import Judge, Pair
from wellsourced.kit import Kit
from wellsourced.stages.search import Candidate
from wellsourced.text.units import in_context, units, with_heading
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
    """Keep what bears on the question. Retracted works are left out before anyone judges them."""
    standing = [c for c in candidates if c.passage.reference.retraction.status != "true"]
    retracted = [_dropped(c.passage, "retracted") for c in candidates if c not in standing]
    opened = [(candidate.passage, await _open(candidate, kit)) for candidate in standing]
    passages = [with_heading(passage, document) for passage, document in opened if document]
    unopened = [_dropped(passage, "its document could not be opened") for passage, document in opened if not document]
    weighed = await weigh(question, passages, kit.relevance)
    kept = [item for item in weighed if item.relevance >= kit.policy.relevant]
    silent = [_dropped(item.passage, f"silent ({item.relevance:.2f})") for item in weighed if item not in kept]
    evidence = await show(question, kept, kit.relevance)
    documents = {document.reference.id: document for _, document in opened if document}
    return Reading(tuple(evidence), documents, tuple(retracted + unopened + silent))


async def weigh(question: Question, passages: Sequence[Passage], judge: Judge) -> list[Evidence]:
    """Judge every passage with what its reference and its heading say it is about; best first."""
    verdicts = await judge.judge([Pair(question.text, in_context(passage)) for passage in passages])
    evidence = [
        Evidence(passage=passage, relevance=verdict.score) for passage, verdict in zip(passages, verdicts, strict=True)
    ]
    return sorted(evidence, key=lambda item: (-item.relevance, item.passage.id))


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


async def _open(candidate: Candidate, kit: Kit) -> Document | None:
    """The document, if it still says what the index says it says."""
    passage = candidate.passage
    try:
        document = await kit.source(candidate.source).open(passage.reference.id)
    except SourceError:
        return None
    return document if document.text[passage.start : passage.end] == passage.text else None


def _dropped(passage: Passage, reason: str) -> Dropped:
    return Dropped(what="passage", id=passage.id, text=passage.text, reason=reason)
