"""`wellsourced library create`, and what commands that read files into a library share."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import get_args

import click

from wellsourced import config
from wellsourced.app import library_messages as messages
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import print_hint
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data
from wellsourced.events import FileFailed, IngestionCompleted
from wellsourced.presentation.progress import describe_ingestion
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import SourceKind


@click.command()
@click.argument("name")
@click.option(
    "--kind", type=click.Choice(get_args(SourceKind)), default="own", show_default=True, help="What it will hold."
)
@click.option("--lexical", is_flag=True, help="Search by words only, until `library embed`.")
@click.option("--add", "first", type=click.Path(path_type=Path), metavar="PATH…", help="Add these files and folders.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.pass_context
def create(
    ctx: click.Context, name: str, kind: SourceKind, lexical: bool, first: Path | None, more: tuple[Path, ...]
) -> None:
    """Create the library NAME, empty or filled from files."""
    if more and first is None:
        raise click.UsageError(messages.PUT_ADD_FIRST.format(path=more[0]))
    settings = config.load(ctx.obj)
    config.create_library(settings, name, kind, lexical=lexical)
    if first is None:
        click.echo(messages.LIBRARY_CREATED.format(name=name))
        print_hint(messages.FILL_NEXT.format(name=name))
        return
    fill_library(ctx, settings, name, (first, *more), vectors=not lexical, as_json=False)


def fill_library(
    ctx: click.Context, settings: config.Settings, name: str, paths: tuple[Path, ...], *, vectors: bool, as_json: bool
) -> None:
    """Fill a library, and report what was added and what was not; exit code 1 when anything was not."""
    from wellsourced.ingest.library_changes import ingest_paths

    with watch_progress() as watch:
        ingested = asyncio.run(ingest_paths(settings, name, paths, vectors, watch))
    finish_ingestion(ctx, name, ingested, watch, as_json=as_json, note=describe_skipped_files(paths))


def describe_skipped_files(paths: tuple[Path, ...]) -> str:
    """Say how many files below these folders are of types that no reader knows; "" when none is."""
    from wellsourced.readers.file_listing import list_unknown_files

    endings = Counter(path.suffix.lower() or "no ending" for path in list_unknown_files(paths))
    return sanitize_line(messages.files_skipped(endings.most_common())) if endings else ""


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
    """Report what was added and what was not, in these units, with a note; exit code 1 when anything was not."""
    if as_json:
        failed = [event.model_dump(mode="json") for event in watch.failures]
        print_data({**ingested.model_dump(), "problems": failed})
    else:
        click.echo("\n".join(filter(None, (describe_ingestion(name, ingested, units), note))))
        print_problems(watch.failures)
    ctx.exit(EXIT_FAILURE if watch.failures else 0)


def print_problems(failed: list[FileFailed]) -> None:
    """Print the files, and parts of files, that could not be read."""
    if failed:
        click.echo(f"\n{messages.problems(len(failed))}", err=True)
    for event in failed:
        path, reason, remedy = map(sanitize_line, (str(event.path), event.reason, event.remedy))
        click.echo(f"  {path}: {reason}. {remedy}", err=True)
