"""`wellsourced library create`, and what every command shares that reads files into a library."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import get_args

import click

from wellsourced import config
from wellsourced.app.options import is_quiet
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data
from wellsourced.events import FileFailed, IngestionCompleted
from wellsourced.presentation.progress import describe_ingestion
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import SourceKind

EXIT_FAILED = 1

vectors_option = click.option("--no-vectors", is_flag=True, help="Leave the vectors to `wellsourced library embed`.")


MAX_NAMED_KINDS = 6
"""Kinds of files passed over that are named."""


@click.command(short_help="Make an empty library.")
@click.argument("name")
@click.option(
    "--kind", type=click.Choice(get_args(SourceKind)), default="own", show_default=True, help="What it will hold."
)
@click.option("--lexical", is_flag=True, help="Search it by word only, until `library embed` turns vectors on.")
@click.option("--add", "first", type=click.Path(path_type=Path), metavar="PATH…", help="Add these files and folders.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.pass_context
def create(
    ctx: click.Context, name: str, kind: SourceKind, lexical: bool, first: Path | None, more: tuple[Path, ...]
) -> None:
    """Make an empty library called NAME, or one that is filled from files at once."""
    if more and first is None:
        raise click.UsageError(f"What is {more[0]}? Put --add before the files that are to go in.")
    settings = config.load(ctx.obj)
    config.create_library(settings, name, kind, lexical=lexical)
    if first is None:
        hint = "" if is_quiet() else f" `wellsourced library add {name} PATH` puts documents in."
        click.echo(f"Made the library {name}.{hint}")
        return
    fill_library(ctx, settings, name, (first, *more), vectors=not lexical, as_json=False)


def fill_library(
    ctx: click.Context, settings: config.Settings, name: str, paths: tuple[Path, ...], *, vectors: bool, as_json: bool
) -> None:
    """Fill a library and say what went in and what did not; exit status 1 when anything did not."""
    from wellsourced.ingest.library_changes import ingest_paths

    with watch_progress() as watch:
        ingested = asyncio.run(ingest_paths(settings, name, paths, vectors, watch))
    finish_ingestion(ctx, name, ingested, watch, as_json=as_json, note=describe_skipped_files(paths))


def describe_skipped_files(paths: tuple[Path, ...]) -> str:
    """How many files below the folders named are of a kind that no reader knows; "" when none is."""
    from wellsourced.readers.file_listing import list_unknown_files

    kinds = Counter(path.suffix.lower() or "no ending" for path in list_unknown_files(paths))
    if not kinds:
        return ""
    named = ", ".join(f"{kind} ({number:,})" for kind, number in kinds.most_common(MAX_NAMED_KINDS))
    more = f" and {format_count(len(kinds) - MAX_NAMED_KINDS, 'other kind')}" if len(kinds) > MAX_NAMED_KINDS else ""
    files = format_count(kinds.total(), "file")
    return f"{files} passed over, of kinds that are not read: {sanitize_line(named)}{more}."


def finish_ingestion(
    ctx: click.Context,
    name: str,
    ingested: IngestionCompleted,
    watch: ProgressWatch,
    *,
    as_json: bool,
    note: str = "",
    units: tuple[str, str] = ("document", "passage"),
) -> None:
    """What went in and what did not, in these units, and a note beside it; exit status 1 when anything did not."""
    if as_json:
        failed = [event.model_dump(mode="json") for event in watch.failures]
        print_data({**ingested.model_dump(), "problems": failed})
    else:
        click.echo("\n".join(filter(None, (describe_ingestion(name, ingested, units), note))))
        print_problems(watch.failures)
    ctx.exit(EXIT_FAILED if watch.failures else 0)


def print_problems(failed: list[FileFailed]) -> None:
    """The files, and parts of files, that could not be read."""
    if not failed:
        return
    click.echo(f"\n{format_count(len(failed), 'problem')}; everything else went in:", err=True)
    for event in failed:
        path, reason, remedy = map(sanitize_line, (str(event.path), event.reason, event.remedy))
        click.echo(f"  {path}: {reason}. {remedy}", err=True)
