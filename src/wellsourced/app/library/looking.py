"""Libraries and documents, looked at."""

import asyncio
import json
import sys
from typing import Any

import click

from wellsourced import config
from wellsourced.app.library.shared import json_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.terminal import count, emit, harmless, safe, size, table
from wellsourced.errors import SourceError
from wellsourced.sources.base import WAITING, Card, FileState
from wellsourced.types import Hit, Query

SNIPPET = 240
"""Characters of a passage that a list of hits shows."""


@click.command("list", short_help="List the libraries.")
@json_option
@click.pass_obj
def list_(flags: dict[str, Any], as_json: bool) -> None:
    """List the libraries and how much they hold."""
    settings = config.load(flags)
    rows = asyncio.run(described(settings))
    if as_json:
        emit(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        click.echo("There is no library yet. The guidelines are built with the first question.")
    else:
        cells = [[shown(key, row[key]) for key in COLUMNS] for row in rows]
        click.echo(table(cells, COLUMNS), nl=False)
        for row in rows:
            if "problem" in row:
                click.echo(f"{row['name']}: {safe(str(row['problem']))}", err=True)


COLUMNS = ("name", "kind", "documents", "passages", "vectors", "first", "last", "about")


async def described(settings: config.Settings) -> list[dict[str, Any]]:
    """Every library as its card says; one that cannot be opened has a `problem` instead."""
    rows = []
    for name in config.library_names(settings):
        try:
            async with config.open_library(settings, name, build=False) as opened:
                rows.append((await opened.card())._asdict())
        except SourceError as error:
            rows.append({**Card(name, "own")._asdict(), "problem": str(error)})
    return rows


def shown(column: str, value: object) -> str:
    """A figure or a word in a table; an unknown year is left open."""
    if column in ("first", "last"):
        return str(value or "–")
    return f"{value:,}" if isinstance(value, int) else str(value)


@click.command(short_help="Describe one library.")
@click.argument("name")
@json_option
@click.pass_obj
def info(flags: dict[str, Any], name: str, as_json: bool) -> None:
    """Say what the library NAME holds, what its vectors are of, and what it takes on the disk."""

    async def look() -> tuple[Card, list[FileState]]:
        async with config.open_library(settings, name, build=False) as opened:
            return await opened.card(), opened.unsettled()

    settings = config.load(flags)
    card, unsettled = asyncio.run(look())
    waiting = sum(file.state in WAITING for file in unsettled)
    encoder, size_ = config.encoder_name(settings, name), config.library_bytes(settings, name)
    if as_json:
        emit(
            json.dumps(
                {**card._asdict(), "encoder": encoder, "bytes": size_, "unsettled": len(unsettled)},
                ensure_ascii=False,
                indent=2,
            )
        )
        return
    years = f", published {card.first} to {card.last}" if card.first else ""
    click.echo(f"{name} holds {count(card.documents, 'document')} of the kind “{card.kind}”{years}.")
    click.echo(f"{count(card.passages, 'passage')} can be found by word, {card.vectors:,} also by meaning.")
    if not encoder:
        click.echo(f"It is searched by word only: `wellsourced library embed {name}` turns vectors on.")
    elif card.vectors < card.passages:
        click.echo(f"`wellsourced library embed {name}` goes on with the vectors ({encoder}).")
    if waiting:
        click.echo(f"{count(waiting, 'file')} still to be read: `wellsourced library add {name}` goes on with them.")
    if faulty := len(unsettled) - waiting:
        click.echo(f"{count(faulty, 'file')} could not be read whole: `wellsourced library errors {name}` says why.")
    click.echo(f"It takes {size(size_)}." + (f" {safe(card.about)}." if card.about else ""))


@click.command(short_help="Search one library.")
@click.argument("name")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True, help="Hits, at most.")
@json_option
@click.pass_obj
def search(flags: dict[str, Any], name: str, query: str, limit: int, as_json: bool) -> None:
    """Show the passages of the library NAME that fit QUERY best, by word and by meaning."""

    async def look(watch: Watch) -> list[Hit]:
        async with config.open_library(settings, name, tell=watch) as opened:
            return await opened.search(Query(terms=(query,)), limit)

    settings = config.load(flags)
    with watching() as watch:
        hits = asyncio.run(look(watch))
    if as_json:
        emit(json.dumps([hit.model_dump(mode="json") for hit in hits], ensure_ascii=False, indent=2))
        return
    if not hits:
        click.echo(f"Nothing in {name} fits.")
    for rank, hit in enumerate(hits, start=1):
        click.echo(listed(rank, hit))


def listed(rank: int, hit: Hit) -> str:
    """One hit in three lines: what it is of, its id, how it begins."""
    passage, reference = hit.passage, hit.passage.reference
    title = ", ".join(part for part in (reference.title, str(reference.year or ""), passage.section) if part)
    words = safe(passage.text)
    beginning = words if len(words) <= SNIPPET else f"{words[:SNIPPET]}…"
    return f"{rank:>3}. {safe(title)}\n     {safe(passage.id)}\n     {beginning}"


@click.command("open", short_help="Print one document.")
@click.argument("name")
@click.argument("document_id", metavar="DOCUMENT_ID")
@json_option
@click.pass_obj
def open_(flags: dict[str, Any], name: str, document_id: str, as_json: bool) -> None:
    """Print the text of a document, character for character: the quotes of an answer are slices of it."""

    async def look(watch: Watch) -> Any:
        async with config.open_library(settings, name, tell=watch) as opened:
            return await opened.open(document_id)

    settings = config.load(flags)
    with watching() as watch:
        document = asyncio.run(look(watch))
    if as_json:
        emit(document.model_dump_json(indent=2))
    elif sys.stdout.isatty():
        click.echo(harmless(document.text))
    else:
        emit(document.text, end="")
