"""The public JSON, version 3: the results that `--json`, HTTP and MCP give alike, and the schema of each kind."""

from collections.abc import Sequence
from typing import Any

from wellsourced.answering.errata import find_errata
from wellsourced.orders.explanation import Explanation
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult
from wellsourced.types import (
    Answer,
    Checkup,
    Document,
    DocumentExcerpt,
    FoundPassage,
    Gap,
    PublicResult,
    SearchFindings,
)

RESULTS: tuple[type[PublicResult], ...] = (Answer, Checkup, Explanation, SearchFindings, DocumentExcerpt)


def to_search_findings(
    found: RetrievalResult, gaps: Sequence[Gap], limit: int, *, by_work: bool = False
) -> SearchFindings:
    """The best passages with their sources, or their works; how they were searched for, and what could not
    be searched."""
    shown = () if by_work else found.candidates[:limit]
    return SearchFindings(
        question=found.question,
        passages=tuple(FoundPassage(source=one.source, **dict(one.passage)) for one in shown),
        works=tuple(found.list_works()[:limit]) if by_work else (),
        attempts=found.attempts,
        notes=found.notes,
        gaps=tuple(gaps),
    )


def to_excerpt(document: Document, start: int, length: int) -> DocumentExcerpt:
    """At most so many characters of a document; none from its end on."""
    text = document.text[start : start + max(length, 0)]
    found = find_errata(document.reference.id, document.text)
    return DocumentExcerpt(
        reference=document.reference,
        sections=document.sections,
        length=len(document.text),
        start=start,
        end=start + len(text),
        text=text,
        errata=tuple(one for one in found if one.start < start + len(text) and start < one.end),
    )


def list_schemas() -> dict[str, dict[str, Any]]:
    """Kind → JSON Schema of what is given, with computed fields; assistants get passages without their text."""
    schemas = {str(kind.model_fields["kind"].default): kind.model_json_schema(mode="serialization") for kind in RESULTS}
    for schema in schemas.values():
        for name in ("Passage", "Document"):
            if described := schema["$defs"].get(name):
                described["required"].remove("text")
    return schemas
