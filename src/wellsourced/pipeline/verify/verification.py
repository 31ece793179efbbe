"""Verify a draft: a statement stays only if its quotes are in the document and say what it says.

In this order: the quotes are in the documents; what a source says in its own words is supported by construction; a
language model says in one wave what the cited passages say of all the rest, and shows their words. In the same wave it
is asked about each place where rules see that the source says otherwise (`open_slots.py`), and which statements cannot
both hold. A figure that no conversion reaches overrules it.
What the model did not judge is put to the local judge and compared fact by fact. What fails is rewritten once, or
dropped.

Without a model's verdict a statement stands if its quotes are real, no fact differs, and the local judge is not below
its threshold. That judge knows likeness, not meaning (AUROC .69 on support): it drops what says something else, and
the facts are what finds the opposite. What both let pass is a wrong claim in right words, which its quote shows.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.claims.atomic_facts import split_facts
from wellsourced.claims.extraction import strip_answer_word
from wellsourced.context import Context
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.quote_placement import (
    PassagesById,
    cited_passages,
    cited_sentences,
    has_whole_sentences,
    judge_support,
    quoted_text,
)
from wellsourced.pipeline.verify.consistency import (
    NO_VERDICT,
    NOT_FOUND,
    Clash,
    ConsistencyVerdict,
    cite_deciding_words,
)
from wellsourced.pipeline.verify.local_checks import (
    Objection,
    find_hard_failure,
    find_objection,
)
from wellsourced.pipeline.verify.open_slots import hear_statements, settle_open_slots
from wellsourced.pipeline.verify.repair import JudgedStatement, RepairResult, repair_statements
from wellsourced.text.sanitization import collapse_whitespace, has_same_words, short_line
from wellsourced.types import (
    Citation,
    Conflict,
    ConflictSide,
    Document,
    DraftChecks,
    Evidence,
    Omission,
    Question,
    Statement,
    Verdict,
    VerdictLabel,
    short_key,
)

OWN_WORDS = Verdict(label="supports", score=1.0, reason="the source's own words", basis="verbatim")

LABELS_WORST_FIRST: tuple[VerdictLabel, ...] = ("contradicts", "silent", "unjudged", "supports")
"""Of several verdicts on one statement, which counts."""

MAX_SHOWN_WORDS = 40
"""Words of the other statement, and of the model's reason, that are shown."""

FOREIGN_LANGUAGE = Verdict(
    label="unjudged", score=0.0, reason="it is in another language than its source, and no model judged it"
)


class VerificationResult(NamedTuple):
    """The statements that stand, and those that do not with the reason.

    conflicts   what passages do not agree on, with the words of each
    checks      the verdicts at first sight and the repairs, counted
    checker     the language model that was asked about them; "" where none was
    """

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Omission, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    checks: DraftChecks = DraftChecks()
    checker: str = ""


async def verify_statements(
    question: Question,
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    context: Context,
) -> VerificationResult:
    """What stands, in the order in which it was written; the rest is written anew or dropped, and counted."""
    passages = {item.passage.id: item.passage for item in evidence}
    home = {item.passage.id: item.passage.reference.id for item in evidence}
    reasons = {statement.text: _misquote_reason(statement, home, documents) for statement in statements}
    real = [statement for statement in statements if not reasons[statement.text]]
    wave = await _judge_statements(question, real, passages, context)
    judged = wave.judged
    fallen = [one for one in judged if not one.is_standing]
    # What is named nowhere in what is cited is written anew with the others, and where the short answer has it.
    doubtful = [one for one in judged if one.is_standing and one.objection_kind == "nowhere"]
    fallen += doubtful if fallen or any(one.statement.lead for one in doubtful) else []
    fallen += _list_clashing([one for one in judged if one not in fallen], wave.clashes)
    repaired = await repair_statements(question, fallen, passages, context, is_known=wave.is_believed)
    shows_conflicts = context.check.conflicts == "show"
    kept: dict[str, Statement] = {}
    leads = {one.text for one in statements if one.lead}
    dropped = [Omission.of_statement(text, reason, is_lead=text in leads) for text, reason in reasons.items() if reason]
    for one in judged:
        anew = repaired.replacements.get(one.statement.text)
        is_shown = one.is_standing or (shows_conflicts and one.verdict.status == "contradicted")
        if anew or not is_shown:
            shown = anew.text if anew else ""
            reason, is_lead = _unsupported_reason(one.verdict), one.statement.lead
            dropped.append(Omission.of_statement(one.statement.text, reason, rewritten_as=shown, is_lead=is_lead))
        if anew:
            kept[short_key(anew.text)] = anew
        elif is_shown:
            kept[short_key(one.statement.text)] = one.statement.model_copy(update={"verdict": one.verdict})
    labels = Counter(one.verdict.status for one in judged)
    kinds = Counter(one.objection_kind for one in judged if one.objection_kind and not one.is_standing)
    return VerificationResult(
        _mark_clashes(kept, _list_standing_clashes(wave.clashes, repaired)),
        (*dropped, *repaired.dropped),
        tuple(one.conflict for one in judged if one.conflict and one.statement.text not in repaired.replacements),
        tuple(dict.fromkeys((*wave.notes, *repaired.notes))),
        DraftChecks.model_validate({**labels, "objections": dict(kinds), "repaired": len(repaired.replacements)}),
        wave.checker,
    )


