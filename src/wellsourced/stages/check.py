"""Check: no statement stands unless its words are in the document and say what it says.

In this order: the quotes stand in the documents; what a source says in its own words is supported by construction;
a language model, where there is one, says in one wave what the cited passages say of all the rest, and shows their
words; numbers, negation, direction and doses are compared, and overrule whoever supports; what the model did not judge
is put to the local judge. What then does not stand is written anew once, or dropped.

Without a model's verdict a statement stands if its quotes are real, no fact differs, and the local judge is not below
its threshold. That judge knows likeness, not meaning (AUROC .69 on support): it drops what says something else, and
the facts are what finds the opposite. What both let pass is a wrong claim in right words, which its quote shows.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.judges.base import Judge, Pair
from wellsourced.kit import Kit
from wellsourced.stages.citing import left_out
from wellsourced.stages.consistency import NOT_HEARD, Heard, Wave, consistency
from wellsourced.stages.context import Shown, cited_passages, cited_sentences, in_whole_sentences, quoted
from wellsourced.stages.facts import Objection, objected
from wellsourced.stages.opposing import Opposition, opposing
from wellsourced.stages.repair import Faulty, Repaired, repair
from wellsourced.stages.supporting import supporting
from wellsourced.text.claims_facts import facts
from wellsourced.text.units import in_one_line, same_words
from wellsourced.types import (
    Checks,
    Citation,
    Conflict,
    Document,
    Dropped,
    Evidence,
    Label,
    Question,
    Side,
    Statement,
    Verdict,
    key_of,
)

OWN_WORDS = Verdict(label="supports", score=1.0, reason="the source's own words")

WORST: tuple[Label, ...] = ("contradicts", "silent", "unjudged", "supports")
"""Of several verdicts on one statement, which counts."""

FOREIGN = Verdict(
    label="unjudged", score=0.0, reason="it is in another language than its source, and no model judged it"
)


class Kept(NamedTuple):
    """The statements that stand, and those that do not with the reason.

    conflicts   what passages do not agree on, with the words of each
    notes       what its reader should know of how it was checked, a sentence each without a full stop
    checks      the verdicts at first sight and the repairs, counted
    """

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    checks: Checks = Checks()


class Judged(NamedTuple):
    """A statement with its verdict, the words against it, and the conflict of its sources, where they have one.

    objected   the kind of fact that speaks against it: "number", "negation" …; "" when none does
    """

    statement: Statement
    verdict: Verdict
    against: Citation | None = None
    conflict: Conflict | None = None
    objected: str = ""

    @property
    def stands(self) -> bool:
        """Whether it is shown as it is. `unjudged` is shown too, as that."""
        return self.verdict.label in ("supports", "unjudged")


async def check(
    question: Question,
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    kit: Kit,
) -> Kept:
    """What stands, in the order in which it was written; the rest is written anew or dropped, and counted."""
    passages = {item.passage.id: item.passage for item in evidence}
    home = {item.passage.id: item.passage.reference.id for item in evidence}
    reasons = {statement.text: _misquoted(statement, home, documents) for statement in statements}
    real = [statement for statement in statements if not reasons[statement.text]]
    judged, notes = await _judged(question, real, passages, kit)
    fallen = [Faulty(one.statement, one.verdict, one.against) for one in judged if not one.stands]
    repaired = await repair(question, fallen, passages, kit)
    kept: list[Statement] = []
    dropped = [left_out(text, reason) for text, reason in reasons.items() if reason]
    for one in judged:
        anew = repaired.anew.get(one.statement.text)
        if anew or not (one.stands or _is_shown(one, kit)):
            dropped.append(left_out(one.statement.text, _unsupported(one.verdict, anew)))
        if anew:
            kept.append(anew)
        elif one.stands or _is_shown(one, kit):
            kept.append(one.statement.model_copy(update={"verdict": one.verdict}))
    opposed = await opposing(kept, evidence, kit) if question.language == "en" else Opposition()
    return Kept(
        tuple(kept),
        (*dropped, *repaired.dropped),
        (*(one.conflict for one in judged if one.conflict), *opposed.conflicts),
        tuple(dict.fromkeys((*notes, *repaired.notes, *opposed.notes))),
        _counted(judged, repaired),
    )


def _counted(judged: Sequence[Judged], repaired: Repaired) -> Checks:
    labels = Counter(one.verdict.label for one in judged)
    kinds = Counter(one.objected for one in judged if one.objected and not one.stands)
    return Checks.model_validate({**labels, "objections": dict(kinds), "repaired": len(repaired.anew)})


def _is_shown(one: Judged, kit: Kit) -> bool:
    """Whether the user wants to see what its sources contradict, with the words that do."""
    return kit.check.conflicts == "show" and one.verdict.label == "contradicts"


# --- verdicts ------------------------------------------------------------------------------------------------------


class Local(NamedTuple):
    """The local judge's verdict by the text of a statement, and what is told of how it judged."""

    verdicts: Mapping[str, Verdict]
    notes: tuple[str, ...] = ()


