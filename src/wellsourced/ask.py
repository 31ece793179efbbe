"""★ The path of one question: frame · plan · search · read · write · check."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from wellsourced.accounts import Account, opened
from wellsourced.errors import ModelError
from wellsourced.events import Alerted, Answered, Checked, Drafted, Framed, Tell, unheard
from wellsourced.explore import Explored, bearing, explore
from wellsourced.kit import Kit
from wellsourced.stages.appraise import appraise
from wellsourced.stages.check import Kept, check
from wellsourced.stages.condense import Condensed, condense
from wellsourced.stages.conflicts import settled
from wellsourced.stages.frame import frame
from wellsourced.stages.widen import Widened, widen
from wellsourced.stages.write import Written, write, write_alone
from wellsourced.timing import Clock
from wellsourced.types import Answer, Basis, Checks, Emergency, Evidence, Question, Statement
from wellsourced.worker_pool import run_in_worker

CUT = "The time that it was given (budget.seconds) was over before anything was found that answers the question."

MUTE = "The language model that was to answer from its own knowledge gave no answer."


async def answer(question: Question, kit: Kit, tell: Tell = unheard) -> Answer:
    """Answer from what the kit's sources say, or abstain and say why; what was searched is told either way.

    Signs of an emergency are told before anything else is done, and stand first in the answer.
    So many questions as `kit.at_once` are in work together, others wait in order. Where the budget of time is spent,
    the answer says what was left out.
    Raises QuestionError for what is no question, ModelError when the model fails and nobody can answer in its place. A
    source that fails is a gap; what a model could not do besides is a note.
    """
    if alarm := await kit.alarm.emergency(question.text):
        tell(Alerted(emergency=alarm))
    clock, account = Clock(), Account(kit.budget, tell)
    with opened(account):
        async with kit.admission.admit_question(kit.at_once, account.count_seconds_left()):
            with clock("frame"):
                framing = await frame(question, kit)
            tell(Framed(question=framing.question))
            found = await _found(framing.question, kit, tell, clock)
            told = await _told(framing.question, found, kit, tell, clock)
            final = await run_in_worker(_answer, framing.question, found, told, kit, alarm, framing.notes)
    final = _accounted(final, account).model_copy(update={"timings": clock.seconds})
    tell(Answered(answer=final))
    return final


def _accounted(given: Answer, account: Account) -> Answer:
    """The answer with what it cost, and with what the user's deadline left out."""
    reason = CUT if given.abstained and account.left_out else given.reason
    notes = (*given.notes, *account.tell_what_was_cut())
    return given.model_copy(update={"spent": account.spent, "reason": reason, "notes": notes})


class Found(NamedTuple):
    """What the sources hold for a question.

    bearing   of what was read, what an answer is written from, best first
    alone     whether the model answers from its own knowledge instead
    """

    explored: Explored = Explored()
    bearing: tuple[Evidence, ...] = ()
    alone: bool = False


async def _found(question: Question, kit: Kit, tell: Tell, clock: Clock) -> Found:
    """Plan, search and read; where nothing bears on the question, ask in other ways. Not where memory is to answer."""
    if kit.write.memory == "always":
        return Found(alone=True)
    explored = await explore(question, kit, tell, clock)
    if explored.answers or not (kit.read.decompose or kit.read.self_knowledge):
        return Found(explored, explored.written_from)

    async def of_part(part: Question) -> Explored:
        expansions = await kit.understanding.expansions(part)
        return await explore(part.model_copy(update={"expansions": expansions}), kit, tell, clock)

    widened = await widen(question, of_part, kit, outage=explored.down)
    return _widened(explored, widened, kit)


def _widened(explored: Explored, widened: Widened, kit: Kit) -> Found:
    """Both together: what was read for the question itself, and for its parts."""
    reading = explored.reading + widened.reading
    kept = {item.passage.id for item in reading.evidence}
    together = explored._replace(
        reading=reading._replace(dropped=tuple(one for one in reading.dropped if one.id not in kept)),
        attempts=explored.attempts + widened.attempts,
        notes=explored.notes + widened.notes,
    )
    return Found(together, bearing(reading.evidence, kit), widened.alone.certain)


class Told(NamedTuple):
    """What is said of it, and what became of the draft."""

    written: Written
    kept: Kept
    condensed: Condensed = Condensed()


