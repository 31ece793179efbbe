"""`wellsourced evaluate sets`: which sets of questions can be read, where they are to be had, and which are here."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.progress import watch_progress
from wellsourced.errors import NotFoundError, UnreadableFile
from wellsourced_evaluate.commands.common import FOLDER
from wellsourced_evaluate.recorded_rows import to_plain

if TYPE_CHECKING:
    from wellsourced_evaluate.question_sets.registry import FetchedFile, PublishedSet
    from wellsourced_evaluate.tables import Block

EXIT_REFUSED = 1


@click.command(
    short_help="List published sets of questions: how they are read, where they are to be had, which are here.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sets
      wellsourced evaluate sets --data FOLDER
      wellsourced evaluate sets medmcqa liveqa
      wellsourced evaluate sets pubmedqa --data FOLDER --download

    \b
    Exit status: 0 listed, 1 a file in FOLDER cannot be read, 2 bad use.
    """,
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--data", type=FOLDER, metavar="FOLDER", help="Look in this folder, and count the cases that are there.")
@click.option("--download", is_flag=True, help="Fetch the files of the sets that are named into a folder below --data.")
@click.option("--from", "mirror", metavar="URL", default="", help="Fetch them from this folder instead.")
@json_option
@click.pass_context
def sets(
    ctx: click.Context, /, names: tuple[str, ...], data: Path | None, download: bool, mirror: str, as_json: bool
) -> None:
    """List the sets that `wellsourced evaluate run` can ask, or say more of those that are named.

    A set is read from JSON lines, or from the files that its authors publish. What is credentialed or given on request
    has to be got by hand; nothing is fetched unless --download says so.
    """
    from wellsourced_evaluate.question_sets.registry import OWN_FORM, PUBLISHED_SETS, locate_set
    from wellsourced_evaluate.tables import print_report

    if unknown := [name for name in names if name not in PUBLISHED_SETS]:
        raise NotFoundError(f"There is no set {unknown[0]}. There are {', '.join(PUBLISHED_SETS)}.")
    if download and (data is None or not names):
        raise click.UsageError("--download needs the names of the sets, and --data, the folder for them.")
    wanted = [one for one in PUBLISHED_SETS.values() if one.name in (names or PUBLISHED_SETS)]
    fetched = asyncio.run(fetch_sets(ctx, wanted, data, mirror)) if download and data else {}
    rows = []
    for one in wanted:
        path = locate_set(one.name, data) if data and one.name != OWN_FORM else None
        here: dict[str, Any] = {"path": None, "cases": None, "skipped": {}, "form": None, "fault": ""}
        if path:
            here |= {"path": str(path), **count_cases(path, one)}
        rows.append({**describe_set(one), **here, "fetched": to_plain(fetched.get(one.name, ()))})
    blocks = [block for row in rows for block in set_blocks(row)] if names else listing_blocks(rows, data)
    print_report(blocks, lambda: rows, as_json=as_json, plain=True)
    ctx.exit(EXIT_REFUSED if any(row["fault"] for row in rows) else 0)


async def fetch_sets(
    ctx: click.Context, wanted: "list[PublishedSet]", data: Path, mirror: str
) -> "dict[str, list[FetchedFile]]":
    """Name of a set → its files, which are here now."""
    from wellsourced_evaluate.question_sets.registry import download_set

    with watch_progress() as watch:
        async with config.open_client(config.load(ctx.obj)) as client:
            return {one.name: await download_set(one, data, client, mirror, watch.show_step) for one in wanted}


def describe_set(one: "PublishedSet") -> dict[str, Any]:
    """What can be known of a set without its files, as JSON."""
    described = one.model_dump(mode="json", exclude={"forms", "rows_of"})
    return described | {
        "forms": [{"name": form.name, "files": form.about, "kind": form.container} for form in one.forms]
    }


def count_cases(path: Path, one: "PublishedSet") -> dict[str, Any]:
    """How many cases there are to ask; what is wrong with the file, where it cannot be read."""
    from wellsourced_evaluate.questions.cases import list_forms, read_questions

    try:
        read = [read_questions(path, form) for form in list_forms(path, one.name)]
    except UnreadableFile as error:
        return {"fault": str(error)}
    skipped = sum((Counter(data.skipped) for data in read), Counter[str]())
    forms = ", ".join(dict.fromkeys(data.form for data in read))
    return {"cases": sum(data.recorded for data in read), "skipped": dict(skipped), "form": forms}


def listing_blocks(rows: list[dict[str, Any]], data: Path | None) -> "Iterator[Block]":
    """All sets in a table."""
    from wellsourced_evaluate.tables import Text, tabulate

    here = {"cases here": lambda row: "unreadable" if row["fault"] else row["cases"]}
    yield tabulate(
        rows,
        {
            "set": lambda row: row["name"],
            **(here if data else {}),
            "access": lambda row: (
                "public, --download" if row["access"] == "public" and row["downloads"] else row["access"]
            ),
            "scored": lambda row: row["scored"],
            "read from": lambda row: "; ".join(form["files"] for form in row["forms"]),
        },
    )
    yield from (Text(row["fault"], True) for row in rows if row["fault"])
    yield Text("`wellsourced evaluate sets NAME` says more of one: who made it, its licence, where it is to be had.")


def set_blocks(row: dict[str, Any]) -> "Iterator[Block]":
    """A set in some lines."""
    from wellsourced_evaluate.tables import Bullets, Heading

    lines = [f"Licence: {row['licence']}.", f"Access: {row['access']}.", f"To be had at {row['address']}."]
    lines += [f"Scored: {row['scored']}.", *(f"Read from ({one['name']}): {one['files']}." for one in row["forms"])]
    if row["parts"]:
        lines.append(f"It is made up of {', '.join(row['parts'])}, which are asked each by itself.")
    for file in row["downloads"]:
        lines.append(f"--download fetches {file['url']} (sha256 {file['sha256'] or 'not known'}).")
    if row["path"]:
        skipped = ", ".join(f"{count:,} {kind}" for kind, count in row["skipped"].items())
        not_asked = f"; not asked: {skipped}" if skipped else ""
        lines.append(row["fault"] or f"Here: {row['path']}, {row['cases']:,} cases ({row['form']}){not_asked}.")
    for file in row["fetched"]:
        compared = "as it should be" if file["is_compared"] else "compared with nothing"
        lines.append(f"Fetched {file['path']}, {file['bytes']:,} bytes, sha256 {file['sha256']} ({compared}).")
    yield Heading(2, f"{row['name']}: {row['paper']}")
    yield Bullets(lines)
