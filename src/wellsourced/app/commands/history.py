"""`wellsourced history …`: show, follow, stop, repeat, verify and delete what was asked here."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
from pydantic import ValidationError

from wellsourced import config
from wellsourced.api import ask
from wellsourced.app import messages
from wellsourced.app.answer_output import (
    OutputOptions,
    answer_json_option,
    check_reference_file,
    print_answer,
    quotes_option,
    receipt_option,
    write_references,
)
from wellsourced.app.command_group import TableGroup
from wellsourced.app.exits import EXIT_FAILURE, EXIT_NOTHING, EXIT_RETRACTED
from wellsourced.app.options import NEW_FILE, RegularFile, json_option
from wellsourced.app.terminal import print_data, print_for_reader, print_table, write_file
from wellsourced.config.network import open_registries
from wellsourced.errors import EvidenceError, NotFoundError, SettingsError, SourceRefused
from wellsourced.pipeline.verify.recheck import RecheckResult, compare_answers, recheck_answer
from wellsourced.presentation.changes import build_recheck, recheck_to_json
from wellsourced.presentation.references import number_references
from wellsourced.presentation.wording import format_count
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import POLL_SECONDS
from wellsourced.runs.table import RunLine, RunStep
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer

STOP_SECONDS = 15.0
"""How long `stop` waits for the other process: it may be in a step that cannot be cut short."""


@click.group(cls=TableGroup, path="history")
def history() -> None:
    """Show, follow, stop, repeat, verify and delete what was asked here.

    This includes runs of the command line, the pages, programs and assistants. Answers are in the file runs.sqlite3 of
    home. A question about a patient, or with personal data, is not saved; with --set runs=false nothing is. ID is the
    id of a run, or its first letters.
    """


def _open_history(ctx: click.Context) -> RunHistory:
    settings = config.load(ctx.obj)
    return RunHistory(settings.home, settings.storage.url)


@click.command("list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum runs.")
@json_option
@click.pass_context
def list_(ctx: click.Context, limit: int, as_json: bool) -> None:
    """List the runs, newest first, including those still running."""
    lines = _open_history(ctx).list_runs(limit, with_deleted=False)
    if as_json:
        print_data([_line_to_json(line) for line in lines])
    elif not lines:
        click.echo(messages.NO_RUNS)
    else:
        rows = [
            (line.short_id, line.begun[:16].replace("T", " "), line.kind, messages.describe_result(line), line.title)
            for line in lines
        ]
        print_table(rows, messages.RUN_COLUMNS)


def _line_to_json(line: RunLine) -> dict[str, object]:
    fields = ("begun", "ended", "kind", "state", "surface", "title", "statements", "problem", "is_deleted")
    return {"id": line.short_id, **{name: getattr(line, name) for name in fields}}


@click.command
@click.argument("id")
@click.option("--follow", is_flag=True, help="If still running, show its steps until it ends.")
@answer_json_option
@quotes_option
@receipt_option
@click.pass_context
def show(ctx: click.Context, id: str, follow: bool, as_json: bool, quotes: bool | None, receipt: bool) -> None:
    """Show the answer of the run ID as it was given, or the progress of the run.

    Exit status 3 when it is an abstention, or there is no answer.
    """
    stored = _open_history(ctx)
    for step in _follow_steps(stored, id) if follow else ():
        click.echo(sanitize_line(step.text), err=True)
    line, steps = stored.read_steps(id)
    if line.recorded and not line.is_deleted:
        answer = stored.load(id)
        print_answer(answer, OutputOptions(as_json, quotes, receipt=receipt))
        ctx.exit(EXIT_NOTHING if answer.abstained else 0)
    if as_json:
        print_data({**_line_to_json(line), "steps": [step.text for _, step in steps]})
        ctx.exit(EXIT_NOTHING)
    for _, step in steps if not follow else ():
        click.echo(sanitize_line(step.text))
    click.echo(sanitize_line(messages.run_without_answer(line)))
    ctx.exit(EXIT_NOTHING)


def _follow_steps(stored: RunHistory, id: str) -> Iterator[RunStep]:
    after = 0
    while True:
        line, steps = stored.read_steps(id, after=after)
        for place, step in steps:
            after = place
            yield step
        if not line.is_working:
            return
        time.sleep(POLL_SECONDS)


@click.command
@click.argument("id")
@click.pass_context
def stop(ctx: click.Context, id: str) -> None:
    """Stop the run ID, whichever process on this machine is running it. Exit status 1 if it is no longer running."""
    stored = _open_history(ctx)
    line = stored.request_stop(id)
    if not line.is_working:
        click.echo(messages.not_running(line))
        ctx.exit(EXIT_FAILURE)
    until = time.monotonic() + STOP_SECONDS
    while line.is_working and time.monotonic() < until:
        time.sleep(POLL_SECONDS / 5)
        try:
            line = stored.find(line.id)
        # What was about a patient leaves nothing.
        except NotFoundError:
            line = line._replace(state="stopped")
    click.echo(messages.stop_result(line))
    ctx.exit(EXIT_FAILURE if line.is_working else 0)


@click.command
@click.argument("id")
@click.pass_context
def replay(ctx: click.Context, id: str) -> None:
    """Answer the question of the run ID again from this machine only, and compare the answers.

    Nothing leaves this machine; sources on the network are reported as missing. A language model's stored replies are
    reused; it is asked only if models.local_servers names its server. Exit status 1 when something differs.
    """
    flags = {**ctx.obj, "network.offline": True}
    settings = config.load(flags)
    before = RunHistory(settings.home, settings.storage.url).load(id)
    if before.writer and not settings.model:
        settings = config.load({**flags, "model": before.writer})

    async def answer_again() -> Answer:
        async with config.open_context(settings, is_replay=True) as context:
            asked = before.question
            return await ask(asked.model_copy(update={"text": asked.asked or asked.text}), context)

    now = asyncio.run(answer_again())
    if before.writer and now.writer != before.writer:
        click.echo(messages.WRITER_NOT_ASKED.format(writer=before.writer))
        ctx.exit(EXIT_FAILURE)
    changes = compare_answers(before, now)
    for change in changes:
        click.echo(sanitize_line(change))
    if not changes:
        click.echo(messages.SAME_ANSWER.format(count=format_count(len(before.statements), "statement")))
    ctx.exit(EXIT_FAILURE if changes else 0)


@click.command
@click.argument("answer", required=False, metavar="[ID|FILE|-]")
@json_option
@click.pass_context
def verify(ctx: click.Context, answer: str | None, as_json: bool) -> None:
    """Without an argument, check that stored runs are unchanged since they were recorded, and none is missing.

    With a run ID, or a FILE with the output of `wellsourced ask --json`, ask the registries in the setting
    `retractions` whether the works that this answer cites have been retracted or doubted since.

    Exit status 1 when a run was changed or a registry could not be asked, 4 when a cited work was retracted or doubted.
    """
    if answer is None:
        _verify_runs(ctx, as_json)
        return
    settings, given = config.load(ctx.obj), _load_answer(ctx, answer)
    if not settings.retractions:
        raise SettingsError(messages.NO_REGISTRY)

    async def recheck_with_registries() -> RecheckResult:
        async with open_registries(settings) as services:
            result = await recheck_answer(given, services.registries)
            return result._replace(gaps=(*services.gaps, *result.gaps))

    result = asyncio.run(recheck_with_registries())
    print_for_reader(build_recheck(result), recheck_to_json(result), as_json=as_json)
    fallen = result.changes or result.unsupported_statements
    ctx.exit(EXIT_RETRACTED if fallen else EXIT_FAILURE if result.gaps else 0)


def _verify_runs(ctx: click.Context, as_json: bool) -> None:
    stored = _open_history(ctx)
    changes, lines = list(stored.find_changes()), stored.list_runs()
    deleted = sum(line.is_deleted for line in lines)
    if as_json:
        print_data({"runs": len(lines) - deleted, "deleted": deleted, "changes": changes})
    else:
        click.echo("\n".join(map(sanitize_line, changes)) or messages.runs_unchanged(len(lines) - deleted, deleted))
    ctx.exit(EXIT_FAILURE if changes else 0)


def _load_answer(ctx: click.Context, name: str) -> Answer:
    """The answer of a run, or of a file. Raises NotFoundError, and SourceRefused for a file without an answer."""
    if name != "-" and not Path(name).exists():
        # What looks like a file is told as one.
        if "." in name or "/" in name:
            raise click.BadParameter(messages.NO_FILE.format(name=name), ctx)
        return _open_history(ctx).load(name)
    file: BinaryIO = RegularFile().convert(name, None, ctx)
    try:
        return Answer.model_validate_json(file.read())
    except (ValidationError, EvidenceError) as error:
        reason = str(error).splitlines()[0]
        raise SourceRefused(messages.NO_ANSWER_IN_FILE.format(name=name, reason=reason)) from error


@click.command
@click.argument("id")
@click.argument("file", type=NEW_FILE, callback=check_reference_file)
@click.pass_context
def export(ctx: click.Context, id: str, file: Path) -> None:
    """Write the answer of the run ID to FILE.json, as `ask --json` prints it, or its references to FILE.bib,
    FILE.ris or FILE.csv."""
    answer = _open_history(ctx).load(id)
    if file.suffix.lower() == ".json":
        write_file(file, answer.model_dump_json(indent=2))
    else:
        write_references(number_references(answer).list_references(), file)
    click.echo(messages.WRITTEN.format(path=file))


@click.command
@click.argument("id", required=False)
@click.option("--all", "is_all", is_flag=True, help="Delete every run, and stop those still running.")
@click.option("--keep", type=click.IntRange(0), metavar="N", help="Keep the newest N, delete the others.")
@click.pass_context
def delete(ctx: click.Context, id: str | None, is_all: bool, keep: int | None) -> None:
    """Delete the run ID, old runs, or all: their questions and answers are erased from the disk."""
    stored = _open_history(ctx)
    if sum((bool(id), is_all, keep is not None)) != 1:
        raise click.UsageError(messages.DELETE_WHAT)
    if id:
        stored.delete(id)
    count = stored.delete_all() if is_all else stored.prune(keep) if keep is not None else 1
    click.echo(messages.RUNS_DELETED.format(count=format_count(count, "run")))