# Both of two statements that cannot both hold are written anew, with the condition that each holds under, and checked
# again. What is not, since nobody may write or its passages say no more, is not verified, with the other beside it.


def _list_clashing(judged: Sequence[JudgedStatement], clashes: Sequence[Clash]) -> list[JudgedStatement]:
    """Those of some statements that stand and clash with another of them, each as a fault that says so."""
    by_key = {short_key(one.statement.text): one for one in judged if one.verdict.status != "verbatim"}
    faults: dict[str, JudgedStatement] = {}
    for clash in clashes:
        if clash.first != clash.second and {clash.first, clash.second} <= by_key.keys():
            for key, other in ((clash.first, clash.second), (clash.second, clash.first)):
                reason = _explain_clash(by_key[other].statement, clash)
                verdict = by_key[key].verdict.model_copy(update={"reason": reason})
                faults[key] = by_key[key]._replace(verdict=verdict, objection_kind="clash")
    return list(faults.values())


def _explain_clash(other: Statement, clash: Clash) -> str:
    why = f" ({short_line(clash.reason, MAX_SHOWN_WORDS).rstrip('.')})" if clash.reason else ""
    return f"it cannot hold together with “{short_line(other.text, MAX_SHOWN_WORDS)}”{why}"


def _mark_clashes(kept: Mapping[str, Statement], clashes: Sequence[Clash]) -> tuple[Statement, ...]:
    """The statements that stand, by the keys under which they were checked; a pair counts where both of it stand."""
    marked = dict(kept)
    for clash in clashes:
        if clash.first == clash.second or not {clash.first, clash.second} <= kept.keys():
            continue
        for key, other in ((clash.first, clash.second), (clash.second, clash.first)):
            verdict = marked[key].verdict
            # What is in the source's own words stays that: its source says it, whatever another statement says.
            if verdict.status != "verbatim":
                told = _explain_clash(kept[other], clash)
                changed = verdict.model_copy(update={"reason": told, "basis": "likeness"})
                marked[key] = marked[key].model_copy(update={"verdict": changed})
    return tuple(marked.values())


def _list_standing_clashes(clashes: Sequence[Clash], repaired: RepairResult) -> list[Clash]:
    """Without those of which both sides were looked at once more, supported, and not named again."""
    confirmed = {short_key(text) for text in repaired.confirmed}
    again = {frozenset({one.first, one.second}) for one in repaired.clashes}
    left = [
        one
        for one in clashes
        if not {one.first, one.second} <= confirmed or frozenset({one.first, one.second}) in again
    ]
    return [*left, *(one for one in repaired.clashes if one not in left)]


# --- verdicts ------------------------------------------------------------------------------------------------------


class _JudgedWave(NamedTuple):
    """The statements with their verdicts, in their order, and which of them cannot both hold."""

    judged: tuple[JudgedStatement, ...]
    notes: tuple[str, ...]
    clashes: tuple[Clash, ...]
    checker: str
    is_believed: bool


async def _judge_statements(
    question: Question, statements: Sequence[Statement], passages: PassagesById, context: Context
) -> _JudgedWave:
    own = {one.text for one in statements if _is_quotation(one, passages)}
    others = [one for one in statements if one.text not in own]
    slots, wave, answers = await hear_statements(question, others, passages, context)
    heard = {one.text: wave.verdicts.get(short_key(one.text), NO_VERDICT) for one in others}
    # No local judge reads another language than English.
    texts = _list_texts_to_judge(others, heard, passages) if question.language == "en" else {}
    local, notes = await _judge_facts(texts, context.support_judge)
    judged: dict[str, JudgedStatement] = {}
    for one in others:
        combined = _combine_verdicts(question, one, heard[one.text], local.get(one.text), passages)
        settled = settle_open_slots(
            combined.statement,
            combined.verdict,
            slots[one.text],
            answers,
            is_believed=wave.is_believed,
        )
        is_lost = settled.verdict.label == "supports" and settled.verdict.status != combined.verdict.status
        judged[one.text] = combined._replace(
            statement=settled.statement,
            verdict=settled.verdict,
            objection_kind="nowhere" if is_lost else combined.objection_kind,
        )
    return _JudgedWave(
        tuple(judged.get(one.text) or JudgedStatement(one, OWN_WORDS) for one in statements),
        (*wave.notes, *answers.notes, *notes),
        wave.clashes,
        wave.checker,
        wave.is_believed,
    )


