"""`wellsourced library list`, `info`, `verify`: what libraries hold, and whether it is as it was."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.commands.library.ingestion import EXIT_FAILED
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, format_size, print_data, print_table, sanitize_line
from wellsourced.config.libraries import library_bytes, library_encoder_name
from wellsourced.errors import SourceError
from wellsourced.sources.base import WAITING_STATES, FileState, SourceInfo

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
