"""`wellsourced library verify`: is everything as it was?"""

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.library.shared import EXIT_FAILED
from wellsourced.app.options import json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, print_json, sanitize_line

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification

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
    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        found = asyncio.run(compare_library(settings, name, watch))
    if as_json:
        print_json(json.dumps({**found._asdict(), "sound": found.is_sound}, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(verification_lines(name, found)))
    ctx.exit(0 if found.is_sound else EXIT_FAILED)


async def compare_library(settings: config.Settings, name: str, watch: ProgressWatch) -> "LibraryVerification":
    """The library with its files and with itself."""
    from wellsourced.ingest import verify_library

    async with config.open_library(settings, name, build=False) as opened:
        return await verify_library(opened, watch)


def verification_lines(name: str, found: "LibraryVerification") -> list[str]:
    """What was found, for people."""
    said = [f"{format_count(found.same, 'file')} of {name} as they were read."]
    said += difference_lines("changed since", found.changed, f"`wellsourced library add {name}` with them reads them anew")
    said += difference_lines(
        "not there any more", found.missing, f"their documents are, until `wellsourced library remove {name} FILE`"
    )
    said += difference_lines("not read to their end", found.unsettled, f"`wellsourced library errors {name}` says why")
    said += difference_lines("cannot be searched as they should", found.unsearchable, f"run `wellsourced library rebuild {name}`")
    said += difference_lines("damaged on the disk", found.damaged, "remove them and add their files again")
    return said if len(said) > 1 else [*said, "Everything that it holds is whole, and can be searched."]


def difference_lines(what: str, names: Sequence[str], remedy: str) -> list[str]:
    """One sort of difference."""
    if not names:
        return []
    rest = [f"  and {len(names) - MAX_NAMED:,} more"] if len(names) > MAX_NAMED else []
    return [f"{len(names):,} {what}; {remedy}:", *(f"  {sanitize_line(name)}" for name in names[:MAX_NAMED]), *rest]
