"""`wellsourced checkup rejudge` and `merge`: the words that a check read, put to a judge once more."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wellsourced import config
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, format_decimal, format_table, print_data, sanitize_line

if TYPE_CHECKING:
    from wellsourced.factcheck.check import CheckContext
    from wellsourced.factcheck.run_store import RunStore
    from wellsourced.factcheck.validation.merged_sources import MergedRun
    from wellsourced.factcheck.validation.rejudging import JudgeComparison
    from wellsourced.factcheck.validation.stored_runs import NamedCheckup
    from wellsourced.types import Checkup

T = TypeVar("T")

MAX_DIFFERENCES = 20
"""Pairs on which two judges differ that are printed; --json has all."""

judge_option = click.option("--judge", metavar="NAME", default="", help="Who judges [as `wellsourced check` would].")
files_argument = click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")


@click.command(
    short_help="Have another judge judge a stored check; show both side by side.",
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --judge weighed --out checked.json
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced --model openai:NAME checkup rejudge checked.json --judge model --out again.json
    """,
)
@files_argument
@judge_option
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the checks as the other judge has them, as JSON.")
@json_option
@click.pass_context
def rejudge(ctx: click.Context, /, files: tuple[Path, ...], judge: str, out: Path | None, as_json: bool) -> None:
    """Judge the checks in each FILE again, on the words that they read, and say where the two judges differ.

    FILE is what `wellsourced check --json` printed. Agreement is over pairs of a statement and a source that both
    judged: its share with a 95 % bootstrap interval, Cohen's kappa, and McNemar's exact test of who finds more
    supported. Nobody is asked for a source again.
    """
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.input_texts import read_stored_checkups
    from wellsourced.app.factcheck.report_output import output_report
    from wellsourced.factcheck.validation.rejudging import compare_judges, judge_again
    from wellsourced.factcheck.validation.stored_runs import NamedCheckup

    stored = read_stored_checkups(files)

    async def judge_one(checkup: "Checkup", store: "RunStore", tools: "CheckContext") -> "Checkup":
        return await judge_again(checkup, store, tools.judge, tools.manner)

    done = _judge_stored(ctx, stored, judge, judge_one)
    again = [NamedCheckup(one.name, other) for one, other in zip(stored, done, strict=True)]
    found = compare_judges(stored, again)
    if out:
        output_report([CheckedText(one.name, one.checkup) for one in again], "json", out)
    if as_json:
        print_data(_comparison_data(found))
    else:
        click.echo("\n".join(_comparison_lines(found)))


