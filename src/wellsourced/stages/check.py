"""Check: no statement stands unless its words are in the document and say what it says."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.judges.base import Judge, Pair
from wellsourced.text.units import same_words
from wellsourced.types import Document, Dropped, Evidence, Statement, Verdict

OWN_WORDS = Verdict(label="supports", score=1.0, reason="the source's own words")


class Kept(NamedTuple):
    """The statements that stand, and those that do not with the reason."""

    statements: tuple[Statement, ...]
    dropped: tuple[Dropped, ...]


async def check(
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    support: Judge,
) -> Kept:
    """Quotes verbatim in the documents, and claims supported by their quotes; the rest is dropped and counted.

    A statement in its source's own words is supported by construction; any other is put to the judge.
    """
    home = {item.passage.id: item.passage.reference.id for item in evidence}
    verdicts = await _judged(statements, support)
    kept, dropped = [], []
    for statement, verdict in zip(statements, verdicts, strict=True):
        reason = _misquoted(statement, home, documents) or _unsupported(verdict)
        if reason:
            dropped.append(Dropped(what="statement", id="", text=statement.text, reason=reason))
        else:
            kept.append(statement.model_copy(update={"verdict": verdict}))
    return Kept(tuple(kept), tuple(dropped))


async def _judged(statements: Sequence[Statement], support: Judge) -> list[Verdict]:
    texts = [" … ".join(citation.quote for citation in statement.citations) for statement in statements]
    own = [same_words(statement.text, text) for statement, text in zip(statements, texts, strict=True)]
    pairs = [Pair(s.text, text) for s, text, its_own in zip(statements, texts, own, strict=True) if not its_own]
    judged = iter(await support.judge(pairs)) if pairs else iter(())
    return [OWN_WORDS if its_own else next(judged) for its_own in own]


def _misquoted(statement: Statement, home: Mapping[str, str], documents: Mapping[str, Document]) -> str:
    for citation in statement.citations:
        document = documents.get(home.get(citation.passage_id, ""))
        if document is None:
            return f"{citation.passage_id} could not be opened to check its words"
        if document.text[citation.start : citation.end] != citation.quote:
            return f"the words are not in {document.reference.id} at {citation.start} to {citation.end}"
    return ""


def _unsupported(verdict: Verdict) -> str:
    if verdict.label == "supports":
        return ""
    return f"its source {'contradicts it' if verdict.label == 'contradicts' else 'does not say it'}: {verdict.reason}"
