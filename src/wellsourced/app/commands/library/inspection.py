"""`wellsourced library list`, `verify` and `errors`: what libraries hold, whether it is intact, what was not read."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app import library_messages as messages
from wellsourced.app.commands.library.ingestion import finish_ingestion
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data, print_result
from wellsourced.config.libraries import library_bytes, library_encoder_name, refuse_guidelines
from wellsourced.errors import NextStep, SourceError
from wellsourced.presentation.libraries import build_libraries, build_library, build_verification
from wellsourced.sources.base import WAITING_STATES, FileState, IncrementalIndex, SourceInfo
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification


@click.command()
@click.argument("name", required=False)
@json_option
@click.pass_obj
def list_(flags: dict[str, Any], name: str | None, as_json: bool) -> None:
    """List the libraries, or describe the library NAME."""
    settings = config.load(flags)
    if name:
        describe_library(settings, name, as_json=as_json)
        return
    rows = asyncio.run(library_rows(settings))
    if as_json:
        print_data(rows)
    else:
        print_result(build_libraries(rows))


async def library_rows(settings: config.Settings) -> list[dict[str, Any]]:
    """Every library as its card says, with what it `lacks`; one that cannot be opened has a `problem` instead."""
    rows = []
    for name in config.library_names(settings):
        try:
            async with config.open_library(settings, name, build=False) as opened:
                lacks, step = await config.describe_backlog(settings, opened, with_index=False)
                about = {"lacks": f"{lacks}.", "next_step": step and asdict(step)} if lacks else {}
                rows.append((await opened.describe())._asdict() | about)
        # One library that cannot be opened must not hide the others.
        except SourceError as error:
            rows.append({**SourceInfo(name, "own")._asdict(), "problem": str(error)})
    return rows


def describe_library(settings: config.Settings, name: str, *, as_json: bool) -> None:
    """Print what a library holds, what its vectors are of, and what it takes on the disk."""

    async def read_library() -> tuple[SourceInfo, list[FileState], tuple[str, NextStep | None]]:
        async with config.open_library(settings, name, build=False) as opened:
            return (
                await opened.describe(),
                opened.unsettled_files(),
                await config.describe_backlog(settings, opened, with_index=False),
            )

    card, unsettled, (lacks, step) = asyncio.run(read_library())
    encoder, size = library_encoder_name(settings, name), library_bytes(settings, name)
    if as_json:
        print_data({**card._asdict(), "encoder": encoder, "bytes": size, "unsettled": len(unsettled), "lacks": lacks})
        return
    waiting = sum(file.state in WAITING_STATES for file in unsettled)
    print_result(build_library(card, encoder, size, (lacks, step), waiting, len(unsettled) - waiting))


@click.command()
@click.argument("name")
@click.option("--rebuild", "is_rebuild", is_flag=True, help="First rebuild the search index from its documents.")
@json_option
@click.pass_context
def verify(ctx: click.Context, name: str, is_rebuild: bool, as_json: bool) -> None:
    """Hash the files of the library NAME again, and check everything in it. Nothing is changed without --rebuild.

    Exit code 1 when a file changed, is missing or was not read completely, or when a document is damaged or cannot be
    searched.
    """

    async def compare_library(watch: ProgressWatch) -> "LibraryVerification":
        from wellsourced.ingest import verify_library

        if is_rebuild:
            watch.show_step(messages.INDEXING.format(name=name))
            async with config.open_library(settings, name, write=True, build=False) as writable:
                await writable.rebuild()
        async with config.open_library(settings, name, build=False) as opened:
            return await verify_library(opened, watch)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        verification = asyncio.run(compare_library(watch))
    if as_json:
        print_data({**verification._asdict(), "sound": verification.is_sound})
    else:
        print_result(build_verification(name, verification))
    ctx.exit(0 if verification.is_sound else EXIT_FAILURE)


@click.command()
@click.argument("name")
@click.option("--retry", "is_retry", is_flag=True, help="Read these files again, even unchanged ones.")
@json_option
@click.pass_context
def errors(ctx: click.Context, name: str, is_retry: bool, as_json: bool) -> None:
    """List the files of the library NAME that were not read completely, and why."""
    settings = config.load(ctx.obj)
    if is_retry:
        refuse_guidelines(name)
        retry_files(ctx, settings, name, as_json=as_json)
    rows = asyncio.run(list_errors(settings, name))
    if as_json:
        print_data(rows)
        return
    for row in rows:
        click.echo("\n".join(error_lines(row)))
    if not rows:
        click.echo(messages.EVERY_FILE_READ.format(name=name))


def retry_files(ctx: click.Context, settings: config.Settings, name: str, *, as_json: bool) -> None:
    """Read what is there again; forget what is gone from the disk."""

    async def drop_missing_files() -> tuple[Path, ...]:
        async with config.open_library(settings, name, write=True) as opened:
            paths = [Path(file.path) for file in opened.unsettled_files()]
            for path in paths:
                # A file that is gone can never be read: it would be listed as an error for ever.
                if not path.exists():
                    await opened.forget_file(str(path))
            return tuple(path for path in paths if path.exists())

    from wellsourced.ingest.library_changes import ingest_paths

    if paths := asyncio.run(drop_missing_files()):
        with watch_progress() as watch:
            ingested = asyncio.run(ingest_paths(settings, name, paths, False, watch, again=True))
        finish_ingestion(ctx, name, ingested, watch, as_json=as_json)


async def list_errors(settings: config.Settings, name: str) -> list[dict[str, Any]]:
    """Return every file that was not read completely or without faults, with what could not be read of it."""
    async with config.open_library(settings, name, build=False) as opened:
        return [error_row(opened, file) for file in opened.unsettled_files()]


def error_row(library: IncrementalIndex, file: FileState) -> dict[str, Any]:
    """Return one file."""
    problems = [{"where": f.where, "reason": f.reason, "remedy": f.remedy, "transient": f.transient}
                for f in library.faults(file.path)]  # fmt: skip
    known = {"path": file.path, "state": file.state, "at": file.at, "tries": file.tries, "faulty": file.faulty}
    return {**known, "problems": problems}


def error_lines(row: dict[str, Any]) -> list[str]:
    """Return lines on one file: its path, when it was tried, and what is wrong."""
    lines = [sanitize_line(row["path"])]
    if row["state"] in WAITING_STATES:
        return [*lines, f"  {messages.FILE_WAITS}"]
    # A failed file gave nothing; of any other some part was read and is searched.
    faulty = 0 if row["state"] == "failed" else row["faulty"]
    is_transient = any(problem["transient"] for problem in row["problems"])
    lines.append(f"  {messages.file_state(faulty, row['tries'], row['at'], is_transient=is_transient)}")
    for problem in row["problems"]:
        where = f"{problem['where']}: " if problem["where"] else ""
        lines.append("    " + sanitize_line(f"{where}{problem['reason']}. {problem['remedy']}"))
    rest = row["faulty"] - len(row["problems"])
    return [*lines, f"    {messages.MORE.format(number=rest)}"] if rest > 0 else lines
