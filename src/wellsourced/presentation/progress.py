"""What happens while an answer is made, in a sentence for each event."""

import re
from collections.abc import Iterator

from wellsourced import events
from wellsourced.events import Event
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.runs.table import RunStep
from wellsourced.types import Attempt

DRAFT_STEP, CHECK_STEP, CUT = "Draft, not checked: ", "Checked: ", "…"
"""How steps begin that tell of a draft and of its check; what stands before its last words, where not all are told."""

LAST_WORDS = 200
"""Characters of a draft that a step tells."""


def describe_event(event: Event) -> RunStep | None:
    """What a reader is told of an event; None when that is nothing."""
    match event:
        case events.EmergencyDetected():
            return RunStep("alarm", f"This may be an emergency ({event.emergency.kind}): {event.emergency.advice}")
        case events.QuestionFramed():
            asked = event.question
            return RunStep("step", f"Understood as “{asked.text}”" if asked.asked else "Question read")
        case events.SearchPlanned():
            names = dict.fromkeys(search.source for tier in event.plan.tiers for search in tier.searches)
            return RunStep("step", f"Searching {', '.join(names)}")
        case events.SourceSearched():
            attempt = event.attempt
            told = f"{attempt.search.source}, asked “{attempt.search.query.text}”: {describe_outcome(attempt)}"
            return RunStep("failure" if attempt.status == "failed" else "step", told)
        case events.PassagesRead():
            read = format_count(len(event.evidence), "passage")
            return RunStep("step", f"{read} kept of what was found, {len(event.dropped)} left out")
        case events.AnswerDrafted():
            return RunStep("draft", DRAFT_STEP + "\n".join(one.text for one in event.statements))
        case events.DraftProgress():
            is_cut = len(event.text) > LAST_WORDS
            return RunStep("draft", f"{DRAFT_STEP}{CUT * is_cut}{event.text[-LAST_WORDS:]}")
        case events.AnswerChecked():
            kept = format_count(len(event.statements), "statement")
            return RunStep("step", f"{CHECK_STEP}{kept} passed, {len(event.dropped)} failed")
        # Only to whom: the words that go there are the asker's, and pages of others could show them.
        case events.Disclosure():
            return RunStep("sending", f"Sending to {event.host} ({event.to})")
        case events.FileRead():
            return RunStep("step", f"{event.path.name}: {format_count(event.documents, 'document')} in")
        case events.FileFailed():
            return RunStep("failure", f"{event.path.name}: {event.reason}. {event.remedy}")
        case events.FileSkipped():
            return RunStep("step", f"{event.path.name}: as it was, nothing to do")
        case events.Progress():
            return RunStep("step", f"{event.task.capitalize()}: {', '.join(_describe_progress(event))}")
        case events.ModelCalled():
            done = "failed" if event.error else "answered"
            prompt = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", event.prompt).lower()
            often = f", after {event.requests} requests" if event.requests > 1 else ""
            return RunStep("step", f"{event.model} {done} in {event.ended - event.started:.1f} s ({prompt}{often})")
    return None


def _describe_progress(event: events.Progress) -> Iterator[str]:
    """How far the work is, what has gone in, how fast, and how long it will still take."""
    by_bytes = event.unit == "bytes"
    done = format_size(event.done) if by_bytes else f"{event.done:,} {event.unit}"
    yield f"{event.done / event.total:.0%}" if event.total else done
    if event.documents and event.unit != "documents":
        yield format_count(event.documents, "document")
    if event.passages and event.unit != "passages":
        yield format_count(event.passages, "passage")
    if event.rate:
        yield f"{format_size(event.rate) if by_bytes else f'{event.rate:,.0f} {event.unit}'}/s"
    if event.rate and event.total:
        yield f"{max(0, event.total - event.done) / event.rate / 60:,.0f} min left"


def describe_outcome(attempt: Attempt) -> str:
    """What came of asking one source."""
    if attempt.status == "failed":
        return f"failed ({attempt.error})"
    found = "nothing found" if attempt.status == "empty" else f"{format_count(attempt.found, 'passage')} found"
    return "; ".join((found, *attempt.notes))


def describe_ingestion(
    name: str, done: events.IngestionCompleted, units: tuple[str, str] = ("document", "passage")
) -> str:
    """Say what an ingestion added to a library, counted in these units."""
    whole, part = units
    in_part = f", {done.partial} of them in part" if done.partial else ""
    parts = [f"{format_count(done.files, 'file')} read into {name}{in_part}: {format_count(done.documents, whole)}"]
    parts.append(format_count(done.passages, part))
    if done.failed:
        parts.append(f"{format_count(done.failed, 'file')} not read")
    if done.skipped:
        parts.append(f"{format_count(done.skipped, 'file')} unchanged")
    if done.removed:
        parts.append(f"{format_count(done.removed, whole)} removed that their files no longer hold")
    return ", ".join(parts) + "."
