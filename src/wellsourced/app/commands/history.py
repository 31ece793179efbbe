"""`wellsourced history …`: show, follow, stop, repeat, verify and delete what was asked here."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
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
    record_run,
    run_with_context,
    write_references,
)
from wellsourced.app.command_group import TableGroup
from wellsourced.app.exits import EXIT_CHANGED, EXIT_FAILURE, EXIT_NOTHING, EXIT_RETRACTED, describe_error
from wellsourced.app.options import NEW_FILE, RegularFile, is_quiet, json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.terminal import print_data, print_for_reader, print_json, print_result, print_table, write_file
from wellsourced.config.network import open_registries
from wellsourced.context import Context
from wellsourced.errors import EvidenceError, NotFoundError, SettingsError, SourceRefused, WellsourcedError
from wellsourced.events import DISCLOSURE_LISTENER, Emit, ignore_event
from wellsourced.pipeline.verify.recheck import (
    AnswerChanges,
    RecheckResult,
    compare_answers,
    find_changes,
    recheck_answer,
)
from wellsourced.presentation.changes import build_changes, build_recheck, changes_to_json, recheck_to_json
from wellsourced.presentation.references import number_references
from wellsourced.presentation.wording import format_count
from wellsourced.runs.history import RecordedQuestion, RunHistory
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
@click.option("--all", "is_all", is_flag=True, help="List deleted runs too.")
@json_option
@click.pass_context
def list_(ctx: click.Context, limit: int, is_all: bool, as_json: bool) -> None:
    """List the runs, newest first, including those still running."""
    lines = _open_history(ctx).list_runs(limit, with_deleted=is_all)
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


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "is_all", is_flag=True, help="Ask every question that was asked here, once.")
@add_source_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each question, one per line.")
@click.pass_context
def watch(ctx: click.Context, ids: tuple[str, ...], is_all: bool, limits: QuestionLimits, as_json: bool) -> None:
    """Ask the question of each run ID again, as of today, and report what changed since it was last asked.

    Reports statements that are new or no longer made, works retracted since (setting `retractions`), and newly cited
    works. The new answer is saved, and the next run is compared with it. Name sources on the network with --live. If a
    source that answered before does not answer now, nothing else is compared and the answer is not saved.

    With --quiet only changes and failures are printed, without names of hosts: good for cron. Exit status 0 when
    nothing changed, 5 when something did, 1 when this is unknown for a question.
    """
    # Neither would ask nothing, and both would leave open whether the ids limit --all.
    if bool(ids) == is_all:
        raise click.UsageError(messages.WATCH_WHAT)
    # For cron: what is printed is mailed, and the names of hosts are no news.
    if is_quiet():
        DISCLOSURE_LISTENER.set(ignore_event)
    settings, stored = config.load(ctx.obj), _open_history(ctx)
    # A mistyped id ends the command before the first question costs anything; two may be runs of one question.
    questions = {one.id: one for one in map(stored.find_question, ids)}.values() if ids else stored.list_questions()
    if not questions:
        click.echo(messages.NO_RUNS, err=True)
        return

    async def ask_all(context: Context, progress: ProgressWatch) -> set[str]:
        return {await _ask_again(each, settings, context, progress, as_json=as_json) for each in questions}

    results = run_with_context(ctx, limits, ask_all)
    ctx.exit(EXIT_CHANGED if "changed" in results else EXIT_FAILURE if "unknown" in results else 0)


async def _ask_again(
    asked: RecordedQuestion, settings: config.Settings, context: Context, progress: ProgressWatch, *, as_json: bool
) -> str:
    """Ask a question as of today, print what changed, and save the answer. Returns "changed", "same" or "unknown"."""
    later = ""
    try:
        now = await _answer(asked, context, progress)
        rechecked = await recheck_answer(
            RunHistory(settings.home, settings.storage.url).load(asked.id), context.registries
        )
        changes = find_changes(rechecked, now, [source.name for source in context.sources])
        # An answer that lacks a source is not saved: the next time would be compared with it and find that source's
        # statements new.
        later = record_run(settings, now) if changes.is_comparable else ""
    # One question that cannot be asked does not keep the others from being asked.
    except WellsourcedError as error:
        changes = AnswerChanges(unknown=(describe_error(error),), is_comparable=False)
    progress.close()
    # With a source silent that answered before, "same" would claim what nobody saw.
    result = "changed" if changes.has_changed else "unknown" if changes.unknown else "same"
    if is_quiet() and result == "same":
        return result
    if as_json:
        runs = {"run": asked.id, "later": later, "result": result, "compared": changes.is_comparable}
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"at": at, "question": asked.question.text, **runs, **changes_to_json(changes)}
        print_json(json.dumps(row, ensure_ascii=False))
    else:
        since = messages.compared_runs(asked.at[:16].replace("T", " "), asked.id, later)
        print_result(build_changes(asked.question.text, since, changes))
        click.echo()
    return result


async def _answer(asked: RecordedQuestion, context: Context, emit: Emit) -> Answer:
    if not asked.is_recommendation:
        return await ask(asked.question, context, emit)
    from wellsourced.recommendation import recommend

    return await recommend(asked.question, context, emit)


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
