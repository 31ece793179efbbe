"""`wellsourced open ID`: anything that was printed with an id, at the right place."""

import asyncio
import re
import sys

import click

from wellsourced import config
from wellsourced.app import messages
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
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Document


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
    """Open the passage or document ID, as `ask` and `search` print ids.

    A passage is marked in its section. Libraries on this machine are searched first, and the network only if you name
    a live source here or in your settings. Piped with --all, a document is printed character for character,
    and ends with a newline.
    """
    settings = config.load(ctx.obj)
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


def split_passage_id(id: str) -> tuple[str, tuple[int, int] | None]:
    """Return the document of an id, and the span of its text where it is a passage's: "doi:10.1/x#120-480"."""
    found = re.fullmatch(r"(.+)#(\d{1,9})-(\d{1,9})", id)
    return (found[1], (int(found[2]), int(found[3]))) if found else (id, None)


async def find_document(
    settings: config.Settings, id: str, source: str, live: tuple[LiveSourceName, ...], watch: ProgressWatch
) -> Document:
    """Return the document of this id, from this machine if it is here. Raises NotFoundError."""
    guidelines = [GUIDELINES] if settings.guidelines else []
    graph = [GRAPH] if graph_path(settings).exists() else []
    own = [*dict.fromkeys([*guidelines, *config.library_names(settings), *graph])]
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
    raise NotFoundError(messages.unknown_id(id, names))
