"""Ask a model what the passages of each statement say of it, in one wave of calls, with the words that show it."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wellsourced.context import Context
from wellsourced.controls.record import CONTROLS_OFF, NOT_CONTROLLED, JudgeControls, ask_judges, clean_key
from wellsourced.models.base import Model
from wellsourced.pipeline.prompt_window import make_batches, select_excerpt
from wellsourced.pipeline.quote_placement import PassagesById, ShownPassages, cite_quote
from wellsourced.pipeline.read.screening import strip_personal_context
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, DraftClaim
from wellsourced.prompts.writing import DraftQuote
from wellsourced.text.sanitization import short_line
from wellsourced.types import Citation, Passage, Question, Statement, Verdict, cited_passage_ids, short_key

UNSHOWN_CONTRADICTION = "the model says that its passages contradict it, but quotes none of their words"

NOT_FOUND = "the model finds nothing in its passages that supports all of it"

MAX_REASON_WORDS = 40
"""Words of the model's reason that are told."""


class ConsistencyVerdict(NamedTuple):
    """What the model says of one statement.

    verdict    `unjudged` when it says nothing that can be read, or claims support that it cannot show
    contradiction   the words that contradict the statement, in the source's own characters; None: there are none
    is_disputed   passages support it and contradict it
    deciding      the words that decide that its passages support it, or beside which they are silent on the rest
    """

    verdict: Verdict
    contradiction: Citation | None = None
    is_disputed: bool = False
    deciding: tuple[Citation, ...] = ()


NO_VERDICT = ConsistencyVerdict(Verdict(label="unjudged", score=0.0, reason="the model gave no readable verdict on it"))


class Clash(NamedTuple):
    """Two statements that cannot both hold, by the keys of their texts, and what they differ in."""

    first: str
    second: str
    reason: str = ""


class ConsistencyResult(NamedTuple):
    """The verdict on each statement, by the key of its text, why some could not be asked about, and what clashes.

    checker   the model that gave the verdicts: where the other one is down, the one that wrote
    is_believed   the model that is asked first judged controls in each call, all as they are
    """

    verdicts: dict[str, ConsistencyVerdict]
    notes: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()
    checker: str = ""
    is_believed: bool = False


async def check_consistency(
    question: Question,
    statements: Sequence[Statement],
    passages: PassagesById,
    context: Context,
    *,
    is_known: bool = False,
) -> ConsistencyResult:
    """Everything in one call if it fits, in as many at once as it takes otherwise. A call that fails judges nothing.

    A statement on which a reply has no verdict that can be read is asked about once more, and then is not judged. Where
    two models are configured and the one that checks is down, the one that wrote is asked.
    `context.judging_model` is shown what the writer was: the question, and the patient's text where it was written for
    a patient and the user lets models see it. Where its verdicts of a call do not count, the writer is asked.

    is_known   it judged controls of this answer as they are: a call of which none can be made needs none
    """
    model, controls = context.judging_model, context.controls
    asked = _build_question_prompt(question, statements[:1], passages, context)

    def build_prompt(some: Sequence[Statement]) -> CheckConsistency:
        return asked.model_copy(update=_list_shown(some, passages))

    notes = [] if context.check.controls else [CONTROLS_OFF]
    replies = await _ask_about(statements, build_prompt, passages, (model, context.model), controls)
    if replies.failures and not replies.answered and context.assistant:
        told = f"{model.name} could not check the statements, so {context.model.name}, which wrote, did"
        notes.append(f"{told}: {'; '.join(replies.failures)}")
        model = context.model
        replies = await _ask_about(statements, build_prompt, passages, (model,), controls)
    if unread := _list_unread(replies):
        again = await _ask_about(unread, build_prompt, passages, (model, context.model), controls)
        failures = tuple(dict.fromkeys((*replies.failures, *again.failures)))
        heard, notices = {**replies.heard, **again.heard}, tuple(dict.fromkeys((*replies.notes, *again.notes)))
        replies = replies._replace(heard=heard, failures=failures, notes=notices)
    notes += [note for note in replies.notes if note != NOT_CONTROLLED or not is_known]
    notes += [
        f"{model.name} could not check every statement, so the local judge did: {why}" for why in replies.failures
    ]
    if unread := _list_unread(replies):
        count = len(replies.answered)
        notes.append(f"of {count} statements, {model.name} judged {count - len(unread)} in words that can be checked")
    checker = replies.checker or model.name
    is_controlled = replies.is_controlled or (is_known and not replies.is_doubted)
    is_believed = is_controlled and replies.checker == model.name
    return ConsistencyResult(replies.heard, tuple(notes), replies.clashes, checker, is_believed)


