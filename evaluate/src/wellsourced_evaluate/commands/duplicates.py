"""`wellsourced evaluate duplicates`: documents in a library that are nearly the same."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.commands.common import print_study
from wellsourced_evaluate.tables import Block, Table, Text

if TYPE_CHECKING:
    from wellsourced_evaluate.near_duplicates import NearDuplicate

MAX_SHOWN = 50
"""Pairs that are printed; --json has all."""


class LibraryDuplicates(NamedTuple):
    """How many documents were compared, and each that is nearly one before it."""

    library: str
    documents: int
    pairs: "list[NearDuplicate]"


@click.command(
    short_help="Find near duplicates among the documents of a library.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate duplicates leaflets
      wellsourced evaluate duplicates leaflets --least 0.8 --json
    """,
)
@click.argument("library", metavar="LIBRARY")
@click.option(
    "--least",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    metavar="X",
    help="Share of five-word sequences that two documents have in common.",
)
@json_option
@click.pass_context
def duplicates(ctx: click.Context, library: str, least: float, as_json: bool) -> None:
    """List the documents of LIBRARY that nearly repeat an earlier one; nothing is changed (Omni-RAG: 0.9).

    An answer counts near duplicates once in any case. All words of the library are held in memory.
    """
    with watch_progress() as watch:
        found = asyncio.run(_compare_documents(config.load(ctx.obj), library, least, watch))
    print_study(_list_blocks(found), found, as_json=as_json)


async def _compare_documents(
    settings: config.Settings, name: str, least: float, watch: ProgressWatch
) -> LibraryDuplicates:
    from wellsourced_evaluate.contexts.documents import list_ids
    from wellsourced_evaluate.near_duplicates import NearDuplicateFinder, cut_words

    finder, pairs = NearDuplicateFinder(least, cut_words), []
    async with config.open_library(settings, name, emit=watch) as opened:
        ids = await list_ids(opened)
        for place, id in enumerate(ids):
            watch.show_step(f"Compared {place:,} of {len(ids):,} documents")
            text = (await opened.open(id)).text
            if twin := finder.find(id, text):
                pairs.append(twin)
            finder.add(id, text)
    return LibraryDuplicates(name, len(ids), pairs)


def _list_blocks(found: LibraryDuplicates) -> Iterator[Block]:
    near = format_count(len(found.pairs), "document")
    yield Text(f"{near} of {found.documents:,} in {found.library} nearly the same as one before.")
    if found.pairs:
        yield Table(("document", "nearly the same as", "share"), found.pairs[:MAX_SHOWN])
    if len(found.pairs) > MAX_SHOWN:
        yield Text(f"{len(found.pairs) - MAX_SHOWN:,} more: --json has all of them.")
