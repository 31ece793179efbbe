"""`wellsourced history watch`: ask earlier questions again as of today, and report what changed."""

import asyncio
import json
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import click

from wellsourced import config
from wellsourced.app import history_messages as messages
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
from wellsourced.presentation.changes import build_changes, changes_to_json
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.runs.history import RecordedQuestion, RunHistory
from wellsourced.types import Answer

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}

LONGEST_SLEEP = 60.0
"""Seconds after which the clock is read again: a machine may have slept meanwhile."""


def parse_interval(_: click.Context, __: click.Parameter, given: str | None) -> timedelta | None:
    """A time as it is typed: 30m, 12h, 1d."""
    if given is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,5})\s*([smhdw])", given.strip().lower(), re.ASCII)
    if not found:
        raise click.BadParameter(messages.no_interval(given))
    return timedelta(seconds=int(found[1]) * SECONDS[found[2]])


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced history watch 3f9a2c
      wellsourced history watch --all --live pubmed --set retractions=crossref
      wellsourced history watch 3f9a2c --every 1d --json >> changes.jsonl

    \b
    In a crontab, which mails what is printed (Mondays at six):
      0 6 * * 1  wellsourced --quiet history watch --all --live pubmed
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
    """Ask the question of each run ID again, as of today, and report what changed since it was last asked.

    Reports statements that are new or no longer made, works retracted since (setting `retractions`), and newly cited
    works. The new answer is saved, and the next time is compared with it. Name sources on the network with --live. If
    a source that answered before does not answer now, nothing else is compared and the answer is not saved.

    With --quiet only changes and failures are printed, without names of hosts: good for cron. Exit status 0 when
    nothing changed, 5 when something did, 1 when that is unknown for a question.
    """
    # Neither would ask nothing, and both would leave open whether the ids limit --all.
    if bool(ids) == is_all:
        raise click.UsageError(messages.WATCH_WHAT)
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
    if not results:
        click.echo(messages.NO_RUNS, err=True)
    outcomes = {result.outcome for result in results}
    ctx.exit(EXIT_CHANGED if "changed" in outcomes else EXIT_FAILURE if outcomes - {"same"} else 0)


def _keep_asking(
    ctx: click.Context, ids: Sequence[str], limits: QuestionLimits, as_json: bool, every: timedelta
) -> None:
    """Ask on schedule until the process is stopped: what is saved is valid at every instant."""
    due = datetime.now(UTC)
    while True:
        # Rounds that were missed while the machine slept are not caught up one after the other.
        due = max(due + every, datetime.now(UTC))
        if not is_quiet():
            click.echo(messages.next_round(due), err=True)
        while (left := (due - datetime.now(UTC)).total_seconds()) > 0:
            time.sleep(min(left, LONGEST_SLEEP))
        try:
            _ask_round(ctx, ids, limits, as_json)
        # A round that fails (a full disk, a library that is being rebuilt) must not end a watch that runs for months.
        except (WellsourcedError, OSError) as error:
            click.echo(f"wellsourced: {describe_error(error)}", err=True)


class WatchResult(NamedTuple):
    """Result of asking a question again.

    later   id of the new run; "" where it is not saved
    error   why it could not be asked; "" when it was
    """

    question: RecordedQuestion
    changes: AnswerChanges = AnswerChanges()
    later: str = ""
    error: str = ""

    @property
    def outcome(self) -> str:
        """In a word or two: "changed", "same", "not known", "failed"."""
        # An error first: what could not be asked again is neither changed nor the same.
        if self.error:
            return "failed"
        if self.changes.has_changed:
            return "changed"
        # With a source silent that answered before, "same" would claim what nobody saw.
        return "not known" if self.changes.unknown else "same"

    def lines(self, page: TerminalPage) -> list[str]:
        """The question, since when, and what changed."""
        question = self.question
        since = messages.compared_runs(question.at[:16].replace("T", " "), question.id, self.later)
        lines = [*page.headings(question.question.text), *page.dim(page.wrap(since, "  "))]
        if self.outcome == "same":
            lines.append(messages.NOTHING_CHANGED)
        for block in build_changes(self.changes, self.error):
            lines += page.headings(block.title, "  ")
            lines += [line for item in block.items for line in page.wrap(item.text, "      ", "    – ")]
        return lines

    def to_json(self) -> dict[str, object]:
        """The same as JSON; `run` is what it was compared with, `later` the new run."""
        return {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "question": self.question.question.text,
            "run": self.question.id,
            "later": self.later,
            "result": self.outcome,
            **changes_to_json(self.changes),
            "compared": self.changes.is_comparable and not self.error,
            "error": self.error,
        }


def _ask_round(ctx: click.Context, ids: Sequence[str], limits: QuestionLimits, as_json: bool) -> list[WatchResult]:
    """Ask each question once, with settings and libraries as they are now, and print each result at once."""
    settings = config.load(ctx.obj)
    history = RunHistory(settings.home)
    questions = [history.find_question(id) for id in ids] or history.list_questions()

    async def ask_all(progress: ProgressWatch) -> list[WatchResult]:
        results = []
        live = limits.live or None
        async with config.open_context(settings, libraries=limits.libraries, live=live, emit=progress) as context:
            # Two ids may be runs of one question, which is asked once.
            for question in {question.id: question for question in questions}.values():
                results.append(await _ask_again(question, context, settings, progress))
                progress.close()
                _print_result(results[-1], as_json)
        return results

    if not questions:
        return []
    with watch_progress() as progress:
        return asyncio.run(ask_all(progress))


async def _ask_again(
    question: RecordedQuestion, context: Context, settings: config.Settings, progress: ProgressWatch
) -> WatchResult:
    try:
        before = RunHistory(settings.home).load(question.id)
        now = await _answer(question, context, progress)
        rechecked = await recheck_answer(before, context.registries)
    # One question that cannot be asked does not keep the others from being asked.
    except WellsourcedError as error:
        return WatchResult(question, error=describe_error(error))
    changes = find_changes(rechecked, now, [source.name for source in context.sources])
    # An answer that lacks a source is not saved: the next time would be compared with it and find that source's
    # statements new.
    return WatchResult(question, changes, record_run(settings, now) if changes.is_comparable else "")


async def _answer(question: RecordedQuestion, context: Context, progress: ProgressWatch) -> Answer:
    if not question.is_recommendation:
        return await answer_question(question.question, context, progress)
    from wellsourced.recommend.recommendation import recommend

    return await recommend(question.question, context, progress)


def _print_result(result: WatchResult, as_json: bool) -> None:
    if is_quiet() and result.outcome == "same":
        return
    if as_json:
        print_json(json.dumps(result.to_json(), ensure_ascii=False))
    else:
        click.echo("\n".join([*result.lines(detect_page(quotes=False)), ""]))
