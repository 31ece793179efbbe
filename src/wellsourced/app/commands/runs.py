"""`wellsourced runs …`: the answers that were given here."""

import asyncio
from pathlib import Path

import click

from wellsourced import config
from wellsourced.api import ask
from wellsourced.app.answer_output import OutputOptions, add_output_options, finish_with_answer
from wellsourced.app.commands.run_watch import watch
from wellsourced.app.options import NEW_FILE, json_option
from wellsourced.app.terminal import print_data, print_table
from wellsourced.presentation.wording import format_count
from wellsourced.run_table import RunLine
from wellsourced.runs import RunHistory, compare_answers
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer

RUN_COLUMNS = ("id", "given (UTC)", "statements", "question")

EXIT_DIFFERENT = 1
"""Exit status when something is not as it was."""


@click.group(
    epilog="""
    \b
    Examples:
      wellsourced runs list
      wellsourced runs show 3f9a2c
      wellsourced runs replay 3f9a2c
      wellsourced runs watch --all
      wellsourced runs export 3f9a2c gout.json
      wellsourced runs verify
      wellsourced runs prune --keep 100
    """
)
def runs() -> None:
    """Look at the answers that were given here: again, compared with what is answered now, or to delete them.

    They are in the file runs.sqlite3 of home. A question about a patient, or one that seems to name somebody, is not
    kept, and nothing is with --set runs=false. A run is called by its id, or by the first letters of it.
    """


def _open_history(ctx: click.Context) -> RunHistory:
    return RunHistory(config.load(ctx.obj).home)


@runs.command("list", short_help="List the runs, the newest first.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Runs, at most.")
@json_option
@click.pass_context
def list_(ctx: click.Context, limit: int, as_json: bool) -> None:
    """List the runs, the newest first."""
    found = _open_history(ctx).list_runs(limit)
    if as_json:
        print_data([one._asdict() for one in found])
    elif not found:
        click.echo("No run is recorded here.")
    else:
        print_table([_row(one) for one in found], RUN_COLUMNS)


def _row(one: RunLine) -> list[str]:
    statements = str(one.statements) if one.statements else "–"
    return [one.id, one.at[:16].replace("T", " "), statements, "(deleted)" if one.is_deleted else one.question]


@runs.command(short_help="Print an answer as it was given.")
@click.argument("id")
@add_output_options
@click.pass_context
def show(ctx: click.Context, id: str, output: OutputOptions) -> None:
    """Print the answer of the run ID as it was given. Exit status 3 when it was an abstention."""
    finish_with_answer(ctx, _open_history(ctx).load(id).answer, output, is_new=False)


@runs.command(short_help="Answer a run's question again, and tell what differs.")
@click.argument("id")
@click.pass_context
def replay(ctx: click.Context, id: str) -> None:
    """Answer the question of the run ID again from what is on this machine, and tell what differs.

    Nothing leaves this machine; what a run had from the network is missing, and told. Exit status 1 when it differs.
    """
    settings = config.load({**ctx.obj, "network.offline": True})
    before = RunHistory(settings.home).load(id).answer

    async def answer_again() -> Answer:
        async with config.open_context(settings) as context:
            asked = before.question
            return await ask(asked.model_copy(update={"text": asked.asked or asked.text}), context)

    changes = compare_answers(before, asyncio.run(answer_again()))
    for change in changes:
        click.echo(sanitize_line(change))
    if not changes:
        click.echo(f"The same {format_count(len(before.statements), 'statement')}, in the same order.")
    ctx.exit(EXIT_DIFFERENT if changes else 0)


@runs.command(short_help="Look whether the runs are as they were recorded.")
@click.pass_context
def verify(ctx: click.Context) -> None:
    """Look whether the runs are as they were recorded, and none is missing. Exit status 1 when something is not."""
    history = _open_history(ctx)
    changes = list(history.find_changes())
    for change in changes:
        click.echo(sanitize_line(f"{change[:1].upper()}{change[1:]}."))
    if not changes:
        click.echo(f"{format_count(len(history.list_runs()), 'run')}, as recorded.")
    ctx.exit(EXIT_DIFFERENT if changes else 0)


@runs.command(short_help="Write an answer into a file.")
@click.argument("id")
@click.argument("file", type=NEW_FILE)
@click.pass_context
def export(ctx: click.Context, id: str, file: Path) -> None:
    """Write the answer of the run ID into FILE, as `ask --json` prints it: `recheck` and `check` read it."""
    answer = _open_history(ctx).load(id).answer
    file.write_text(answer.model_dump_json(indent=2), encoding="utf-8")
    click.echo(f"Written to {file}.")


@runs.command(short_help="Delete a run, or all.")
@click.argument("id", required=False)
@click.option("--all", "is_all", is_flag=True, help="Every run.")
@click.pass_context
def delete(ctx: click.Context, id: str | None, is_all: bool) -> None:
    """Delete the run ID, or all: nothing of what was asked and answered stays on the disk."""
    history = _open_history(ctx)
    if bool(id) == is_all:
        raise click.UsageError("Name one run, or --all.")
    if id:
        history.delete(id)
    click.echo(f"{format_count(history.delete_all() if is_all else 1, 'run')} deleted.")


@runs.command(short_help="Delete the oldest runs.")
@click.option("--keep", type=click.IntRange(0), required=True, help="The newest of so many stay.")
@click.pass_context
def prune(ctx: click.Context, keep: int) -> None:
    """Delete the oldest runs."""
    click.echo(f"{format_count(_open_history(ctx).prune(keep), 'run')} deleted.")


runs.add_command(watch)
