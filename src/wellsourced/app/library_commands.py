"""`wellsourced library …`: libraries of one's own, and the guidelines, looked at from outside."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, get_args

import click

from wellsourced import config
from wellsourced.app.progress import Watch, watching
from wellsourced.app.terminal import count, emit, harmless, safe, size, table
from wellsourced.errors import NotFound, Refused, SourceError
from wellsourced.events import FileFailed, Ingested
from wellsourced.sources.base import Card
from wellsourced.types import Hit, Kind, Query

FAILED = 1
SNIPPET = 240
"""Characters of a passage that a list of hits shows."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
vectors_option = click.option("--no-vectors", is_flag=True, help="Leave the vectors to `wellsourced library embed`.")


@click.group(
    short_help="Build, search and look after your own libraries.",
    epilog="""
    \b
    Examples:
      wellsourced library create trials --kind research
      wellsourced library add trials pubmed.xml.gz ~/papers
      wellsourced library search trials "colchicine gout flare"
      wellsourced library open guidelines doi:10.1161/CIR.0000000000001063
    """,
)
def library() -> None:
    """Build, search and look after your own libraries; the one that comes with wellsourced is called "guidelines".

    A library is filled from files and folders: BEIR JSONL (.jsonl, .jsonl.gz), Markdown, plain text, PMC articles
    (.nxml) and PubMed XML (.xml, .xml.gz).
    """


