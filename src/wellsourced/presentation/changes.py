"""What has changed since an answer was given, as blocks and as JSON: retracted works, and what is answered now."""

from collections.abc import Iterable, Iterator

from wellsourced.pipeline.verify.recheck import AnswerChanges, RecheckResult
from wellsourced.presentation.blocks import List, Presentation, Text
from wellsourced.presentation.references import name_work
from wellsourced.presentation.wording import format_count
from wellsourced.types import Reference


def build_recheck(result: RecheckResult) -> Presentation:
    """What registries know now of the works that a stored answer cites, a sentence each."""
    return Presentation("", tuple(map(Text, _describe_recheck(result))))


def _describe_recheck(result: RecheckResult) -> Iterator[str]:
    for reference in (change.reference for change in result.changes):
        yield f"{name_work(reference)} ({reference.id}) is {reference.retraction.objection or 'reinstated'}."
    for statement in result.unsupported_statements:
        yield f"No source that still counts supports this statement: “{statement.text}”"
    for gap in result.gaps:
        yield f"{gap.source} ({gap.status}): {gap.reason}"
    works = {item.passage.reference.id for item in result.answer.evidence}
    if result.gaps:
        yield "So it is unknown whether all of the answer still holds."
    elif not result.changes and not result.unsupported_statements:
        yield f"No registry reports a retraction or concern ({format_count(len(works), 'work')} checked)."


def recheck_to_json(result: RecheckResult) -> dict[str, object]:
    """The same as JSON."""
    return {
        "changed": [
            change.reference.model_dump(mode="json", include={"id", "title"})
            | {"now": change.reference.retraction.model_dump(mode="json")}
            for change in result.changes
        ],
        "fallen": [statement.text for statement in result.unsupported_statements],
        "gaps": [gap.model_dump(mode="json") for gap in result.gaps],
    }


def build_changes(changes: AnswerChanges, error: str = "") -> tuple[List, ...]:
    """What differs between an answer and the one of now, what matters most first. `error`: why there is none now."""
    parts: dict[str, Iterable[str]] = {
        "Retracted since": (f"{_name_work(work.reference)}: {work.objection}" for work in changes.withdrawn),
        "Changed": changes.verdict,
        "New": changes.new,
        "No longer stated": changes.no_longer_said,
        "Newly cited": map(_name_work, changes.newly_cited),
        # Another source explains a change; without a change it is no news.
        "Searched now, not then": changes.searched_first if changes.has_changed else (),
        "Unknown": (*changes.unknown, *filter(None, (error,))),
    }
    lists = (List(title, tuple(map(Text, texts))) for title, texts in parts.items())
    return tuple(block for block in lists if block.items)


def changes_to_json(changes: AnswerChanges) -> dict[str, object]:
    """The same as JSON."""
    return {
        "new": changes.new,
        "no_longer_said": changes.no_longer_said,
        "withdrawn": [{**_work_to_json(work.reference), "reason": work.objection} for work in changes.withdrawn],
        "newly_cited": list(map(_work_to_json, changes.newly_cited)),
        "verdict": changes.verdict,
        "searched_first": changes.searched_first,
        "unknown": changes.unknown,
    }


def _name_work(reference: Reference) -> str:
    year = f" ({reference.year})" if reference.year else ""
    return f"{reference.title.rstrip('.') or reference.id}{year}, {reference.url or reference.id}"


def _work_to_json(reference: Reference) -> dict[str, object]:
    return {"id": reference.id, "title": reference.title, "year": reference.year, "url": reference.url}
