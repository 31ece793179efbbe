"""`wellsourced evaluate sources`: whether the sources that recorded answers cite support them (SourceCheckup)."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, pack_options
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, print_data, sanitize_line
from wellsourced_evaluate.commands.common import fresh_option, limit_option, out_option

if TYPE_CHECKING:
    from wellsourced.factcheck.check import Scope
    from wellsourced_evaluate.source_checks.answer_checks import AnswerAgreement, AnswerCheck
    from wellsourced_evaluate.source_checks.cited_answers import CitedAnswers

MAX_SHOWN = 5


class SourceCheckOptions(NamedTuple):
    """The options of `wellsourced evaluate sources`, as they were typed."""

    path: Path
    scope: "Scope"
    judge: str
    limit: int
    out: Path | None
    fresh: bool


SOURCE_CHECK_OPTIONS = (
    click.option(
        "--answers", "path", type=EXISTING_FILE, required=True, metavar="FILE", help="Answers, and what they cite."
    ),
    click.option(
        "--scope",
        type=click.Choice(("all", "own")),
        default="all",
        show_default=True,
        help="Put each statement to all sources of its answer, or to those whose marks it bears.",
    ),
    click.option(
        "--judge", metavar="NAME", default="", help="Who judges [a language model if one is set, else locally]."
    ),
    limit_option("Take so many answers"),
    out_option("Keep the counts of each answer", "`evaluate` of home"),
    fresh_option("Check again what was checked before."),
)


@click.command(
    short_help="Measure whether the sources that answers cite support them: SourceCheckup.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sources --answers answers.jsonl
      wellsourced evaluate sources --answers answers.csv --scope own --judge weighed --json

    \b
    A row of FILE, as `wellsourced check` reads it:
      {"id": "q1", "question": "…", "answer": "…", "sources": ["https://…"], "system": "…"}
    with "label" (supported, not_supported) or "votes" as people said of the whole answer, where they did.

    \b
    Exit status: 0 measured, 1 the file cannot be used or some answers could not be checked, 2 bad use.
    """,
)
@pack_options("wish", SourceCheckOptions, SOURCE_CHECK_OPTIONS)
@json_option
@click.pass_context
def sources(ctx: click.Context, /, wish: SourceCheckOptions, as_json: bool) -> None:
    """Check recorded answers of any system as `wellsourced check` does, and count as SourceCheckup counts.

    Every source is looked for and read, and each statement is put to it. Of each answer the counts are kept as soon as
    it is checked: a run that was stopped goes on. Where people said whether an answer is supported, the check is held
    against them. Intervals are 95 % (bootstrap over answers).
    """
    from wellsourced_evaluate.source_checks.answer_checks import compare_with_people
    from wellsourced_evaluate.source_checks.cited_answers import read_cited_answers

    data = read_cited_answers(wish.path, wish.limit)
    with watch_progress() as watch:
        judge, checks = asyncio.run(run_checks(data, wish, config.load(ctx.obj), watch))
    people = compare_with_people(checks)
    if as_json:
        print_data(sources_data(data, judge, checks, people))
    else:
        click.echo("\n".join(sources_lines(data, judge, checks, people)))
    ctx.exit(EXIT_FAILURE if any(one.error for one in checks) else 0)


async def run_checks(
    data: "CitedAnswers", wish: SourceCheckOptions, settings: config.Settings, watch: ProgressWatch
) -> "tuple[str, list[AnswerCheck]]":
    """Who judged, and what came of every answer."""
    from wellsourced.config.factcheck import open_check_context
    from wellsourced_evaluate.record_log import RecordLog
    from wellsourced_evaluate.source_checks.answer_checks import ANSWER_CHECK_LOG, build_header, check_answers

    name = f"{data.file.partition('.')[0]}-{len(data.answers)}-{data.sha256[:8]}.jsonl"
    out = wish.out or settings.home / "evaluate" / "sources" / name
    async with open_check_context(settings, judge=wish.judge, emit=watch) as tools:
        header = build_header(data, tools, wish.scope)
        with RecordLog(out, header, ANSWER_CHECK_LOG, fresh=wish.fresh) as log:
            done = await check_answers(
                data,
                tools,
                wish.scope,
                log,
                lambda done, every: watch.show_step(f"Checked {done:,} of {every:,} answers"),
            )
        return tools.judge.name, done


