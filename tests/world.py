"""A small world to ask about: three documents, a judge that knows them, and a context that holds both."""

from collections.abc import Sequence

from wellsourced.context import Context
from wellsourced.judges.base import Pair
from wellsourced.models.base import NoModel
from wellsourced.planners.rules import RulePlanner
from wellsourced.policy import Policy
from wellsourced.sources.fake import FakeSource
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document, Passage, Reference, Retraction, Section, SourceKind, Verdict

SUPPORTS = Verdict(label="supports", score=0.9)
SILENT = Verdict(label="silent", score=0.1)

COLCHICINE = "Colchicine shortened the gout flare by two days compared with placebo."
NAUSEA = "They also reported more nausea than the control group did."
WEATHER = "The weather in the study region was mild for most of the year."


def document(
    document_id: str, text: str, kind: SourceKind = "research", title: str = "", retraction: Retraction | None = None
) -> Document:
    """A document of one unnamed section."""
    reference = Reference(
        id=document_id, title=title or document_id, kind=kind, published="2021", retraction=retraction or Retraction()
    )
    return Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))


TRIAL = document("pubmed:1", f"{COLCHICINE} {WEATHER}", title="A trial of colchicine")
WITHDRAWN = document("pubmed:2", "Colchicine cured every gout flare in an hour.", retraction=Retraction(status="true"))
GUIDELINE = document("doi:10.1000/gout", "Colchicine is recommended for gout flares.", kind="guideline")


def passages(*documents: Document) -> list[Passage]:
    """All passages of the documents, in order."""
    return [passage for one in documents for passage in cut_passages(one)]


def source(name: str, *documents: Document, kind: SourceKind = "research") -> FakeSource:
    """A source that finds everything it holds."""
    return FakeSource(name, documents, passages(*documents), kind)


class Knowing:
    """Finds relevant whatever contains one of the sentences that it was told, and remembers what it was asked."""

    name = "knowing"

    def __init__(self, relevant: Sequence[str]) -> None:
        self.relevant = relevant
        self.asked: list[Pair] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        return [SUPPORTS if any(told in pair.text for told in self.relevant) else SILENT for pair in pairs]


def context(*sources: FakeSource, relevant: tuple[str, ...] = (COLCHICINE,), policy: Policy | None = None) -> Context:
    """A context whose judge finds just these texts relevant."""
    judge = Knowing(relevant)
    return Context(
        sources=sources,
        model=NoModel(),
        support_judge=judge,
        planner=RulePlanner(),
        policy=policy or Policy(),
    )
