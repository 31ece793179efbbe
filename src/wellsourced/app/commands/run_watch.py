"""`wellsourced runs watch`: questions of before, asked again as of today, and what has changed, in lines or as JSON."""

import asyncio
import json
import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import click

from wellsourced import config
from wellsourced.app.answer_output import record_run
from wellsourced.app.exits import EXIT_CHANGED, EXIT_FAILURE, describe_error
from wellsourced.app.options import is_quiet
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import QuestionLimits, add_source_options
from wellsourced.app.terminal import detect_page, print_json
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.events import DISCLOSURE_LISTENER, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.verify.recheck import AnswerChanges, find_changes, recheck_answer
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.runs import RecordedQuestion, RunHistory
from wellsourced.types import Answer, Reference

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}

LONGEST_SLEEP = 60.0
"""Seconds after which the clock is looked at again: a machine may have slept meanwhile."""


def parse_interval(_: click.Context, __: click.Parameter, given: str | None) -> timedelta | None:
    """A time as it is typed: 30m, 12h, 1d."""
    if given is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,5})\s*([smhdw])", given.strip().lower(), re.ASCII)
    if not found:
        raise click.BadParameter(f"“{given}” is no time: write 30m, 12h, 1d or 1w.")
    return timedelta(seconds=int(found[1]) * SECONDS[found[2]])


@click.command(
    short_help="Ask questions again, and tell what has changed.",
    epilog="""
    \b
    Examples:
      wellsourced runs watch 3f9a2c
      wellsourced runs watch --all --live pubmed --set retractions=crossref
      wellsourced runs watch 3f9a2c --every 1d --json >> changes.jsonl

    \b
    In a crontab, which mails what is printed (Mondays at six):
      0 6 * * 1  wellsourced --quiet runs watch --all --live pubmed
    """,
)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "is_all", is_flag=True, help="Every question that was asked here, once.")
@click.option("--every", metavar="TIME", callback=parse_interval, help="Ask again each 30m, 12h, 1d … until Ctrl-C.")
@add_source_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each question, one a line.")
@click.pass_context
def watch(
    ctx: click.Context,
    ids: tuple[str, ...],
    is_all: bool,
    every: timedelta | None,
    limits: QuestionLimits,
    as_json: bool,
) -> None:
    """Ask the question of each run ID again, as of today, and tell what has changed since it was asked last.

    Told are statements that are new or no longer said, works that were withdrawn (as the setting `retractions` lets
    it be known) and works that are newly cited. The new answer is kept as a run, and is what the next time is compared
    with. Sources are searched as for a new question: name those on the network with --live. Where one that answered
    before does not answer now, that is told, nothing else is compared, and the answer is not kept.

    With --quiet only what has changed, or cannot be known, is printed, and hosts are not named: good for cron. Exit
    status 0 when nothing has changed, 5 when something has, 1 when it is not known of a question.
    """
    # Neither would ask nothing, and both would leave open whether the ids limit --all.
    if bool(ids) == is_all:
        raise click.UsageError("Name runs by their ids, or --all. `wellsourced runs list` shows them.")
    # For cron: what is printed is mailed, and the names of hosts are no news.
    if is_quiet():
        DISCLOSURE_LISTENER.set(ignore_event)
    history = RunHistory(config.load(ctx.obj).home)
    # A mistyped id ends the command before the first question costs anything.
    for id in ids:
        history.find_question(id)
    results = _ask_round(ctx, ids, limits, as_json)
    if every:
        _keep_asking(ctx, ids, limits, as_json, every)
    names = {one.result for one in results}
    if not results:
        click.echo("No run is recorded here: nothing was asked.", err=True)
    ctx.exit(EXIT_CHANGED if "changed" in names else EXIT_FAILURE if names - {"same"} else 0)


def _keep_asking(
    ctx: click.Context, ids: Sequence[str], limits: QuestionLimits, as_json: bool, every: timedelta
) -> None:
    """Ask on schedule until the process is stopped: what is kept is valid at every instant."""
    due = datetime.now(UTC)
    while True:
        # Rounds that were missed while the machine slept are not caught up one after the other.
        due = max(due + every, datetime.now(UTC))
        if not is_quiet():
            click.echo(f"Asking again at {due:%Y-%m-%d %H:%M:%S} UTC. Ctrl-C ends it.", err=True)
        while (left := (due - datetime.now(UTC)).total_seconds()) > 0:
            time.sleep(min(left, LONGEST_SLEEP))
        try:
            _ask_round(ctx, ids, limits, as_json)
        # A round that fails (a full disk, a library that is being rebuilt) must not end a watch that runs for months.
        except (WellsourcedError, OSError) as error:
            click.echo(f"wellsourced: {describe_error(error)}", err=True)


