"""What has changed since an answer was given, as blocks and as JSON: retracted works, and what is answered now."""

from collections.abc import Iterable, Iterator

from wellsourced.pipeline.verify.recheck import AnswerChanges, RecheckResult
from wellsourced.presentation.blocks import Block, Heading, List, Presentation, Text
from wellsourced.presentation.references import name_work
from wellsourced.presentation.wording import format_count
from wellsourced.types import Reference


def build_recheck(result: RecheckResult) -> Presentation:
    """What registries know now of the works that a stored answer cites, a sentence each."""
    return Presentation("", tuple(map(Text, _describe_recheck(result))))


def _describe_recheck(result: RecheckResult) -> Iterator[str]:
    for work in result.changes:
        yield f"{name_work(work)} ({work.id}) is {work.retraction.objection or 'reinstated'}."
    for statement in result.unsupported_statements:
        yield f"No source that still counts supports this statement: “{statement.text}”"
    for gap in result.gaps:
        yield f"{gap.source} ({gap.status}): {gap.reason}"
    works = {item.passage.reference.id: item.passage.reference.retraction.status for item in result.answer.evidence}
    unknown = [id for id, status in works.items() if status == "unknown"]
    if result.gaps:
        yield "So it is unknown whether all of the answer still holds."
    elif unknown:
        yield f"It is unknown whether these were retracted: {', '.join(unknown)}. No registry knows them."
    elif not result.changes and not result.unsupported_statements:
        yield f"No registry reports a retraction or concern ({format_count(len(works), 'work')} checked)."


def recheck_to_json(result: RecheckResult) -> dict[str, object]:
    """The same as JSON."""
    return {
        "changed": [
            {"id": work.id, "title": work.title, "now": work.retraction.model_dump(mode="json")}
            for work in result.changes
        ],
        "fallen": [statement.text for statement in result.unsupported_statements],
        "unknown": [
            one.passage.reference.id
            for one in result.answer.evidence
            if one.passage.reference.retraction.status == "unknown"
        ],
        "gaps": [gap.model_dump(mode="json") for gap in result.gaps],
    }


def build_changes(question: str, since: str, changes: AnswerChanges) -> Presentation:
    """What differs between an answer and the one of now, what matters most first. `since`: which runs are compared."""
    parts: tuple[tuple[str, Iterable[str]], ...] = (
        ("Retracted since", (f"{_name_work(work.reference)}: {work.objection}" for work in changes.withdrawn)),
        ("Changed", changes.verdict),
        ("New", changes.new),
        ("No longer stated", changes.no_longer_said),
        ("Newly cited", map(_name_work, changes.newly_cited)),
        # Another source explains a change; without a change it is no news.
        ("Searched now, not then", changes.searched_first if changes.has_changed else ()),
        ("Unknown", changes.unknown),
    )
    lists: list[Block] = [List(title, items) for title, texts in parts if (items := tuple(map(Text, texts)))]
    head = (Heading(question), Text(since, role="aside"))
    return Presentation(question, (*head, *(lists or [Text("Nothing changed.")])))


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
