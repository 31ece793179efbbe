"""`wellsourced open ID`: anything that was printed with an id, at the right place."""

import asyncio
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.answer_output import OutputOptions, print_answer
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import SectionedCommand, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import live_option
from wellsourced.app.terminal import print_json, print_result, print_utf8
from wellsourced.config.libraries import graph_path
from wellsourced.config.paths import GRAPH, GUIDELINES
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName
from wellsourced.errors import NotFoundError, SourceError
from wellsourced.presentation.json_schema import to_excerpt
from wellsourced.presentation.searches import build_document, build_passage
from wellsourced.runs.history import RunHistory
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer, Document

MAX_COMPARED_IDS = 2_000
"""Ids of a library that a mistyped one is compared with."""


@click.command(cls=SectionedCommand)
@click.argument("id")
@click.option("--all", "is_whole", is_flag=True, help="Show the whole document, not only the section.")
@click.option("--source", metavar="NAME", default="", help="Look only in this library or live source.")
@live_option
@json_option
@click.pass_context
def open_(
    ctx: click.Context, id: str, is_whole: bool, source: str, live: tuple[LiveSourceName, ...], as_json: bool
) -> None:
    """Open the passage, document or run ID, as `ask`, `search` and `history` print ids.

    A passage is marked in its section. Libraries on this machine are searched first, and the network only if you name
    a live source here or in your settings. Piped with --all, a document is printed character for character,
    and ends with a newline.
    """
    settings = config.load(ctx.obj)
    if not source and (answer := find_run(settings, id)):
        print_answer(answer, OutputOptions(as_json, None))
        ctx.exit(EXIT_NOTHING if answer.abstained else 0)
    document_id, span = split_passage_id(id)
    with watch_progress() as watch:
        document = asyncio.run(find_document(settings, document_id, source, live, watch))
    spans = [span] if span else []
    if as_json:
        start, end = (0, len(document.text)) if is_whole or not span else span
        print_json(to_excerpt(document, start, end - start).model_dump_json(indent=2))
    elif is_whole and not sys.stdout.isatty():
        print_utf8(document.text, end="" if document.text.endswith("\n") else "\n")
    elif is_whole:
        print_result(build_document(document, spans))
    else:
        print_result(build_passage(document, spans))


def find_run(settings: config.Settings, id: str) -> Answer | None:
    """Return the answer of a run; None where no run has this id, or a few letters of a word begin several."""
    if not re.fullmatch(r"[0-9a-fA-F]{3,64}", id):
        return None
    try:
        return RunHistory(settings.home, settings.storage.url).load(id)
    except NotFoundError:
        return None


def split_passage_id(id: str) -> tuple[str, tuple[int, int] | None]:
    """Return the document of an id, and the span of its text where it is a passage's: "doi:10.1/x#120-480"."""
    found = re.fullmatch(r"(.+)#(\d{1,9})-(\d{1,9})", id)
    return (found[1], (int(found[2]), int(found[3]))) if found else (id, None)


async def find_document(
    settings: config.Settings, id: str, source: str, live: tuple[LiveSourceName, ...], watch: ProgressWatch
) -> Document:
    """Return the document of this id, from this machine if it is here. Raises NotFoundError, with ids that are near."""
    guidelines = [GUIDELINES] if settings.guidelines else []
    graph = [GRAPH] if graph_path(settings).exists() else []
    libraries = config.library_names(settings)
    own = [*dict.fromkeys([*guidelines, *libraries, *graph])]
    names = [source] if source else [*own, *dict.fromkeys([*settings.live, *live])]
    for name in names:
        watch.show_step(messages.ASKING.format(name=name))
        try:
            async with config.open_source(settings, name, watch) as opened:
                return await opened.open(id)
        except NotFoundError:
            # Also for a source that does not exist, which is the one that was named.
            if source and source not in (*own, *LIVE_SOURCES):
                raise
        # One source that cannot be opened must not hide what another one holds.
        except SourceError as error:
            if source:
                raise
            watch.close()
            click.echo(sanitize_line(messages.NOTE_ON.format(source=name, note=error.phrase.rstrip("."))), err=True)
    prefix = id.partition(":")[0]
    if prefix in LIVE_SOURCES and prefix not in names:
        raise NotFoundError(messages.ID_OF_LIVE_SOURCE.format(id=id, name=prefix))
    near = await list_near_ids(settings, [name for name in names if name in libraries], id)
    raise NotFoundError(messages.unknown_id(id, names, near))


async def list_near_ids(settings: config.Settings, libraries: Sequence[str], id: str) -> list[str]:
    """Ids in libraries that a mistyped one may mean: near in the alphabet, so that millions are not read."""
    known: dict[str, None] = {}
    for name in libraries:
        async with config.open_library(settings, name, build=False) as library:
            for before in (id[: max(0, len(id) - 4)], ""):
                known |= dict.fromkeys(each.id for each in await library.list_references(before, MAX_COMPARED_IDS))
    return get_close_matches(id, known, n=3, cutoff=0.7)