def sources_lines(
    data: "CitedAnswers", judge: str, checks: "Sequence[AnswerCheck]", people: "AnswerAgreement | None"
) -> Iterator[str]:
    """Everything, for people."""
    from wellsourced_evaluate.source_checks.answer_checks import average_checks

    counted = [one for one in checks if not one.error]
    yield (
        f"{format_count(len(checks), 'answer')} of {sanitize_line(data.file)} (sha256 {data.sha256}), "
        f"{format_count(sum(one.statements for one in counted), 'statement')}, "
        f"{format_count(sum(one.sources for one in counted), 'source')}, judged by {sanitize_line(judge)}\n"
    )
    rows = []
    for name, (mean, pooled) in average_checks(checks).items():
        together = f"{format_decimal(pooled.share)} ({pooled.part:,} of {pooled.whole:,})" if pooled.whole else "–"
        interval, of = (format_range(one.low, one.high) if one.low is not None else "–" for one in (mean, pooled))
        rows.append((name, format_decimal(mean.mean), interval, f"{mean.cases:,} of {len(counted):,}", together, of))
    header = ("metric", "mean", "95 % interval", "answers", "all together", "95 % interval")
    yield format_table(rows, header)
    yield "“All together” is as it was published; a source that cannot be reached counts in it."
    yield "The figures are as good as the judge, and support is not truth: a page that is wrong supports what it says."
    if people:
        yield from people_lines(people)
    failed = [one for one in checks if one.error]
    if failed:
        yield f"{format_count(len(failed), 'answer')} FAILED, left out of every figure:"
        yield from (f"  {sanitize_line(f'{one.id}: {one.error}')}" for one in failed[:MAX_SHOWN])
    if unfinished := sum(not one.complete for one in counted):
        yield f"{format_count(unfinished, 'answer')} not wholly judged: the same command goes on."
    for note in dict.fromkeys(note for one in counted for note in one.notes if "--offline" in note):
        yield f"Note: {sanitize_line(note)}."


def people_lines(people: "AnswerAgreement") -> Iterator[str]:
    """How far the check agrees with people."""
    yield "\nWhat people said of whole answers:\n"
    pairs = (*(people.raters.pairs if people.raters else ()), *people.check)
    rows = [
        (
            *(f"{one.one}, {one.other}", f"{one.same:,} of {one.items:,}", format_decimal(one.share)),
            *(format_range(one.low, one.high), format_decimal(one.kappa)),
        )
        for one in pairs
    ]
    yield format_table(rows, ("who", "the same", "share", "95 % interval", "Cohen's kappa"))
    label, share = people.floor
    yield f"Floor: always “{label.replace('_', ' ')}” agrees with the majority in {share:.3f}."
    if people.ties:
        yield f"{format_count(people.ties, 'answer')} on which raters come out level: left out."


def sources_data(
    data: "CitedAnswers", judge: str, checks: "Sequence[AnswerCheck]", people: "AnswerAgreement | None"
) -> dict[str, Any]:
    """Everything, for programs: the means, and each answer with its counts."""
    from wellsourced_evaluate.source_checks.answer_checks import average_checks

    return {
        "file": data.file,
        "sha256": data.sha256,
        "answers": len(checks),
        "recorded_answers": data.recorded,
        "failed": sum(bool(one.error) for one in checks),
        "judge": judge,
        "metrics": {
            name: {**mean.to_json(), "pooled": pooled._asdict()}
            for name, (mean, pooled) in average_checks(checks).items()
        },
        "people": people.to_json() if people else None,
        "cases": [{**one.model_dump(mode="json"), "values": one.to_values()} for one in checks],
    }
