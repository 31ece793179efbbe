"""Repair: write anew, once, what does not stand, by the smallest change; what comes back is checked without a model."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.judges.base import Pair
from wellsourced.kit import Kit
from wellsourced.prompts.checking import Fault, Repair
from wellsourced.stages.citing import cited, left_out
from wellsourced.stages.context import Shown, cited_passages, cited_sentences
from wellsourced.stages.facts import objection
from wellsourced.stages.fitting import fitted
from wellsourced.stages.placing import Shelf
from wellsourced.stages.supporting import supporting
from wellsourced.text.tokens import stems
from wellsourced.types import Citation, Dropped, Question, Statement, Verdict

FEWEST = 3
"""Content words of a statement that says something."""

ALIKE = 0.3
"""Share of the content stems, of the shorter of the two, that a statement keeps when it is written anew."""


class Faulty(NamedTuple):
    """A statement that does not stand, why, and the words that contradict it, if any do."""

    statement: Statement
    verdict: Verdict
    against: Citation | None = None


class Repaired(NamedTuple):
    """What stands in place of a faulty statement, by the text of that one; attempts that do not stand either."""

    anew: dict[str, Statement]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()


async def repair(question: Question, faulty: Sequence[Faulty], passages: Shown, kit: Kit) -> Repaired:
    """All of them in one call. No second call checks them: facts and the local judge have to find nothing.

    Nothing is written anew in another language than English, since no local judge could check it.
    """
    if not faulty or not kit.has_model or not kit.check.repair or question.language != "en":
        return Repaired({})
    kept = fitted(kit.model, lambda some: _asking(question, some, passages), faulty).kept or tuple(faulty[:1])
    try:
        draft = await kit.model.complete(_asking(question, kept, passages))
    except ModelError as error:
        return Repaired({}, notes=(f"what did not stand could not be written anew: {str(error).rstrip('.')}",))
    made = cited(draft.statements, Shelf(passages.values()))
    verdicts = await _judged(made.statements, passages, kit)
    anew: dict[str, Statement] = {}
    dropped = [*made.dropped]
    for statement, verdict in zip(made.statements, verdicts, strict=True):
        fault = _nearest(statement, kept)
        if fault is None or fault.text in anew:
            dropped.append(left_out(statement.text, "written anew, it stands for nothing that had to be"))
        elif verdict.label != "supports":
            dropped.append(left_out(statement.text, f"written anew, it does not stand either: {verdict.reason}"))
        else:
            anew[fault.text] = _in_place_of(fault, statement, verdict)
    return Repaired(anew, tuple(dropped), _told(len(anew)))


def _asking(question: Question, faulty: Sequence[Faulty], passages: Shown) -> Repair:
    shown = dict.fromkeys(
        citation.passage_id for one in faulty for citation in (*one.statement.citations, one.against) if citation
    )
    return Repair(
        question=question,
        faults=tuple(
            Fault(text=one.statement.text, reason=one.verdict.reason, quote=one.against.quote if one.against else "")
            for one in faulty
        ),
        passages=tuple(passages[id] for id in shown),
        language=question.language,
    )


def _nearest(statement: Statement, faulty: Sequence[Faulty]) -> Statement | None:
    """The faulty statement that it shares most words with; None when that is the same, or has little in common."""
    nearest = max((fault.statement for fault in faulty), key=lambda fault: _alike(fault.text, statement.text))
    near = _alike(nearest.text, statement.text) >= ALIKE
    return nearest if near and statement.text != nearest.text else None


def _alike(one: str, other: str) -> float:
    said, meant = set(stems(one)), set(stems(other))
    return len(said & meant) / (min(len(said), len(meant)) or 1)


async def _judged(statements: Sequence[Statement], passages: Shown, kit: Kit) -> list[Verdict]:
    texts = [cited_sentences(statement, passages) for statement in statements]
    pairs = [Pair(one.text, " … ".join(text)) for one, text in zip(statements, texts, strict=True)]
    local = (await supporting(pairs, kit.support)).verdicts
    return [
        _too_short(one) or objection(one, text, cited_passages(one, passages), "en") or verdict
        for one, text, verdict in zip(statements, texts, local, strict=True)
    ]


def _too_short(statement: Statement) -> Verdict | None:
    if len(stems(statement.text)) >= FEWEST:
        return None
    return Verdict(label="silent", score=0.0, reason="it says nothing any more")


def _in_place_of(fault: Statement, statement: Statement, verdict: Verdict) -> Statement:
    told = verdict.model_copy(update={"reason": f"written anew to follow its source; {verdict.reason}".rstrip("; ")})
    return statement.model_copy(update={"verdict": told, "topic": fault.topic, "lead": fault.lead})


def _told(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{count} {'statement was' if count == 1 else 'statements were'} written anew to follow their sources",)
