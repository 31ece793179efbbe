"""Write: let the model draft, and tie every statement to the place its words come from."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.kit import Kit
from wellsourced.prompts.writing import Drafted, Quoted, WriteAnswer
from wellsourced.text.quotes import locate
from wellsourced.types import Citation, Dropped, Evidence, Passage, Question, Statement, Verdict

UNCHECKED = Verdict(label="silent", score=0.0, reason="not checked yet")


class Written(NamedTuple):
    """A draft whose quotes are real; nobody has said yet that they support it."""

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Dropped, ...] = ()


async def write(question: Question, evidence: Sequence[Evidence], kit: Kit) -> Written:
    """Statements with citations. A statement whose quote stands in no passage is dropped here."""
    if not evidence:
        return Written()
    policy = kit.policy
    prompt = WriteAnswer(question=question, evidence=tuple(evidence), statements=policy.statements, leads=policy.leads)
    draft = await kit.model.complete(prompt)
    passages = {item.passage.id: item.passage for item in evidence}
    kept, dropped = [], []
    for drafted in draft.statements:
        citations = tuple(citation for quoted in drafted.quotes if (citation := cite(quoted, passages)))
        if citations and len(citations) == len(drafted.quotes):
            kept.append(_statement(drafted, citations))
        else:
            dropped.append(Dropped(what="statement", id="", text=drafted.text, reason="a quote is in no passage read"))
    return Written(tuple(kept), tuple(dropped))


def _statement(drafted: Drafted, citations: tuple[Citation, ...]) -> Statement:
    return Statement(text=drafted.text, citations=citations, verdict=UNCHECKED, topic=drafted.topic, lead=drafted.lead)


def cite(quoted: Quoted, passages: dict[str, Passage]) -> Citation | None:
    """Where the quoted words stand, in the source's own characters; None when they stand nowhere."""
    passage = passages.get(quoted.passage_id)
    found = locate(quoted.quote, passage.text) if passage else None
    if passage is None or found is None:
        return None
    return Citation(
        passage_id=passage.id,
        quote=passage.text[found.start : found.end],
        start=passage.start + found.start,
        end=passage.start + found.end,
    )