class _Replies(NamedTuple):
    """What one wave of calls said: of which statements, and why calls failed.

    notes     what is to be known of the models that were asked
    checker   the model whose verdicts they are, where it is one; "" else
    is_controlled   in each call controls went along, and were judged as they are
    is_doubted      in some call they were not
    """

    heard: dict[str, ConsistencyVerdict]
    answered: tuple[Statement, ...]
    clashes: tuple[Clash, ...]
    failures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    checker: str = ""
    is_controlled: bool = False
    is_doubted: bool = False


async def _ask_about(
    statements: Sequence[Statement],
    build_prompt: Callable[[Sequence[Statement]], CheckConsistency],
    passages: PassagesById,
    models: Sequence[Model],
    controls: JudgeControls | None,
) -> _Replies:
    calls = make_batches(models[0], build_prompt, statements, max(1, len(statements)))
    replies = await asyncio.gather(*(ask_judges(controls, models, build_prompt(call)) for call in calls))
    heard: dict[str, ConsistencyVerdict] = {}
    clashes: list[Clash] = []
    answered: list[Statement] = []
    for call, reply in zip(calls, replies, strict=True):
        said: dict[str, list[ClaimVerdict]] = defaultdict(list)
        answered += () if reply.error or reply.doubt else call
        clashes += [Clash(clean_key(one.first), clean_key(one.second), one.reason) for one in reply.clashes]
        for item in reply.items:
            if isinstance(item, ClaimVerdict):
                said[clean_key(item.key)].append(item)
        shelf = ShownPassages(_list_shown_passages(call, passages))
        for one in call:
            verdict = _merge_replies(one, said[key := short_key(one.text)], shelf)
            is_doubtful = bool(reply.doubt) and verdict.verdict.label == "unjudged"
            heard[key] = _doubt_verdict(verdict, reply.doubt) if is_doubtful else verdict
    failures = tuple(dict.fromkeys(reply.error.phrase for reply in replies if reply.error))
    notes = tuple(dict.fromkeys(note for reply in replies for note in reply.notes))
    checkers = {reply.model for reply in replies if reply.model}
    checker = checkers.pop() if len(checkers) == 1 else ""
    is_controlled, is_doubted = all(one.is_controlled for one in replies), any(one.doubt for one in replies)
    return _Replies(heard, tuple(answered), tuple(clashes), failures, notes, checker, is_controlled, is_doubted)


def _doubt_verdict(verdict: ConsistencyVerdict, doubt: str) -> ConsistencyVerdict:
    """With why it does not count."""
    return verdict._replace(verdict=verdict.verdict.model_copy(update={"reason": doubt}))


def _list_unread(replies: _Replies) -> list[Statement]:
    """The statements of calls that were answered, without a verdict that can be read."""
    return [one for one in replies.answered if replies.heard[short_key(one.text)].verdict.label == "unjudged"]


def cite_deciding_words(statement: Statement, heard: ConsistencyVerdict) -> Statement:
    """The statement with the words that decided for it as quotes of its own, where none of its quotes has any of them.

    The model that checks reads whole passages: what it found may stand elsewhere in one than the words that the writer
    copied, which then do not carry the statement.
    """
    if heard.verdict.label != "supports":
        return statement
    lacking = [one for one in heard.deciding if not any(_overlaps(one, quoted) for quoted in statement.citations)]
    together = sorted((*statement.citations, *lacking), key=lambda one: statement.cited_ids.index(one.passage_id))
    return statement.model_copy(update={"citations": tuple(together)}) if lacking else statement


