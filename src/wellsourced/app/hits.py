"""Passages that were found, as a terminal shows them."""

import json
from collections.abc import Sequence

import click

from wellsourced.app.terminal import emit_json, safe
from wellsourced.types import Hit, Passage

SNIPPET = 240
"""Characters of a passage that a list shows."""


def show(hits: Sequence[Hit], where: str, *, as_json: bool) -> None:
    """All hits, best first, as JSON or three lines each; or that there are none."""
    if as_json:
        emit_json(json.dumps([hit.model_dump(mode="json") for hit in hits], ensure_ascii=False, indent=2))
        return
    if not hits:
        click.echo(f"Nothing in {where} fits.")
    for rank, hit in enumerate(hits, start=1):
        click.echo(listed(rank, hit.passage))


def listed(rank: int, passage: Passage, source: str = "") -> str:
    """One passage in three lines: what it is of, its id and where it was found, how it begins."""
    reference = passage.reference
    called = reference.title or reference.id
    title = ", ".join(part for part in (called, str(reference.year or ""), passage.section) if part)
    words = safe(passage.text)
    beginning = words if len(words) <= SNIPPET else f"{words[:SNIPPET]}…"
    place = f"{passage.id} ({source})" if source else passage.id
    return f"{rank:>3}. {safe(title)}\n     {safe(place)}\n     {beginning}"