async def _judged(
    question: Question, statements: Sequence[Statement], passages: Shown, kit: Kit
) -> tuple[list[Judged], tuple[str, ...]]:
    """Every statement with its verdict, and what is told of how they were judged."""
    own = {one.text for one in statements if _in_own_words(one, passages, kit)}
    others = [one for one in statements if one.text not in own]
    if not kit.has_model:
        found = await _said_of(others, {one.text: quoted(one) for one in others}, kit.support)
        return [Judged(one, found.verdicts.get(one.text, OWN_WORDS)) for one in statements], found.notes
    wave = await _wave(others, passages, kit)
    local = await _locally(question, others, wave, passages, kit)
    judged = {
        one.text: _verdict(question, one, wave.heard.get(key_of(one.text), NOT_HEARD), local.verdicts, passages)
        for one in others
    }
    return [judged.get(one.text) or Judged(one, OWN_WORDS) for one in statements], (*wave.notes, *local.notes)


def _in_own_words(statement: Statement, passages: Shown, kit: Kit) -> bool:
    """A model that picks words may leave out the “not” before them, so it has to take whole sentences."""
    return same_words(statement.text, quoted(statement)) and (
        not kit.has_model or in_whole_sentences(statement, passages)
    )


async def _wave(statements: Sequence[Statement], passages: Shown, kit: Kit) -> Wave:
    if not statements or not kit.check.consistency:
        return Wave({})
    return await consistency(statements, passages, kit.helper)


async def _locally(question: Question, statements: Sequence[Statement], wave: Wave, passages: Shown, kit: Kit) -> Local:
    """The local judge's verdict on what the model did not judge, and on what other sources of a disputed claim say."""
    if question.language != "en":
        return Local({})
    texts = {}
    for one in statements:
        heard = wave.heard.get(key_of(one.text), NOT_HEARD)
        if heard.verdict.label == "unjudged":
            texts[one.text] = " … ".join(cited_sentences(one, passages))
        elif heard.against and (elsewhere := _without(one, heard.against)).citations:
            texts[one.text] = " … ".join(cited_sentences(elsewhere, passages))
    return await _said_of([one for one in statements if one.text in texts], texts, kit.support)


async def _said_of(statements: Sequence[Statement], texts: Mapping[str, str], support: Judge) -> Local:
    """Of a statement that says several things, each with figures of its own, every one has to be supported."""
    parts = [(one.text, fact) for one in statements for fact in facts(one.text)]
    heard = await supporting([Pair(fact, texts[text]) for text, fact in parts], support)
    said: dict[str, list[Verdict]] = defaultdict(list)
    for (text, _), verdict in zip(parts, heard.verdicts, strict=True):
        said[text].append(verdict)
    worst = {text: min(found, key=lambda one: (WORST.index(one.label), one.score)) for text, found in said.items()}
    return Local(worst, heard.notes)


def _verdict(
    question: Question, statement: Statement, heard: Heard, local: Mapping[str, Verdict], passages: Shown
) -> Judged:
    """The model's word where there is one, else the local judge's; facts overrule both when they support."""
    if heard.against and (dispute := _disputed(question, statement, heard, local, passages)):
        return dispute
    verdict = heard.verdict
    if verdict.label == "unjudged":
        verdict = local.get(statement.text, FOREIGN)
    found = _objection(question, statement, passages)
    if found and verdict.label in ("supports", "unjudged"):
        verdict = found.verdict
    return Judged(statement, verdict, heard.against, objected=found.kind if found else "")


def _objection(question: Question, statement: Statement, passages: Shown) -> Objection | None:
    sentences = cited_sentences(statement, passages)
    return objected(statement, sentences, cited_passages(statement, passages), question.language)


# --- sources that disagree -----------------------------------------------------------------------------------------


def _disputed(
    question: Question, statement: Statement, heard: Heard, local: Mapping[str, Verdict], passages: Shown
) -> Judged | None:
    """A claim that one source supports and another contradicts: both are shown, and nothing is written anew."""
    against = heard.against
    if against is None or not (elsewhere := _without(statement, against)).citations:
        return None
    said = local.get(statement.text)
    supported = heard.disputed or (said is not None and said.label == "supports")
    if not supported or _objection(question, elsewhere, passages):
        return None
    first = elsewhere.citations[0]
    sides = (
        Side(says=statement.text, passage_id=first.passage_id, quote=first.quote),
        Side(says=in_one_line(against.quote), passage_id=against.passage_id, quote=against.quote),
    )
    score = said.score if said else 1.0
    verdict = Verdict(label="supports", score=score, reason=f"another source contradicts it: “{against.quote}”")
    return Judged(elsewhere, verdict, conflict=Conflict(about=statement.text, sides=sides))


def _without(statement: Statement, against: Citation) -> Statement:
    """The statement with the citations of other passages than the one that contradicts it."""
    others = tuple(citation for citation in statement.citations if citation.passage_id != against.passage_id)
    return statement.model_copy(update={"citations": others})


# --- reasons -------------------------------------------------------------------------------------------------------


def _misquoted(statement: Statement, home: Mapping[str, str], documents: Mapping[str, Document]) -> str:
    for citation in statement.citations:
        document = documents.get(home.get(citation.passage_id, ""))
        if document is None:
            return f"{citation.passage_id} could not be opened to check its words"
        if document.text[citation.start : citation.end] != citation.quote:
            return f"the words are not in {document.reference.id} at {citation.start} to {citation.end}"
    return ""


def _unsupported(verdict: Verdict, anew: Statement | None) -> str:
    said = "contradicts it" if verdict.label == "contradicts" else "does not say it"
    return f"its source {said}: {verdict.reason}" + (f"; written anew as “{anew.text}”" if anew else "")