@library.command(short_help="Make an empty library.")
@click.argument("name")
@click.option("--kind", type=click.Choice(get_args(Kind)), default="own", show_default=True, help="What it will hold.")
@click.option("--lexical", is_flag=True, help="Search it by word only, until `library embed` turns vectors on.")
@click.option("--add", "first", type=click.Path(path_type=Path), metavar="PATH…", help="Add these files and folders.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.pass_context
def create(
    ctx: click.Context, name: str, kind: Kind, lexical: bool, first: Path | None, more: tuple[Path, ...]
) -> None:
    """Make an empty library called NAME, or one that is filled from files at once."""
    if more and first is None:
        raise click.UsageError(f"What is {more[0]}? Put --add before the files that are to go in.")
    settings = config.load(ctx.obj)
    config.create_library(settings, name, kind, lexical=lexical)
    if first is None:
        click.echo(f"Made the library {name}. `wellsourced library add {name} PATH` puts documents in.")
        return
    filled(ctx, settings, name, (first, *more), vectors=not lexical, as_json=False)


@library.command(short_help="Add files and folders.")
@click.argument("name")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@vectors_option
@json_option
@click.pass_context
def add(ctx: click.Context, name: str, paths: tuple[Path, ...], no_vectors: bool, as_json: bool) -> None:
    """Add files, and those below folders, to the library NAME.

    An unchanged file costs nothing, a changed one takes the place of what it held before. It can be stopped at any
    moment, and goes on when the same command is given again. Documents can be found by word as soon as they are in;
    vectors, to find them by meaning, come after that.
    """
    own(name)
    settings = config.load(ctx.obj)
    try:
        filled(ctx, settings, name, paths, vectors=not no_vectors, as_json=as_json)
    except NotFound as error:
        raise NotFound(f"{error} To make it: `wellsourced library create {name}`.") from error


def filled(
    ctx: click.Context, settings: config.Settings, name: str, paths: tuple[Path, ...], *, vectors: bool, as_json: bool
) -> None:
    """Fill a library and say what went in and what did not; exit status 1 when anything did not."""
    with watching() as watch:
        ingested = asyncio.run(fill(settings, name, paths, vectors, watch))
    if as_json:
        failed = [event.model_dump(mode="json") for event in watch.failed]
        emit(json.dumps({**ingested.model_dump(), "problems": failed}, ensure_ascii=False, indent=2))
    else:
        click.echo(summary(name, ingested))
        report(watch.failed)
    ctx.exit(FAILED if watch.failed else 0)


async def fill(settings: config.Settings, name: str, paths: tuple[Path, ...], vectors: bool, watch: Watch) -> Ingested:
    """The text first, so that it can be searched; then the vectors, where the library has this encoder's."""
    from wellsourced.ingest import ingest

    encoder = config.encoder_of(settings)
    async with config.open_library(settings, name, write=True) as opened:
        ingested = await ingest(opened, paths, watch)
        # Another encoder's vectors would be thrown away for this one's: that is for `embed` to do, when it is told to.
        if vectors and encoder and encoder.name == config.encoder_name(settings, name):
            await opened.embed(watch)
    return ingested


def summary(name: str, done: Ingested) -> str:
    """What an ingestion came to, in a line."""
    parts = [f"{count(done.files, 'file')} read into {name}: {count(done.documents, 'document')}"]
    parts.append(count(done.passages, "passage"))
    parts += [f"{count(done.skipped, 'file')} unchanged"] if done.skipped else []
    parts += [f"{count(done.removed, 'document')} removed that are no longer in their files"] if done.removed else []
    return ", ".join(parts) + "."


def report(failed: list[FileFailed]) -> None:
    """The files, and parts of files, that could not be read."""
    if not failed:
        return
    click.echo(f"\n{count(len(failed), 'problem')}; everything else went in:", err=True)
    for event in failed:
        click.echo(f"  {safe(str(event.path))}: {safe(event.reason)}. {safe(event.remedy)}", err=True)


@library.command(short_help="Compute the vectors that are missing.")
@click.argument("name")
@click.pass_obj
def embed(flags: dict[str, Any], name: str) -> None:
    """Compute vectors for the passages of NAME that have none, so that they are found by meaning too.

    It can be stopped at any moment, and goes on when it is given again. A library that was searched by word only has
    vectors from now on; vectors that another encoder made are made anew.
    """

    async def work(watch: Watch) -> Card:
        async with config.open_library(settings, name, write=True) as opened:
            await opened.embed(watch)
            return await opened.card()

    settings = config.load(flags)
    with watching() as watch:
        card = asyncio.run(work(watch))
    click.echo(f"{card.vectors:,} of the {count(card.passages, 'passage')} of {name} can be found by meaning.")


@library.command("list", short_help="List the libraries.")
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


@library.command(short_help="Describe one library.")
@click.argument("name")
@json_option
@click.pass_obj
def info(flags: dict[str, Any], name: str, as_json: bool) -> None:
    """Say what the library NAME holds, what its vectors are of, and what it takes on the disk."""

    async def look() -> Card:
        async with config.open_library(settings, name, build=False) as opened:
            return await opened.card()

    settings = config.load(flags)
    card = asyncio.run(look())
    encoder, size_ = config.encoder_name(settings, name), config.library_bytes(settings, name)
    if as_json:
        emit(json.dumps({**card._asdict(), "encoder": encoder, "bytes": size_}, ensure_ascii=False, indent=2))
        return
    years = f", published {card.first} to {card.last}" if card.first else ""
    click.echo(f"{name} holds {count(card.documents, 'document')} of the kind “{card.kind}”{years}.")
    click.echo(f"{count(card.passages, 'passage')} can be found by word, {card.vectors:,} also by meaning.")
    if not encoder:
        click.echo(f"It is searched by word only: `wellsourced library embed {name}` turns vectors on.")
    elif card.vectors < card.passages:
        click.echo(f"`wellsourced library embed {name}` goes on with the vectors ({encoder}).")
    click.echo(f"It takes {size(size_)}." + (f" {safe(card.about)}." if card.about else ""))


@library.command(short_help="Remove documents, or a whole library.")
@click.argument("name")
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(flags: dict[str, Any], name: str, ids: tuple[str, ...], yes: bool) -> None:
    """Remove the documents named by their IDs from the library NAME; without IDs, delete the library."""

    async def work() -> int:
        async with config.open_library(settings, name, write=True) as opened:
            return await opened.remove(ids)

    settings = config.load(flags)
    if not ids:
        if not yes:
            click.confirm(f"Delete the library {name} with all that it holds?", abort=True, err=True)
        config.delete_library(settings, name)
        click.echo(f"Deleted the library {name}.")
        return
    own(name)
    removed = asyncio.run(work())
    if not removed:
        raise NotFound(f"The library {name} holds none of these documents: {', '.join(ids)}.")
    missing = len(set(ids)) - removed
    click.echo(f"Removed {count(removed, 'document')} from {name}{f'; {missing} were not there' if missing else ''}.")


@library.command(short_help="Search one library.")
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


@library.command("open", short_help="Print one document.")
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


@library.command(short_help="Make the search index anew.")
@click.argument("name")
@click.pass_obj
def rebuild(flags: dict[str, Any], name: str) -> None:
    """Make the search index of NAME anew from its documents, which are kept apart from it; vectors are kept."""

    async def work(watch: Watch) -> Card:
        watch.say(f"Indexing {name} again")
        async with config.open_library(settings, name, write=True, build=False) as opened:
            await opened.rebuild()
            return await opened.card()

    settings = config.load(flags)
    with watching() as watch:
        card = asyncio.run(work(watch))
    click.echo(
        f"{count(card.documents, 'document')} of {name} can be searched again, {count(card.passages, 'passage')}."
    )


def own(name: str) -> None:
    """Refuse to change what comes with wellsourced: the next release would undo it without a word."""
    if name == config.GUIDELINES:
        raise Refused("The guidelines come with wellsourced and are not changed: make a library of your own.")