async def _told(question: Question, found: Found, kit: Kit, tell: Tell, clock: Clock) -> Told:
    """Write and check; where nothing of what a model wrote stands, the sources' own sentences answer."""
    if found.alone:
        with clock("write"):
            written = await _from_memory(question, kit)
        tell(Drafted(statements=written.statements))
        return Told(written, Kept(written.statements))
    told = await _supported(question, found, kit, tell, clock)
    drafted = told.written.statements or told.written.dropped
    if told.kept.statements or not drafted or not kit.has_model or kit.extractive is None:
        return told
    spare = await _supported(question, found, _extractive(kit), tell, clock)
    note = f"nothing that {kit.model.name} wrote stood its check, so these are the sources' own sentences"
    dropped = (*told.written.dropped, *told.kept.dropped, *spare.written.dropped)
    notes = (*told.written.notes, note, *spare.written.notes)
    written = spare.written._replace(dropped=dropped, notes=notes, recommendation=told.written.recommendation)
    kept = spare.kept._replace(notes=(*told.kept.notes, *spare.kept.notes), checks=told.kept.checks + spare.kept.checks)
    return spare._replace(written=written, kept=kept, condensed=told.condensed)


async def _from_memory(question: Question, kit: Kit) -> Written:
    """What the model knows; nothing, and why, when it gives nothing that can be read."""
    try:
        return await write_alone(question, kit)
    except ModelError as error:
        return Written(notes=(f"{kit.model.name} gave no answer: {error}".rstrip("."),))


async def _supported(question: Question, found: Found, kit: Kit, tell: Tell, clock: Clock) -> Told:
    """A draft from what bears on the question, and what of it stands."""
    reading = found.explored.reading
    with clock("condense"):
        condensed = await condense(question, found.bearing, kit)
    with clock("write"):
        written = await write(question, condensed.evidence, kit, condensed.parts)
    tell(Drafted(statements=written.statements))
    with clock("check"):
        kept = await check(question, written.statements, reading.evidence, reading.documents, kit)
    tell(Checked(statements=kept.statements, dropped=kept.dropped))
    return Told(written, kept._replace(statements=led(kept.statements), checks=_counted(written, kept)), condensed)


def _counted(written: Written, kept: Kept) -> Checks:
    """What became of the draft, from its first word to the last check."""
    lost = written.drafted - len(kept.statements)
    return kept.checks.model_copy(update={"drafted": written.drafted, "quotes": written.quotes, "dropped": lost})


def led(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements; the first leads where those that did have not stood: an answer that speaks has a short answer."""
    if any(statement.lead for statement in statements):
        return tuple(statements)
    return tuple(one.model_copy(update={"lead": place == 0}) for place, one in enumerate(statements))


def _extractive(kit: Kit) -> Kit:
    """The kit without its language model."""
    return replace(kit, model=kit.extractive or kit.model, assistant=None, has_model=False)


def _answer(
    question: Question, found: Found, told: Told, kit: Kit, alarm: Emergency | None, notes: Sequence[str]
) -> Answer:
    explored, reading, written, kept = found.explored, found.explored.reading, told.written, told.kept
    supported: Basis = "parametric" if found.alone else "evidence"
    conflicts = (*settled(told.condensed.conflicts, written.conflict), *kept.conflicts)
    return Answer(
        question=question,
        statements=kept.statements,
        evidence=appraise(question, kept.statements, reading.evidence, reading.documents, _year(question)),
        gaps=tuple(dict.fromkeys((*kit.missing, *explored.gaps, *told.condensed.gaps))),
        attempts=explored.attempts,
        dropped=(*reading.dropped, *written.dropped, *kept.dropped),
        choice=written.choice if kept.statements else "",
        abstained=not kept.statements,
        notes=(*notes, *explored.notes, *told.condensed.notes, *written.notes, *kept.notes, *_unfounded(told)),
        reason="" if kept.statements else MUTE if found.alone else why_nothing(explored),
        basis=supported if kept.statements else "none",
        writer=written.writer if kept.statements else "",
        reasoning=written.reasoning,
        emergency=alarm,
        recommendation=written.recommendation if kept.statements else None,
        conflicts=conflicts,
        checks=kept.checks if kept.checks.drafted else None,
        preflight=told.condensed.preflight,
    )


def _year(question: Question) -> int:
    """The year as of which it is asked."""
    return (question.as_of or date.today()).year


def _unfounded(told: Told) -> tuple[str, ...]:
    """That an option was chosen for which nothing stands, and is not given."""
    if not told.written.choice or told.kept.statements:
        return ()
    return (f"the model chose {told.written.choice}, but nothing that it said for it stood, so nothing is chosen",)


def why_nothing(explored: Explored) -> str:
    """Why an answer abstains, in a sentence for its reader."""
    if explored.down:
        return "No source could be reached."
    if not any(card.documents or card.live for card in explored.cards):
        if explored.unasked:
            return "No source could be reached."
        return "There is nothing to search: no library holds a document."
    if explored.named and not explored.reading.documents:
        return "None of the documents that were named could be opened."
    if not explored.attempts and not explored.reading.evidence:
        return "The plan is to search for nothing, and nothing is said here without a source."
    if explored.attempts and not any(attempt.found for attempt in explored.attempts):
        return "No source holds anything that shares the question's words or meaning within its limits."
    if not explored.reading.evidence:
        return "Passages were found, but none of them bears on the question."
    return "What was found is near the question but does not answer it with enough certainty to be shown as an answer."
