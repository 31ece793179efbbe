"""Passages that were found, as a terminal shows them."""

from collections.abc import Sequence

import click

from wellsourced.app.terminal import print_data, sanitize_line
from wellsourced.types import Hit, Passage

MAX_SNIPPET_CHARS = 240
"""Characters of a passage that a list shows."""


def print_hits(hits: Sequence[Hit], where: str, *, as_json: bool) -> None:
    """All hits, best first, as JSON or three lines each; or that there are none."""
    if as_json:
        print_data([hit.model_dump(mode="json") for hit in hits])
        return
    if not hits:
        click.echo(f"Nothing in {where} fits.")
    for rank, hit in enumerate(hits, start=1):
        click.echo(format_passage(rank, hit.passage))


def format_passage(rank: int, passage: Passage, source: str = "") -> str:
    """One passage in three lines: what it is of, its id and where it was found, how it begins."""
    reference = passage.reference
    called = reference.title or reference.id
    title = ", ".join(part for part in (called, str(reference.year or ""), passage.section) if part)
    words = sanitize_line(passage.text)
    beginning = words if len(words) <= MAX_SNIPPET_CHARS else f"{words[:MAX_SNIPPET_CHARS]}…"
    place = f"{passage.id} ({source})" if source else passage.id
    return f"{rank:>3}. {sanitize_line(title)}\n     {sanitize_line(place)}\n     {beginning}"
