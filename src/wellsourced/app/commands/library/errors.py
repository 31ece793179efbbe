"""`wellsourced library errors`: what could not be read, why, and what to do."""

import asyncio
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.commands.library.ingestion import finish_ingestion, ingest_paths, refuse_guidelines
from wellsourced.app.options import json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import format_count, print_data, sanitize_line
from wellsourced.sources.base import WAITING_STATES, FileState, IncrementalIndex


@click.command(short_help="List what could not be read.")
@click.argument("name")
@click.option("--retry", is_flag=True, help="Read these files again, also those that have not changed.")
@json_option
@click.pass_context
def errors(ctx: click.Context, name: str, retry: bool, as_json: bool) -> None:
    """List every file, and part of a file, of the library NAME that could not be read: why, and what to do.

    A fault that may pass by itself is tried again whenever the file is added; any other when the file has changed, or
    when --retry is given.
    """
    settings = config.load(ctx.obj)
    if retry:
        refuse_guidelines(name)
        retry_files(ctx, settings, name, as_json=as_json)
    rows = asyncio.run(list_errors(settings, name))
    if as_json:
        print_data(rows)
        return
    for row in rows:
        click.echo("\n".join(error_lines(row)))
    if not rows:
        click.echo(f"Every file that was added to {name} was read to its end.")


def retry_files(ctx: click.Context, settings: config.Settings, name: str, *, as_json: bool) -> None:
    """Read what is there again; of what is gone from the disk, forget that it could not be read."""

    async def drop_missing_files() -> tuple[Path, ...]:
        async with config.open_library(settings, name, write=True) as opened:
            paths = [Path(file.path) for file in opened.unsettled_files()]
            for path in paths:
                # A file that is gone can never be read: it would be listed as an error for ever.
                if not path.exists():
                    await opened.forget_file(str(path))
            return tuple(path for path in paths if path.exists())

    if paths := asyncio.run(drop_missing_files()):
        with watch_progress() as watch:
            ingested = asyncio.run(ingest_paths(settings, name, paths, False, watch, again=True))
        finish_ingestion(ctx, name, ingested, watch, as_json=as_json)


async def list_errors(settings: config.Settings, name: str) -> list[dict[str, Any]]:
    """Every file that was not read to its end, or not without faults, with what could not be read of it."""
    async with config.open_library(settings, name, build=False) as opened:
        return [error_row(opened, file) for file in opened.unsettled_files()]


def error_row(library: IncrementalIndex, file: FileState) -> dict[str, Any]:
    """One file."""
    problems = [{"where": f.where, "reason": f.reason, "remedy": f.remedy, "transient": f.transient}
                for f in library.faults(file.path)]  # fmt: skip
    known = {"path": file.path, "state": file.state, "at": file.at, "tries": file.tries, "faulty": file.faulty}
    return {**known, "problems": problems}


def error_lines(row: dict[str, Any]) -> list[str]:
    """One file for people: its path, when it was tried, and what is wrong."""
    if row["state"] in WAITING_STATES:
        return [sanitize_line(row["path"]), "  not read to its end yet: `wellsourced library add` goes on with it"]
    when = f"tried {format_count(row['tries'], 'time')}, last at {row['at'] or 'an unknown time'}"
    # A failed file gave nothing; of any other some part was read and is searched.
    is_lost = row["state"] == "failed"
    first = "nothing of it could be read" if is_lost else f"{format_count(row['faulty'], 'part')} of it not"
    is_transient = any(problem["transient"] for problem in row["problems"])
    then = "it is tried again when it is next added" if is_transient else "it stays so until it changes"
    lines = [sanitize_line(row["path"]), f"  {first}; {when}; {then}"]
    for problem in row["problems"]:
        where = f"{problem['where']}: " if problem["where"] else ""
        lines.append("    " + sanitize_line(f"{where}{problem['reason']}. {problem['remedy']}"))
    rest = row["faulty"] - len(row["problems"])
    return [*lines, f"    and {rest:,} more"] if rest > 0 else lines
