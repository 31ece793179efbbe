"""`wellsourced evaluate sets`: which sets of questions can be read, where they are to be had, and which are here."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import json_option, print_hint
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data, print_table, sanitize_line
from wellsourced.errors import NotFoundError, UnreadableFile
from wellsourced_evaluate.commands.common import FOLDER

if TYPE_CHECKING:
    from wellsourced_evaluate.question_sets.locations import FetchedFile, LocatedSet
    from wellsourced_evaluate.question_sets.registry import PublishedSet

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
    from wellsourced_evaluate.question_sets.locations import locate_sets
    from wellsourced_evaluate.question_sets.registry import PUBLISHED_SETS

    if unknown := [name for name in names if name not in PUBLISHED_SETS]:
        raise NotFoundError(f"There is no set {unknown[0]}. There are {', '.join(PUBLISHED_SETS)}.")
    if download and (data is None or not names):
        raise click.UsageError("--download needs the names of the sets, and --data, the folder for them.")
    fetched = asyncio.run(fetch_sets(ctx, [PUBLISHED_SETS[name] for name in names], data, mirror)) if download else {}
    rows = [describe_set(one) for one in locate_sets(data) if not names or one.published.name in names]
    for row in rows:
        row["fetched"] = [{**one._asdict(), "path": str(one.path)} for one in fetched.get(row["name"], ())]
    if as_json:
        print_data(rows)
    elif names:
        click.echo("\n\n".join("\n".join(map(sanitize_line, set_lines(row))) for row in rows))
    else:
        print_listing(rows, counted=data is not None)
    ctx.exit(EXIT_REFUSED if any(row["fault"] for row in rows) else 0)


async def fetch_sets(
    ctx: click.Context, wanted: "list[PublishedSet]", data: Path | None, mirror: str
) -> "dict[str, list[FetchedFile]]":
    """Name of a set → its files, which are here now."""
    from wellsourced_evaluate.question_sets.locations import download_set

    assert data is not None  # noqa: S101 (--download asks for it)
    with watch_progress() as watch:
        async with config.open_client(config.load(ctx.obj)) as client:
            return {
                one.name: await download_set(one, data, client, mirror=mirror, say=watch.show_step) for one in wanted
            }


def describe_set(located: "LocatedSet") -> dict[str, Any]:
    """A set as JSON: what can be known without its files, and the number of its cases where they are here."""
    one = located.published
    found: dict[str, Any] = {"path": str(located.path) if located.path else None, "cases": None, "skipped": {}}
    found |= {"form": None, "fault": ""}
    if located.path:
        found |= count_cases(located.path, one)
    return {
        **{name: getattr(one, name) for name in ("name", "paper", "address", "access", "licence", "scored")},
        "forms": [{"name": form.name, "files": form.about, "kind": form.container} for form in one.forms],
        "files": [list(group) for group in one.files],
        "downloads": [each._asdict() for each in one.downloads],
        "parts": list(one.parts),
        **found,
    }


def count_cases(path: Path, one: "PublishedSet") -> dict[str, Any]:
    """How many cases there are to ask; what is wrong with the file, where it cannot be read."""
    from wellsourced_evaluate.questions.cases import list_forms, read_questions

    try:
        read = [read_questions(path, form) for form in list_forms(path, one.name)]
    except UnreadableFile as error:
        return {"fault": str(error)}
    skipped: dict[str, int] = {}
    for data in read:
        for kind, count in data.skipped.items():
            skipped[kind] = skipped.get(kind, 0) + count
    forms = ", ".join(dict.fromkeys(data.form for data in read))
    return {"cases": sum(data.recorded for data in read), "skipped": skipped, "form": forms}


def print_listing(rows: list[dict[str, Any]], *, counted: bool) -> None:
    """All sets in a table."""
    cells = [
        (
            row["name"],
            *([describe_count(row)] if counted else []),
            row["access"] if row["access"] != "public" or not row["downloads"] else "public, --download",
            row["scored"],
            "; ".join(form["files"] for form in row["forms"]),
        )
        for row in rows
    ]
    print_table(cells, ("set", *(["cases here"] if counted else []), "access", "scored", "read from"))
    for row in rows:
        if row["fault"]:
            click.echo(sanitize_line(row["fault"]), err=True)
    print_hint("\n`wellsourced evaluate sets NAME` says more of one: who made it, its licence, where it is to be had.")


def describe_count(row: dict[str, Any]) -> str:
    """How many cases are here: "–" where its files are not."""
    if row["fault"]:
        return "unreadable"
    return "–" if row["cases"] is None else f"{row['cases']:,}"


def set_lines(row: dict[str, Any]) -> list[str]:
    """What a set is, in some lines."""
    lines = [f"{row['name']}: {row['paper']}", f"Licence: {row['licence']}.", f"Access: {row['access']}."]
    lines += [f"To be had at {row['address']}.", f"Scored: {row['scored']}."]
    lines += [f"Read from ({form['name']}): {form['files']}." for form in row["forms"]]
    if row["parts"]:
        lines.append(f"It is made up of {', '.join(row['parts'])}, which are asked each by itself.")
    for one in row["downloads"]:
        digest = f"sha256 {one['sha256']}" if one["sha256"] else "no digest of it is known"
        lines.append(f"--download fetches {one['url']} ({digest}).")
    if row["path"]:
        skipped = ", ".join(f"{count:,} {kind}" for kind, count in row["skipped"].items())
        not_asked = f"; not asked: {skipped}" if skipped else ""
        lines.append(row["fault"] or f"Here: {row['path']}, {row['cases']:,} cases ({row['form']}){not_asked}.")
    for one in row["fetched"]:
        compared = "as it should be" if one["is_compared"] else "compared with nothing: no digest of it is known"
        lines.append(f"Fetched {one['path']}, {one['bytes']:,} bytes, sha256 {one['sha256']} ({compared}).")
    return lines
