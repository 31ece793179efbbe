"""Passages that were found, as a terminal shows them."""

from collections.abc import Sequence

import click

from wellsourced.app.render.references import shorten_title
from wellsourced.app.terminal import TerminalPage, print_data, sanitize_line
from wellsourced.types import Hit, Passage

MAX_SNIPPET_CHARS = 240
"""Characters of a passage that a list shows."""

MAX_HEADINGS = 2
"""Headings, the innermost, of the section that a passage is of."""


def print_hits(hits: Sequence[Hit], where: str, page: TerminalPage, *, as_json: bool) -> None:
    """All hits, best first, as JSON or a few lines each; or that there are none."""
    if as_json:
        print_data([hit.model_dump(mode="json") for hit in hits])
        return
    if not hits:
        click.echo(f"Nothing in {where} fits.")
    for rank, hit in enumerate(hits, start=1):
        click.echo("\n".join(passage_lines(rank, hit.passage, page)))


def passage_lines(rank: int, passage: Passage, page: TerminalPage, source: str = "") -> list[str]:
    """One passage, set to the width: what it is of, its id and where it was found, how it begins."""
    reference = passage.reference
    title = shorten_title(reference.title) or reference.id
    year = str(reference.year or "")
    section = " › ".join(passage.section.split(" › ")[-MAX_HEADINGS:])
    words = sanitize_line(passage.text)
    beginning = words if len(words) <= MAX_SNIPPET_CHARS else f"{words[:MAX_SNIPPET_CHARS]}…"
    place = f"{passage.id} ({source})" if source else passage.id
    # Guidelines often carry their year in the title.
    told = ", ".join(part for part in (title, "" if year in title else year, section) if part)
    return [
        *page.wrap(told, "     ", f"{rank:>3}. "),
        *page.dim(page.wrap(place, "     ")),
        *page.wrap(beginning, "     "),
    ]