@click.command(
    short_help="Put statements that no source alone supports to all of their sources together.",
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --out checked.json
      wellsourced checkup merge checked.json
      wellsourced checkup merge checked.json --json
    """,
)
@files_argument
@judge_option
@json_option
@click.pass_context
def merge(ctx: click.Context, /, files: tuple[Path, ...], judge: str, as_json: bool) -> None:
    """Say how many statements that no source alone supports are supported by their sources taken together.

    FILE is what `wellsourced check --json` printed. A statement with marks is put to the sources that these name, any
    other to all. The verdicts of the check stay: one source alone has to say what a statement says.
    """
    from wellsourced.app.factcheck.input_texts import read_stored_checkups
    from wellsourced.factcheck.validation.merged_sources import judge_merged_sources

    stored = read_stored_checkups(files)

    async def judge_one(checkup: "Checkup", store: "RunStore", tools: "CheckContext") -> "MergedRun":
        return await judge_merged_sources(checkup, store, tools.judge, tools.manner)

    done = _judge_stored(ctx, stored, judge, judge_one)
    if as_json:
        print_data(_merged_data(stored, done))
    else:
        click.echo("\n".join(_merged_lines(stored, done)))


def _judge_stored(
    ctx: click.Context,
    stored: "Sequence[NamedCheckup]",
    judge: str,
    judge_one: "Callable[[Checkup, RunStore, CheckContext], Awaitable[T]]",
) -> list[T]:
    """What comes of each checkup, with its store opened and closed."""
    with watch_progress() as watch, exit_on_interrupt("stopped."):
        return asyncio.run(_judge_each(stored, config.load(ctx.obj), judge, judge_one, watch))


async def _judge_each(
    stored: "Sequence[NamedCheckup]",
    settings: config.Settings,
    judge: str,
    judge_one: "Callable[[Checkup, RunStore, CheckContext], Awaitable[T]]",
    watch: ProgressWatch,
) -> list[T]:
    from wellsourced.budget import Account, use_account
    from wellsourced.config.factcheck import CHECKUPS_FOLDER, open_check_context
    from wellsourced.factcheck.validation.stored_runs import open_stored_run

    done: list[T] = []
    async with open_check_context(settings, judge=judge, emit=watch) as tools:
        for one in stored:
            watch.show_step(f"Judging {one.name}")
            store = open_stored_run(settings.home / CHECKUPS_FOLDER, one.checkup)
            try:
                with use_account(Account(settings.budget, watch)):
                    done.append(await judge_one(one.checkup, store, tools))
            finally:
                store.close()
    return done


# --- two judges ----------------------------------------------------------------------------------------------------


def _comparison_lines(found: "JudgeComparison") -> Iterator[str]:
    from wellsourced.app.factcheck.checked_text import VERDICT_WORDS
    from wellsourced.app.factcheck.text_report import format_percent

    agreement = found.agreement
    yield sanitize_line(f"A: {agreement.one}")
    yield sanitize_line(f"B: {agreement.other}")
    yield ""
    words = {label: word for label, word in VERDICT_WORDS.items() if label != "unjudged"}
    rows = [
        (f"A: {word}", *(f"{found.table.get((label, other), 0):,}" for other in words)) for label, word in words.items()
    ]
    yield format_table(rows, ("pairs", *(f"B: {word}" for word in words.values())))
    interval = f" ({format_percent(agreement.low)} to {format_percent(agreement.high)})" if agreement.items > 1 else ""
    share = f"{format_percent(agreement.share)}{interval}" if agreement.items else "of nothing"
    yield f"Agreement on {format_count(agreement.items, 'pair')}: {share}; kappa {format_decimal(agreement.kappa)}."
    yield f"Pairs supported: A {found.supported[0]:,}, B {found.supported[1]:,} (McNemar p {found.p:.3g})."
    yield (
        f"Statements supported: A {found.statements_supported[0]:,}, B {found.statements_supported[1]:,} "
        f"of {found.statements:,}."
    )
    if found.unjudged:
        yield f"Left out: {format_count(found.unjudged, 'pair')} that one of them could not judge."
    if found.unread:
        yield f"Left out: {format_count(found.unread, 'pair')} whose source could not be read."
    for one in found.differences[:MAX_DIFFERENCES]:
        yield ""
        yield sanitize_line(f"{one.text}, statement {one.claim.number + 1}, source [{one.source}]: {one.claim.text}")
        for who, verdict in (("A", one.one), ("B", one.other)):
            reason = f": {verdict.reason}" if verdict.reason else ""
            yield "  " + sanitize_line(f"{who} {VERDICT_WORDS[verdict.label]}{reason}")
    if len(found.differences) > MAX_DIFFERENCES:
        yield f"\nand {len(found.differences) - MAX_DIFFERENCES:,} more: --json has all of them."


def _comparison_data(found: "JudgeComparison") -> dict[str, Any]:
    return {
        "agreement": found.agreement._asdict(),
        "unjudged": found.unjudged,
        "unread": found.unread,
        "table": [{"one": one, "other": other, "pairs": n} for (one, other), n in sorted(found.table.items())],
        "pairs_supported": {"one": found.supported[0], "other": found.supported[1], "mcnemar_p": found.p},
        "statements": found.statements,
        "statements_supported": {"one": found.statements_supported[0], "other": found.statements_supported[1]},
        "differences": [
            {
                "text": one.text,
                "statement": one.claim.number,
                "claim": one.claim.text,
                "source": one.source,
                "one": one.one.model_dump(),
                "other": one.other.model_dump(),
            }
            for one in found.differences
        ],
    }


# --- merged sources ------------------------------------------------------------------------------------------------


def _merged_lines(stored: "Sequence[NamedCheckup]", done: "Sequence[MergedRun]") -> Iterator[str]:
    from wellsourced.app.factcheck.text_report import format_percent

    judged, supported = sum(len(one.judged) for one in done), sum(one.support_count for one in done)
    left = f" ({format_percent(1 - supported / judged)} stay unsupported)" if judged else ""
    yield f"{format_count(judged, 'statement')} put to several sources together: {supported:,} supported{left}."
    one_source, no_source = sum(one.one_source for one in done), sum(one.no_source for one in done)
    if one_source:
        yield f"{format_count(one_source, 'statement')} with one source that was read: nothing to put together."
    if no_source:
        yield f"{format_count(no_source, 'statement')} without a source that was read."
    for (name, _), run in zip(stored, done, strict=True):
        for one in run.judged:
            if one.together.label == "supports":
                keys = "".join(f"[{key}]" for key in one.sources)
                yield ""
                yield sanitize_line(f"{name}, statement {one.claim.number + 1} {keys}: {one.claim.text}")
                yield "  " + sanitize_line(f"alone {one.alone.label}: {one.alone.reason}")
                yield "  " + sanitize_line(f"together: “{one.quote}”")


def _merged_data(stored: "Sequence[NamedCheckup]", done: "Sequence[MergedRun]") -> dict[str, Any]:
    judged = sum(len(one.judged) for one in done)
    return {
        "judged": judged,
        "supported_together": sum(one.support_count for one in done),
        "one_source": sum(one.one_source for one in done),
        "no_source": sum(one.no_source for one in done),
        "statements": [
            {
                "text": name,
                "statement": one.claim.number,
                "claim": one.claim.text,
                "sources": one.sources,
                "alone": one.alone.model_dump(),
                "together": one.together.model_dump(),
                "quote": one.quote,
            }
            for (name, _), run in zip(stored, done, strict=True)
            for one in run.judged
        ],
    }
