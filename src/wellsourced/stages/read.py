"""Read: look closely at what was found, keep what bears on the question, and say why the rest is left out."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.judges.base import Judge, Pair
from wellsourced.kit import Kit
from wellsourced.stages.search import Candidate
from wellsourced.text.units import Unit, units, with_heading
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
    opened = [await _open(candidate, kit) for candidate in standing]
    passages = [with_heading(c.passage, doc) for c, doc in zip(standing, opened, strict=True) if doc]
    unopened = [_dropped(c.passage, "its document could not be opened") for c, doc in zip(standing, opened) if not doc]
    evidence = await weigh(question, passages, kit.relevance)
    kept = [item for item in evidence if item.relevance >= kit.policy.relevant]
    silent = [_dropped(item.passage, f"silent ({item.relevance:.2f})") for item in evidence if item not in kept]
    documents = {doc.reference.id: doc for doc in opened if doc}
    return Reading(tuple(kept), documents, tuple(retracted + unopened + silent))


async def weigh(question: Question, passages: Sequence[Passage], judge: Judge) -> list[Evidence]:
    """Judge every passage by its best sentences, all in one wave; best first."""
    parts = [units(passage) for passage in passages]
    pairs = [Pair(question.text, unit.text) for some in parts for unit in some]
    verdicts = iter(await judge.judge(pairs))
    evidence = []
    for passage, some in zip(passages, parts, strict=True):
        scored = sorted(((next(verdicts).score, unit) for unit in some), key=lambda pair: -pair[0])
        evidence.append(_evidence(passage, scored))
    return sorted(evidence, key=lambda item: (-item.relevance, item.passage.id))


def _evidence(passage: Passage, scored: Sequence[tuple[float, Unit]]) -> Evidence:
    if not scored:
        return Evidence(passage=passage, relevance=0.0)
    relevance, best = scored[0]
    return Evidence(passage=passage, relevance=relevance, quotes=tuple(best.quotes(passage.text)))


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
