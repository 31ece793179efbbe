"""`wellsourced library list`, `info`, `verify`, `errors`: what libraries hold, whether it is as it was, what could not
be read.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.commands.library.ingestion import EXIT_FAILED, finish_ingestion
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data, print_table
from wellsourced.config.libraries import library_bytes, library_encoder_name, refuse_guidelines
from wellsourced.errors import SourceError
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import WAITING_STATES, FileState, IncrementalIndex, SourceInfo
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification


@click.command("list", short_help="List the libraries.")
@json_option
@click.pass_obj
def list_(flags: dict[str, Any], as_json: bool) -> None:
    """List the libraries and how much they hold."""
    settings = config.load(flags)
    rows = asyncio.run(library_rows(settings))
    if as_json:
        print_data(rows)
    elif not rows:
        click.echo("There is no library yet. The guidelines are built with the first question.")
    else:
        cells = [[format_cell(key, row[key]) for key in COLUMNS] for row in rows]
        print_table(cells, COLUMNS)
        for row in rows:
            if told := row.get("problem") or row.get("lacks"):
                click.echo(f"{row['name']}: {sanitize_line(str(told))}", err=True)


COLUMNS = ("name", "kind", "documents", "passages", "vectors", "first", "last", "about")


async def library_rows(settings: config.Settings) -> list[dict[str, Any]]:
    """Every library as its card says, with what it `lacks`; one that cannot be opened has a `problem` instead."""
    rows = []
    for name in config.library_names(settings):
        try:
            async with config.open_library(settings, name, build=False) as opened:
                lacks = await config.describe_backlog(settings, opened, with_index=False)
                rows.append((await opened.describe())._asdict() | ({"lacks": f"{lacks}."} if lacks else {}))
        # One library that cannot be opened must not hide the others.
        except SourceError as error:
            rows.append({**SourceInfo(name, "own")._asdict(), "problem": str(error)})
    return rows


def format_cell(column: str, value: object) -> str:
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

    async def read_library() -> tuple[SourceInfo, list[FileState], str]:
        async with config.open_library(settings, name, build=False) as opened:
            return (
                await opened.describe(),
                opened.unsettled_files(),
                await config.describe_backlog(settings, opened, with_index=False),
            )

    settings = config.load(flags)
    card, unsettled, lacks = asyncio.run(read_library())
    waiting = sum(file.state in WAITING_STATES for file in unsettled)
    encoder, size_ = library_encoder_name(settings, name), library_bytes(settings, name)
    if as_json:
        print_data({**card._asdict(), "encoder": encoder, "bytes": size_, "unsettled": len(unsettled), "lacks": lacks})
        return
    years = f", published {card.first} to {card.last}" if card.first else ""
    click.echo(f"{name} holds {format_count(card.documents, 'document')} of the kind “{card.kind}”{years}.")
    click.echo(f"{format_count(card.passages, 'passage')} can be found by word, {card.vectors:,} also by meaning.")
    # Without an encoder the library is by word on purpose, which is no backlog.
    if not encoder:
        click.echo(f"It is searched by word only: `wellsourced library embed {name}` turns vectors on.")
    elif card.vectors < card.passages:
        click.echo(f"`wellsourced library embed {name}` goes on with the vectors ({encoder}).")
    # What lacks includes files that wait; both lines would say the same.
    if lacks:
        click.echo(f"{lacks[0].upper()}{lacks[1:]}.")
    elif waiting:
        files = format_count(waiting, "file")
        click.echo(f"{files} still to be read: `wellsourced library add {name}` goes on with them.")
    if faulty := len(unsettled) - waiting:
        files = format_count(faulty, "file")
        click.echo(f"{files} could not be read whole: `wellsourced library errors {name}` says why.")
    click.echo(f"It takes {format_size(size_)}." + (f" {sanitize_line(card.about)}." if card.about else ""))


MAX_NAMED = 20
"""Files or documents of one sort that are named; JSON names all."""


@click.command(short_help="Compare a library with its files.")
@click.argument("name")
@json_option
@click.pass_context
def verify(ctx: click.Context, name: str, as_json: bool) -> None:
    """Hash the files that NAME was filled from again, and look through all that it holds. Nothing is changed.

    Exit status 1 when a file has changed, is missing or was not read to its end, or when a document is damaged or
    cannot be searched.
    """

    async def compare_library(watch: ProgressWatch) -> "LibraryVerification":
        from wellsourced.ingest import verify_library

        async with config.open_library(settings, name, build=False) as opened:
            return await verify_library(opened, watch)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        found = asyncio.run(compare_library(watch))
    if as_json:
        print_data({**found._asdict(), "sound": found.is_sound})
    else:
        click.echo("\n".join(verification_lines(name, found)))
    ctx.exit(0 if found.is_sound else EXIT_FAILED)


def verification_lines(name: str, found: "LibraryVerification") -> list[str]:
    """What was found, for people."""
    add, remove = f"`wellsourced library add {name}`", f"`wellsourced library remove {name} FILE`"
    differences = (
        ("changed since", found.changed, f"{add} with them reads them anew"),
        ("not there any more", found.missing, f"their documents are, until {remove}"),
        ("not read to their end", found.unsettled, f"`wellsourced library errors {name}` says why"),
        ("cannot be searched as they should", found.unsearchable, f"run `wellsourced library rebuild {name}`"),
        ("damaged on the disk", found.damaged, "remove them and add their files again"),
    )
    said = [f"{format_count(found.same, 'file')} of {name} as they were read."]
    said += [line for difference in differences for line in difference_lines(*difference)]
    return said if len(said) > 1 else [*said, "Everything that it holds is whole, and can be searched."]


def difference_lines(what: str, names: Sequence[str], remedy: str) -> list[str]:
    """One sort of difference."""
    if not names:
        return []
    rest = [f"  and {len(names) - MAX_NAMED:,} more"] if len(names) > MAX_NAMED else []
    return [f"{len(names):,} {what}; {remedy}:", *(f"  {sanitize_line(name)}" for name in names[:MAX_NAMED]), *rest]


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

    from wellsourced.ingest.library_changes import ingest_paths

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
