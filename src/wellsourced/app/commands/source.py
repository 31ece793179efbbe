"""`wellsourced source …`: every source looked at by itself: what lies here, the graph, and what is on the network."""

import asyncio
import sys
from datetime import date
from typing import Any

import click

from wellsourced import config
from wellsourced.app.answer_output import detect_page
from wellsourced.app.options import json_option, print_hint
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import as_of_option, since_option
from wellsourced.app.terminal import print_data, print_json, print_result, print_table, print_utf8
from wellsourced.config.network import describe_missing_setup
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.errors import NotFoundError
from wellsourced.presentation.searches import build_hits
from wellsourced.sources.base import SearchResult
from wellsourced.text.sanitization import sanitize_line, sanitize_text
from wellsourced.types import Document, Query


@click.group(
    epilog="""
    \b
    Examples:
      wellsourced source list
      wellsourced source search pubmed --boolean "colchicine[ti] AND gout[mh]" --since 2018
      wellsourced source open pubmed pubmed:31234567
    """
)
def source() -> None:
    """Look at one source by itself: libraries, the graph of concepts, and what is on the network."""


@source.command("list", short_help="List what can be searched over the network.")
@json_option
@click.pass_obj
def list_(flags: dict[str, Any], as_json: bool) -> None:
    """List what can be searched over the network, what each still needs, and which the settings search."""
    settings = config.load(flags)
    rows = [
        {
            "name": name,
            "searched": name in settings.live,
            "about": description,
            "needs": describe_missing_setup(name, settings),
        }
        for name, description in LIVE_SOURCE_REGISTRY.describe().items()
    ]
    for fault in LIVE_SOURCE_REGISTRY.find_plugin_faults():
        print_hint(fault)
    if as_json:
        print_data(rows)
        return
    cells = [[row["name"], "yes" if row["searched"] else "no", row["about"], row["needs"] or "–"] for row in rows]
    print_table([[str(cell) for cell in row] for row in cells], ("name", "searched", "what", "needs"))
    print_hint("`wellsourced ask --live NAME` searches one; --set live=NAME,NAME, or wellsourced.toml, for always.")


@source.command(short_help="Search one source.")
@click.argument("name")
@click.argument("query")
@click.option(
    "--boolean",
    is_flag=True,
    help="QUERY is Boolean, as PubMed or Ovid write it: (gout[mh] OR gout*[ti]) AND colchicine.",
)
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, help="Passages, at most.")
@since_option
@as_of_option
@json_option
@click.pass_obj
def search(
    flags: dict[str, Any],
    name: str,
    query: str,
    boolean: bool,
    limit: int,
    since: date | None,
    as_of: date | None,
    as_json: bool,
) -> None:
    """Show the passages that NAME gives for QUERY: a library, the graph, or a live source."""
    asked = Query(terms=(query,), kind="boolean" if boolean else "text", since=since, as_of=as_of)
    result = asyncio.run(search_source(config.load(flags), name, asked, limit))
    if as_json:
        print_data([hit.model_dump(mode="json") for hit in result.hits])
    else:
        print_result(build_hits(result.hits, name), detect_page(quotes=False))
    for note in result.notes:
        click.echo(f"{name}: {sanitize_line(note)}.", err=True)


async def search_source(settings: config.Settings, name: str, query: Query, limit: int) -> SearchResult:
    """What one source gives; what cannot be found in it yet is one of the notes."""
    with watch_progress() as watch:
        watch.show_step(f"Asking {name}")
        async with config.open_source(settings, name, watch) as opened:
            result = await opened.search(query, limit)
            backlog = await config.describe_backlog(settings, opened)
            return SearchResult(result.hits, (*result.notes, *filter(None, [backlog])))


@source.command("open", short_help="Print one document of a source.")
@click.argument("name")
@click.argument("document_id", metavar="DOCUMENT_ID")
@json_option
@click.pass_obj
def open_(flags: dict[str, Any], name: str, document_id: str, as_json: bool) -> None:
    """Print a document of the source NAME, character for character: the quotes of an answer are slices of it."""

    async def open_document(watch: ProgressWatch) -> Document:
        watch.show_step(f"Asking {name}")
        async with config.open_source(settings, name, watch) as one:
            return await one.open(document_id)

    settings = config.load(flags)
    with watch_progress() as watch:
        document = asyncio.run(open_document(watch))
    if as_json:
        print_json(document.model_dump_json(indent=2))
    elif sys.stdout.isatty():
        click.echo(sanitize_text(document.text))
    else:
        print_utf8(document.text, end="")


@source.command(short_help="Show by what other names a thing goes.")
@click.argument("term")
@json_option
@click.pass_obj
def names(flags: dict[str, Any], term: str, as_json: bool) -> None:
    """Show the other names that the graph of concepts knows for TERM."""

    async def find_names() -> list[str]:
        async with config.open_graph(config.load(flags)) as graph:
            return await graph.find_synonyms(term, 50)

    found = asyncio.run(find_names())
    if as_json:
        print_data(found)
    elif not found:
        raise NotFoundError(f"The graph knows no other name of “{term}”.")
    else:
        click.echo("\n".join(map(sanitize_line, found)))