def _is_quotation(statement: Statement, passages: PassagesById) -> bool:
    """A model that picks words may leave out the “not” before them, so it has to take whole sentences."""
    return has_same_words(statement.text, quoted_text(statement)) and has_whole_sentences(statement, passages)


def _list_texts_to_judge(
    statements: Sequence[Statement], heard: Mapping[str, ConsistencyVerdict], passages: PassagesById
) -> dict[str, str]:
    """The words to put beside what the model did not judge."""
    unjudged = (one for one in statements if heard[one.text].verdict.label == "unjudged")
    return {one.text: " … ".join(cited_sentences(one, passages)) for one in unjudged}


async def _judge_facts(texts: Mapping[str, str], support: Judge) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """What the judge says of each statement, beside its text, and notes.

    Of a statement that says several things, each with figures of its own, every one has to be supported.
    """
    parts = [(statement, fact) for statement in texts for fact in split_facts(statement)]
    heard = await judge_support([Pair(fact, texts[text]) for text, fact in parts], support)
    said: dict[str, list[Verdict]] = defaultdict(list)
    for (text, _), verdict in zip(parts, heard.verdicts, strict=True):
        said[text].append(verdict)
    worst = {
        text: min(found, key=lambda one: (LABELS_WORST_FIRST.index(one.label), one.score))
        for text, found in said.items()
    }
    return worst, heard.notes


def _combine_verdicts(
    question: Question, statement: Statement, heard: ConsistencyVerdict, local: Verdict | None, passages: PassagesById
) -> JudgedStatement:
    """The model's word where there is one, else the local judge's; facts overrule both when they support.

    A model has read the statement beside its source: only a veto overrules it.
    """
    if dispute := _resolve_dispute(statement, heard, passages, question.language):
        return dispute
    if heard.verdict.label != "unjudged":
        verdict, statement = heard.verdict, cite_deciding_words(statement, heard)
        found = find_hard_failure(question, statement, passages)
    else:
        verdict = local or FOREIGN_LANGUAGE
        # The local judge does not know the question, so nobody said that this is its answer.
        statement = statement.model_copy(update={"text": strip_answer_word(statement.text)})
        found = _find_statement_objection(statement, passages, question.language)
    if found and verdict.label in ("supports", "unjudged"):
        verdict = found.verdict
    elif found:
        verdict = verdict.model_copy(update={"reason": f"{verdict.reason}; {found.verdict.reason}"})
    decisive = heard.contradiction
    if heard.verdict.label == "silent" and heard.deciding:
        decisive = heard.deciding[0]
    kind = found.kind if found else ""
    return JudgedStatement(statement, verdict, decisive, objection_kind=kind)


def _find_statement_objection(statement: Statement, passages: PassagesById, language: str) -> Objection | None:
    sentences = cited_sentences(statement, passages)
    return find_objection(statement, sentences, cited_passages(statement, passages), language)


# --- sources that disagree -----------------------------------------------------------------------------------------


def _resolve_dispute(
    statement: Statement, heard: ConsistencyVerdict, passages: PassagesById, language: str
) -> JudgedStatement | None:
    """A claim that the model finds supported by one source and contradicted by another: both are shown, and nothing is
    written anew. What it finds contradicted alone is a fault, whatever the other sources seem to say."""
    against = heard.contradiction
    if against is None or not heard.is_disputed:
        return None
    elsewhere = _remove_contradicting(statement, against)
    if not elsewhere.citations or _find_statement_objection(elsewhere, passages, language):
        return None
    first = elsewhere.citations[0]
    sides = (
        ConflictSide(says=statement.text, passage_id=first.passage_id, quote=first.quote),
        ConflictSide(says=collapse_whitespace(against.quote), passage_id=against.passage_id, quote=against.quote),
    )
    verdict = Verdict(
        label="supports", score=1.0, reason=f"another source contradicts it: “{against.quote}”", basis="model"
    )
    return JudgedStatement(elsewhere, verdict, conflict=Conflict(about=statement.text, sides=sides))


def _remove_contradicting(statement: Statement, against: Citation) -> Statement:
    others = tuple(citation for citation in statement.citations if citation.passage_id != against.passage_id)
    return statement.model_copy(update={"citations": others})


# --- reasons -------------------------------------------------------------------------------------------------------


def _misquote_reason(statement: Statement, home: Mapping[str, str], documents: Mapping[str, Document]) -> str:
    for citation in statement.citations:
        document = documents.get(home.get(citation.passage_id, ""))
        if document is None:
            return f"{citation.passage_id} could not be opened to check its words"
        if document.text[citation.start : citation.end] != citation.quote:
            return (
                f"the quoted words are not in {document.reference.id} at characters {citation.start} to {citation.end}"
            )
    return ""


def _unsupported_reason(verdict: Verdict) -> str:
    said = "contradicts it" if verdict.label == "contradicts" else "does not say it"
    return f"its source {said}: {verdict.reason.removeprefix(f'{NOT_FOUND}: ')}"