def _overlaps(one: Citation, other: Citation) -> bool:
    return one.passage_id == other.passage_id and one.start < other.end and other.start < one.end


def _build_question_prompt(
    question: Question, statements: Sequence[Statement], passages: PassagesById, context: Context
) -> CheckConsistency:
    asked = strip_personal_context(question)

    def build_prompt(patient: str) -> CheckConsistency:
        return CheckConsistency(question=asked, patient=patient, **_list_shown(statements, passages))

    if not question.patient or context.write.style != "recommendation" or not context.sees_patient:
        return build_prompt("")
    # A long record must not crowd out the claims and their passages.
    model = context.judging_model
    spare = model.context_left(build_prompt("")) * 2 // 3
    return build_prompt(select_excerpt(question.patient, question.text, model, build_prompt, spare).text)


def _list_shown(statements: Sequence[Statement], passages: PassagesById) -> dict[str, Any]:
    claims = tuple(
        DraftClaim(
            key=short_key(statement.text),
            text=statement.text,
            cites=tuple(passages[id].key for id in statement.cited_ids),
        )
        for statement in statements
    )
    return {"claims": claims, "passages": _list_shown_passages(statements, passages)}


def _list_shown_passages(statements: Sequence[Statement], passages: PassagesById) -> tuple[Passage, ...]:
    return tuple(passages[id] for id in cited_passage_ids(statements))


def _merge_replies(statement: Statement, said: Sequence[ClaimVerdict], shelf: ShownPassages) -> ConsistencyVerdict:
    """One verdict of what was said: a contradiction that shows its words first, then silence, then support."""
    quotes = [DraftQuote(passage_id=item.passage_id, quote=item.quote) for item in said]
    placed = [(item, cite_quote(one, statement.text, shelf)) for item, one in zip(said, quotes, strict=True)]
    support = [place for item, places in placed if item.label == "supports" for place in places]
    support = [place for place in dict.fromkeys(support) if place.passage_id in statement.cited_ids]
    against = [places[0] for item, places in placed if item.label == "contradicts" and places]
    if against:
        told = _with_reasons(_describe_contradiction(statement, against[0], shelf), said, "contradicts")
        return ConsistencyVerdict(
            Verdict(label="contradicts", score=1.0, reason=told, basis="model"), against[0], bool(support)
        )
    if any(item.label == "contradicts" for item in said):
        told = _with_reasons(UNSHOWN_CONTRADICTION, said, "contradicts")
        return ConsistencyVerdict(Verdict(label="silent", score=0.0, reason=told, basis="model"))
    if any(item.label == "silent" for item in said):
        told = _with_reasons(NOT_FOUND, said, "silent")
        verdict = Verdict(label="silent", score=0.0, reason=told, basis="model")
        beside = [place for item, places in placed if item.label == "silent" for place in places]
        return ConsistencyVerdict(verdict, deciding=tuple(beside))
    if support:
        told = f"the model: “{support[0].quote}”"
        verdict = Verdict(label="supports", score=1.0, reason=told, basis="model")
        return ConsistencyVerdict(verdict, deciding=tuple(support))
    return NO_VERDICT


def _describe_contradiction(statement: Statement, against: Citation, shelf: ShownPassages) -> str:
    passage = shelf.find(against.passage_id)
    is_other = against.passage_id not in statement.cited_ids and passage is not None
    where = f"“{passage.reference.title or against.passage_id}”" if is_other and passage else "its passage"
    return f"{where} says “{against.quote}”"


def _with_reasons(told: str, said: Sequence[ClaimVerdict], label: str) -> str:
    reasons = [short_line(item.reason, MAX_REASON_WORDS).rstrip(".") for item in said if item.label == label]
    return ": ".join(filter(None, (told, "; ".join(filter(None, dict.fromkeys(reasons))))))
