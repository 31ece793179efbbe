"""What registries know now of the works of a stored answer, as blocks and as JSON."""

from collections.abc import Iterator

from wellsourced.pipeline.verify.recheck import RecheckResult
from wellsourced.presentation.blocks import Presentation, Text
from wellsourced.presentation.references import name_work
from wellsourced.presentation.wording import format_count


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
