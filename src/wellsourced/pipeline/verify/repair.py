"""Rewrite once what failed, by the smallest change; the result is verified as the draft was."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.claims.extraction import answer_word, strip_answer_word
from wellsourced.compare.slots import REVERSALS, find_disagreements
from wellsourced.context import Context
from wellsourced.controls.record import clean_key
from wellsourced.errors import ModelError
from wellsourced.judges.base import Pair
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.pipeline.quote_placement import (
    PassagesById,
    ShownPassages,
    cite_statements,
    cited_sentences,
    judge_support,
)
from wellsourced.pipeline.verify.consistency import NO_VERDICT, Clash, cite_deciding_words
from wellsourced.pipeline.verify.local_checks import build_objection, find_hard_failure, find_mixed_alphabets
from wellsourced.pipeline.verify.open_slots import HeardStatements, hear_statements, settle_open_slots
from wellsourced.prompts.verification import Repair, RepairedStatement, StatementFault
from wellsourced.text.sanitization import one_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Citation, Conflict, Omission, Question, Statement, Verdict, short_key

TOO_FAR = "its words are too far from those of its source"

MIN_CONTENT_WORDS = 3
"""Content words of a statement that says something."""


class JudgedStatement(NamedTuple):
    """A statement with its verdict, and the conflict of its sources, where they have one.

    decisive   the words that contradict it, or that say less than it does, where the model that checks showed any
    objection_kind   the kind of fact that speaks against it: "number", "negation" …; "" when none does
    """

    statement: Statement
    verdict: Verdict
    decisive: Citation | None = None
    conflict: Conflict | None = None
    objection_kind: str = ""

    @property
    def is_standing(self) -> bool:
        """Whether it is shown as it is. `unjudged` is shown too, as that."""
        return self.verdict.label in ("supports", "unjudged")


class JudgedRepair(NamedTuple):
    """What was written anew, and the verdict on it.

    is_answer_checked   a model that knows the question gave the verdict, on the yes or no at its beginning too
    """

    statement: Statement
    verdict: Verdict
    is_answer_checked: bool


class RepairResult(NamedTuple):
    """What stands in place of a faulty statement, by the text of that one; attempts that do not stand either.

    confirmed   texts of statements that clashed, came back as they were, and were supported once more
    clashes     what cannot both hold of all that came back
    """

    replacements: dict[str, Statement]
    dropped: tuple[Omission, ...] = ()
    notes: tuple[str, ...] = ()
    confirmed: frozenset[str] = frozenset()
    clashes: tuple[Clash, ...] = ()


async def repair_statements(
    question: Question,
    faulty: Sequence[JudgedStatement],
    passages: PassagesById,
    context: Context,
    *,
    is_known: bool = False,
) -> RepairResult:
    """All of them in one call, and what was written anew checked in another: nobody's own rewriting verifies itself.

    is_known   the model that checks judged controls of this answer as they are

    Nothing is written anew in another language than English, since no local judge could check it.
    """
    if not faulty or not context.has_model or not context.check.repair or question.language != "en":
        return RepairResult({})
    patient = question.patient if context.write.style == "recommendation" and context.sees_patient else ""
    if patient and context.model.context_left(_build_prompt(question, faulty, passages, patient)) < 0:
        patient = ""

    def build_prompt(some: Sequence[JudgedStatement]) -> Repair:
        return _build_prompt(question, some, passages, patient)

    kept = fit_items(context.model, build_prompt, faulty).kept or tuple(faulty[:1])
    try:
        draft = await context.model.complete(build_prompt(kept))
    except ModelError as error:
        return RepairResult({}, notes=(f"statements that failed their check could not be rewritten: {error.phrase}",))
    made = cite_statements(draft.statements, ShownPassages(passages.values()))
    judged, wave = await _judge_repairs(question, made.statements, passages, context, is_known=is_known)
    faults = _match_faults(draft.statements, kept)
    cells = {one_line(one.text): one_line(one.cell) for one in draft.statements}
    anew: dict[str, Statement] = {}
    dropped = [*made.dropped]
    clashing = {one.statement.text for one in kept if one.objection_kind == "clash"}
    supported = {one.statement.text for one in judged if one.verdict.label == "supports"}
    for one in judged:
        fault = faults.get(one.statement.text)
        if one.statement.text in clashing:
            continue
        if fault is None or fault.statement.text in anew:
            reason = "rewritten, but for none of the statements that failed"
        elif one.verdict.label != "supports":
            reason = one.verdict.reason
        else:
            anew[fault.statement.text] = _take_place(fault, one, cells.get(one.statement.text, ""))
            continue
        dropped.append(Omission.of_statement(one.statement.text, reason, is_rewrite=True))
    return RepairResult(
        anew,
        tuple(dropped),
        (*wave.wave.notes, *wave.answers.notes, *_repair_notes(len(anew))),
        frozenset(clashing & supported),
        wave.wave.clashes,
    )


def _build_prompt(
    question: Question, faulty: Sequence[JudgedStatement], passages: PassagesById, patient: str
) -> Repair:
    shown = dict.fromkeys(
        citation.passage_id for one in faulty for citation in (*one.statement.citations, one.decisive) if citation
    )
    return Repair(
        question=question,
        patient=patient,
        faults=tuple(
            StatementFault(
                key=short_key(one.statement.text),
                text=one.statement.text,
                # A judge that goes by likeness has numbers for reasons.
                reason=one.verdict.reason if one.verdict.basis != "likeness" or one.objection_kind else TOO_FAR,
                quote=one.decisive.quote if one.decisive else "",
                cell=one.statement.cell.words if one.statement.cell else "",
            )
            for one in faulty
        ),
        passages=tuple(passages[id] for id in shown),
        language=question.language,
    )


def _match_faults(
    drafted: Sequence[RepairedStatement], faulty: Sequence[JudgedStatement]
) -> dict[str, JudgedStatement]:
    """Text of a statement → the faulty one whose key it names; in their order where none is named and none is missing.

    What is still the same takes no place.
    """
    by_key = {short_key(one.statement.text): one for one in faulty}
    named = [by_key.get(clean_key(one.fault)) for one in drafted]
    if not any(named) and len(drafted) == len(faulty):
        named = [*faulty]
    return {
        text: fault
        for one, fault in zip(drafted, named, strict=True)
        if fault and (text := one_line(one.text)) != fault.statement.text
    }


async def _judge_repairs(
    question: Question, statements: Sequence[Statement], passages: PassagesById, context: Context, *, is_known: bool
) -> tuple[list[JudgedRepair], HeardStatements]:
    """What is said of each by the model, as of the draft; of what it did not judge, by the local judge."""
    slots, wave, answers = told = await hear_statements(question, statements, passages, context, is_known=is_known)
    heard = [wave.verdicts.get(short_key(one.text), NO_VERDICT) for one in statements]
    shown = [cite_deciding_words(one, said) for one, said in zip(statements, heard, strict=True)]
    unheard = [one for one, said in zip(shown, heard, strict=True) if said.verdict.label == "unjudged"]
    pairs = [Pair(one.text, " … ".join(cited_sentences(one, passages))) for one in unheard]
    local = iter((await judge_support(pairs, context.support_judge)).verdicts)
    judged = []
    for one, said in zip(shown, heard, strict=True):
        by_model = said.verdict.label != "unjudged"
        verdict = said.verdict if by_model else next(local)
        verdict = _too_short_verdict(one) or _apply_hard_failure(question, one, verdict, passages)
        settled = settle_open_slots(one, verdict, slots[one.text], answers, is_believed=wave.is_believed)
        judged.append(JudgedRepair(settled.statement, settled.verdict, by_model))
    return judged, told


def _apply_hard_failure(question: Question, statement: Statement, verdict: Verdict, passages: PassagesById) -> Verdict:
    """The verdict, unless a fact speaks against it: of what no model has read, also that nearly the same is denied."""
    found = find_hard_failure(question, statement, passages)
    if found is None and verdict.basis == "likeness":
        slots = find_disagreements(strip_answer_word(statement.text), " … ".join(cited_sentences(statement, passages)))
        found = next((build_objection(one) for one in slots if one.kind in (*REVERSALS, "doubt")), None)
        found = found or find_mixed_alphabets(statement.text)
    return found.verdict if found else verdict


def _too_short_verdict(statement: Statement) -> Verdict | None:
    if len(content_stems(statement.text)) >= MIN_CONTENT_WORDS:
        return None
    return Verdict(label="silent", score=0.0, reason="it says hardly anything any more")


def _take_place(fault: JudgedStatement, anew: JudgedRepair, words: str) -> Statement:
    """The statement in the place of the faulty one; in a table its cell has these words of it, or all of it.

    A yes or no stays where the model that checks supported it too; where nobody who knows the question did, only where
    it was no fault: a fact was.
    """
    reason = f"rewritten to follow its source; {anew.verdict.reason}".rstrip("; ")
    text = anew.statement.text
    same_answer = fault.objection_kind and answer_word(text) == answer_word(fault.statement.text)
    place = {
        "verdict": anew.verdict.model_copy(update={"reason": reason}),
        "text": text if anew.is_answer_checked or same_answer else strip_answer_word(text),
        "topic": fault.statement.topic,
        "cell": fault.statement.cell and fault.statement.cell.model_copy(update={"words": words}),
        "lead": fault.statement.lead,
    }
    return anew.statement.model_copy(update=place)


def _repair_notes(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    told = "statement was rewritten to follow its" if count == 1 else "statements were rewritten to follow their"
    return (f"{count} {told} sources",)
