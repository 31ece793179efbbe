"""What happens in a run, as sentences for its page."""

from typing import NamedTuple

from wellsourced.app.progress import describe_step
from wellsourced.app.render.search_receipt import describe_outcome
from wellsourced.app.terminal import format_count
from wellsourced.events import (
    AnswerChecked,
    AnswerDrafted,
    Disclosure,
    EmergencyDetected,
    Event,
    FileFailed,
    FileRead,
    FileSkipped,
    PassagesRead,
    Progress,
    QuestionFramed,
    SearchPlanned,
    SourceSearched,
)


class Step(NamedTuple):
    """A sentence, and what sort of thing it tells.

    kind   "alarm", "draft", "failure", "sending" or "step"
    """

    kind: str
    text: str


def describe_event(event: Event) -> Step | None:
    """What a reader is told of an event; None when that is nothing."""
    match event:
        case EmergencyDetected():
            return Step("alarm", f"This may be an emergency ({event.emergency.kind}): {event.emergency.advice}")
        case QuestionFramed():
            asked = event.question
            return Step("step", f"Understood as “{asked.text}”" if asked.asked else "Question read")
        case SearchPlanned():
            return Step("step", describe_step(event))
        case SourceSearched():
            attempt = event.attempt
            told = f"{attempt.search.source}, asked “{attempt.search.query.text}”: {describe_outcome(attempt)}"
            return Step("failure" if attempt.status == "failed" else "step", told)
        case PassagesRead():
            read = format_count(len(event.evidence), "passage")
            return Step("step", f"{read} kept of what was found, {len(event.dropped)} left out")
        case AnswerDrafted():
            return Step("draft", f"Draft, not checked: {' '.join(one.text for one in event.statements)}")
        case AnswerChecked():
            kept = format_count(len(event.statements), "statement")
            return Step("step", f"Checked: {kept} stand, {len(event.dropped)} do not")
        # Only to whom: the words that go there are the asker's, and pages of others could show them.
        case Disclosure():
            return Step("sending", f"Sending to {event.host} ({event.to})")
        case FileRead():
            return Step("step", f"{event.path.name}: {format_count(event.documents, 'document')} in")
        case FileFailed():
            return Step("failure", f"{event.path.name}: {event.reason}. {event.remedy}")
        case FileSkipped():
            return Step("step", f"{event.path.name}: as it was, nothing to do")
        case Progress():
            of = f" of {event.total:,}" if event.total else ""
            return Step("step", f"{event.task.capitalize()}: {event.done:,}{of} {event.unit}")
    told = describe_step(event)
    return Step("step", told) if told else None