class WatchResult(NamedTuple):
    """What came of asking a question again.

    later   id of the new run; "" where it is not kept
    error   why it could not be asked; "" when it was
    """

    question: RecordedQuestion
    changes: AnswerChanges = AnswerChanges()
    later: str = ""
    error: str = ""

    @property
    def result(self) -> str:
        """In a word or two: "changed", "same", "not known", "failed"."""
        # An error first: what could not be asked again is neither changed nor the same.
        if self.error:
            return "failed"
        if self.changes.has_changed:
            return "changed"
        # With a source silent that answered before, "same" would claim what nobody saw.
        return "not known" if self.changes.unknown else "same"


def watch_lines(told: WatchResult, page: TerminalPage) -> list[str]:
    """The question, since when, and what has changed, what matters most first; that nothing has, where it is known."""
    heading = [page.heading(line) for line in page.wrap(told.question.question.text)]
    runs = f"since {told.question.at[:16].replace('T', ' ')} UTC, run {told.question.id}"
    runs += f"; now run {told.later}" if told.later else ""
    return [*heading, *page.dim(page.wrap(runs, "  ")), *_result_lines(told, page)]


def _result_lines(told: WatchResult, page: TerminalPage) -> Iterator[str]:
    if told.result == "same":
        yield "  Nothing changed."
    changes = told.changes
    parts = (
        ("Withdrawn since", (f"{_name_work(one.reference)}: {one.objection}" for one in changes.withdrawn)),
        ("Otherwise than before", changes.verdict),
        ("New", changes.new),
        ("No longer said", changes.no_longer_said),
        ("Newly cited", map(_name_work, changes.newly_cited)),
        # Another source explains a change; without a change it is no news.
        ("Searched now and not then", changes.searched_first if changes.has_changed else ()),
        ("Not known", (*changes.unknown, *filter(None, (told.error,)))),
    )
    for title, items in parts:
        yield from page.section(f"  {title}", items, "      ", "    – ")


def _name_work(reference: Reference) -> str:
    year = f" ({reference.year})" if reference.year else ""
    return f"{reference.title.rstrip('.') or reference.id}{year}, {reference.url or reference.id}"


def watch_data(told: WatchResult) -> dict[str, object]:
    """The same as JSON; `run` is what it was compared with, `later` the new run."""
    changes = told.changes
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "question": told.question.question.text,
        "run": told.question.id,
        "later": told.later,
        "result": told.result,
        "new": changes.new,
        "no_longer_said": changes.no_longer_said,
        "withdrawn": [{**_work_data(one.reference), "reason": one.objection} for one in changes.withdrawn],
        "newly_cited": [_work_data(one) for one in changes.newly_cited],
        "verdict": changes.verdict,
        "searched_first": changes.searched_first,
        "unknown": changes.unknown,
        "compared": changes.is_comparable and not told.error,
        "error": told.error,
    }


def _work_data(reference: Reference) -> dict[str, object]:
    return {"id": reference.id, "title": reference.title, "year": reference.year, "url": reference.url}


def _ask_round(ctx: click.Context, ids: Sequence[str], limits: QuestionLimits, as_json: bool) -> list[WatchResult]:
    """Ask each question once, with settings and libraries as they are now, and print what came of it at once."""
    settings = config.load(ctx.obj)
    history = RunHistory(settings.home)
    questions = [history.find_question(id) for id in ids] or history.list_questions()

    async def ask_all(progress: ProgressWatch) -> list[WatchResult]:
        results = []
        live = limits.live or None
        async with config.open_context(settings, libraries=limits.libraries, live=live, emit=progress) as context:
            # Two ids may be runs of one question, which is asked once.
            for one in {one.id: one for one in questions}.values():
                results.append(await _ask_again(one, context, settings, progress))
                progress.close()
                _print_result(results[-1], as_json)
        return results

    if not questions:
        return []
    with watch_progress() as progress:
        return asyncio.run(ask_all(progress))


async def _ask_again(
    one: RecordedQuestion, context: Context, settings: config.Settings, progress: ProgressWatch
) -> WatchResult:
    try:
        before = RunHistory(settings.home).load(one.id).answer
        now = await _answer(one, context, progress)
        rechecked = await recheck_answer(before, context.registries)
    # One question that cannot be asked does not keep the others from being asked.
    except WellsourcedError as error:
        return WatchResult(one, error=describe_error(error))
    changes = find_changes(rechecked, now, [source.name for source in context.sources])
    # An answer that lacks a source is not kept: the next time would be compared with it and find that source's
    # statements new.
    return WatchResult(one, changes, record_run(settings, now) if changes.is_comparable else "")


async def _answer(one: RecordedQuestion, context: Context, progress: ProgressWatch) -> Answer:
    if not one.is_recommendation:
        return await answer_question(one.question, context, progress)
    from wellsourced.recommend.recommendation import recommend

    return await recommend(one.question, context, progress)


def _print_result(told: WatchResult, as_json: bool) -> None:
    if is_quiet() and told.result == "same":
        return
    if as_json:
        print_json(json.dumps(watch_data(told), ensure_ascii=False))
    else:
        click.echo("\n".join([*watch_lines(told, detect_page(quotes=False)), ""]))
