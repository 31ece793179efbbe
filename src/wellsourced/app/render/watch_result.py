"""What came of asking a question again, as lines for a terminal and as JSON."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from wellsourced.app.terminal import TerminalPage
from wellsourced.pipeline.verify.recheck import AnswerChanges
from wellsourced.runs import RecordedQuestion
from wellsourced.types import Reference


class WatchResult(NamedTuple):
    """What came of asking a question again.

    later   id of the new run; "" where it is not kept
    error   why it could not be asked; "" when it was
    """

    question: RecordedQuestion
    changes: AnswerChanges = AnswerChanges()
    later: str = ""
    error: str = ""

    @property
    def result(self) -> str:
        """In a word or two: "changed", "same", "not known", "failed"."""
        # An error first: what could not be asked again is neither changed nor the same.
        if self.error:
            return "failed"
        if self.changes.has_changed:
            return "changed"
        # With a source silent that answered before, "same" would claim what nobody saw.
        return "not known" if self.changes.unknown else "same"


def watch_lines(told: WatchResult, page: TerminalPage) -> list[str]:
    """The question, since when, and what has changed, what matters most first; that nothing has, where it is known."""
    heading = [page.heading(line) for line in page.wrap(told.question.question.text)]
    runs = f"since {told.question.at[:16].replace('T', ' ')} UTC, run {told.question.id}"
    runs += f"; now run {told.later}" if told.later else ""
    return [*heading, *page.dim(page.wrap(runs, "  ")), *_result_lines(told, page)]


def _result_lines(told: WatchResult, page: TerminalPage) -> Iterator[str]:
    if told.result == "same":
        yield "  Nothing changed."
    changes = told.changes
    parts = (
        ("Withdrawn since", (f"{_name_work(one.reference)}: {one.objection}" for one in changes.withdrawn)),
        ("Otherwise than before", changes.verdict),
        ("New", changes.new),
        ("No longer said", changes.no_longer_said),
        ("Newly cited", map(_name_work, changes.newly_cited)),
        # Another source explains a change; without a change it is no news.
        ("Searched now and not then", changes.searched_first if changes.has_changed else ()),
        ("Not known", (*changes.unknown, *filter(None, (told.error,)))),
    )
    for title, items in parts:
        yield from page.section(f"  {title}", items, "      ", "    – ")


def _name_work(reference: Reference) -> str:
    """Its title, its year and where it is."""
    year = f" ({reference.year})" if reference.year else ""
    return f"{reference.title.rstrip('.') or reference.id}{year}, {reference.url or reference.id}"


def watch_data(told: WatchResult) -> dict[str, object]:
    """The same as JSON; `run` is what it was compared with, `later` the new run."""
    changes = told.changes
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "question": told.question.question.text,
        "run": told.question.id,
        "later": told.later,
        "result": told.result,
        "new": changes.new,
        "no_longer_said": changes.no_longer_said,
        "withdrawn": [{**_work_data(one.reference), "reason": one.objection} for one in changes.withdrawn],
        "newly_cited": [_work_data(one) for one in changes.newly_cited],
        "verdict": changes.verdict,
        "searched_first": changes.searched_first,
        "unknown": changes.unknown,
        "compared": changes.is_comparable and not told.error,
        "error": told.error,
    }


def _work_data(reference: Reference) -> dict[str, object]:
    return {"id": reference.id, "title": reference.title, "year": reference.year, "url": reference.url}
