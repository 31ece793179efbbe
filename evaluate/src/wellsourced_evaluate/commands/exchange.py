"""`wellsourced evaluate export`, `import`, `rubrics`: runs and cases as files of inspect_ai, and its logs as runs."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data, print_utf8
from wellsourced.errors import UnreadableFile, WellsourcedError
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import EXISTING_PATH, fresh_option, limit_option

if TYPE_CHECKING:
    from wellsourced_evaluate.inspect_logs import RubricCase

LOG_ENDINGS = (".eval", ".json")


@click.command(
    short_help="Write recorded runs, or cases, as files that inspect_ai and its viewer read.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate export answered --inspect logs
      wellsourced evaluate export answered/doses.default.allowed.jsonl --inspect doses.eval
      wellsourced evaluate export questions.jsonl --inspect dataset.jsonl
      inspect view --log-dir logs

    \b
    Exit status: 0 written, 1 a file cannot be used, 2 bad use.
    """,
)
@click.argument("paths", metavar="RUN…|FILE", nargs=-1, required=True, type=EXISTING_PATH)
@click.option(
    "--inspect",
    "out",
    required=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="FILE.eval or FILE.json for a run, a folder for several; FILE.jsonl for cases.",
)
@json_option
def export(paths: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write recorded runs as eval logs of inspect_ai, or questions with known answers as a data set of it.

    A log has a sample for each case: the question, the known answer, the answer given with its quotes, and its score in
    each metric; and the figures with their standard errors, intervals and floors. A run is what `wellsourced evaluate
    run` recorded, or a folder of such runs. Cases are a file as `evaluate run` reads it.
    """
    is_dataset = out.name.endswith((".jsonl", ".jsonl.gz"))
    written = [export_cases(paths, out)] if is_dataset else export_runs(paths, out)
    if as_json:
        print_data([{"from": source, "file": str(path), "cases": cases} for source, path, cases in written])
        return
    for source, path, cases in written:
        print_utf8(f"{sanitize_line(source)}: {format_count(cases, 'case')} in {sanitize_line(str(path))}")


def export_cases(paths: tuple[Path, ...], out: Path) -> tuple[str, Path, int]:
    """Questions as a data set, in whose `metadata` each case is whole: where they are from, the file, how many."""
    from wellsourced_evaluate.inspect_logs import OURS, letter_choices, relabel
    from wellsourced_evaluate.questions.case_rows import BadRow, case_to_row
    from wellsourced_evaluate.questions.cases import read_questions
    from wellsourced_evaluate.recorded_rows import write_rows

    if len(paths) > 1 or paths[0].is_dir() or out.name.endswith(".gz"):
        raise click.UsageError("A data set FILE.jsonl is made of one file of questions: give one.")
    data = read_questions(paths[0])
    samples = []
    for case in data.cases:
        known = case.answer or "\n".join(one.fact for one in case.facts)
        sample: dict[str, Any] = {"id": case.id, "input": case.question, "target": known}
        try:
            letters = letter_choices(case.options.values())
        except BadRow as bad:
            raise UnreadableFile(out, f"the case “{case.id}” cannot be written: {bad}", "Leave it out.") from bad
        if case.options:
            sample |= {"target": relabel(case.options, case.answer), "choices": list(letters.values())}
        samples.append({**sample, "metadata": {OURS: case_to_row(case)}})
    write_rows(out, samples)
    return data.name, out, len(data.cases)


def export_runs(paths: tuple[Path, ...], out: Path) -> list[tuple[str, Path, int]]:
    """Each run as a log: what it is called, the file, how many cases."""
    from wellsourced_evaluate.inspect_logs import export_run
    from wellsourced_evaluate.questions.answer_run import find_runs

    runs = find_runs(list(paths))
    is_one = out.suffix in LOG_ENDINGS and not out.is_dir()
    if is_one and len(runs) > 1:
        raise click.UsageError(f"These are {len(runs)} runs, and a log has one: give --inspect a folder.")
    targets = [out if is_one else out / f"{run.path.name.removesuffix('.jsonl')}.eval" for run in runs]
    if len(set(targets)) < len(targets):
        raise click.UsageError("Two of the runs have the same file name: write them into different folders.")
    written = []
    for run, target in zip(runs, targets, strict=True):
        export_run(run, target)
        written.append((f"{run.header.data['name']}, {run.arm}", target, len(run.records)))
    return written


@click.command(
    name="import",
    short_help="Take in an eval log of inspect_ai.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate import 2026-11-27_medqa.eval --out answered
      wellsourced evaluate report answered

    \b
    Exit status: 0 taken in, 1 the file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="A folder for the run [in the folder `evaluate` of home].",
)
@click.option("--scorer", default="", metavar="NAME", help="Take the verdicts of this scorer [the first of the log].")
@click.option(
    "--epoch", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Take this epoch of the log."
)
@fresh_option("Write over another run of that name.")
@json_option
@click.pass_context
def import_file(
    ctx: click.Context, /, path: Path, out: Path | None, scorer: str, epoch: int, fresh: bool, as_json: bool
) -> None:
    """Take in FILE.eval or FILE.json of any task as a recorded run that `wellsourced evaluate report` scores.

    A sample with choices, or whose target is yes, no or maybe, has a label; any other counts by whether the log's
    scorer finds the target in the answer. What fails, abstains or cannot be read is counted as in our own runs.
    """
    from wellsourced_evaluate.corpus import EVALUATION_FOLDER
    from wellsourced_evaluate.inspect_logs import read_log
    from wellsourced_evaluate.questions.answer_run import ANSWER_LOG, AnswerRun
    from wellsourced_evaluate.record_log import RecordLog

    found = read_log(path, scorer, epoch)
    name, preset, regime = str(found.header.data["name"]), found.header.preset, found.header.regime
    folder = out or config.load(ctx.obj).home / EVALUATION_FOLDER / "answers" / "imported"
    parts = [re.sub(r"[^\w-]+", "-", part).strip("-") or "run" for part in (name, preset, regime)]
    with RecordLog(folder / f"{'.'.join(parts)}.jsonl", found.header, ANSWER_LOG, fresh=fresh) as log:
        for record in found.records:
            if record.case not in log.records:
                log.add(record)
    run = AnswerRun(log.path, log.header, log.records)
    if as_json:
        print_data({"file": str(run.path), "cases": len(run.records), "arm": run.arm, "notes": list(found.notes)})
        return
    for line in (f"{name}, {preset}: {format_count(len(run.records), 'case')} recorded in {run.path}", *found.notes):
        print_utf8(sanitize_line(line))


@click.command(
    short_help="Write answers to HealthBench's conversations for inspect_evals to grade.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate rubrics oss_eval.jsonl --limit 50 --out answered.eval
      wellsourced evaluate rubrics hard.jsonl --answers theirs.jsonl --out theirs.eval
      wellsourced evaluate rubrics hard.jsonl --out ours.jsonl

    \b
    A line of FILE, plain or .gz, as HealthBench publishes it:
      {"prompt_id": "p1", "prompt": [{"role": "user", "content": "…"}], "example_tags": ["theme:…"],
       "rubrics": [{"criterion": "States that …", "points": 5, "tags": ["axis:accuracy"]}]}
    A line of --answers:
      {"prompt_id": "p1", "completion": "…"}

    \b
    Exit status: 0 written, 1 answers failed or a file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@click.option("--answers", type=EXISTING_FILE, metavar="FILE", help="Use these answers instead of asking.")
@click.option(
    "--out",
    type=NEW_FILE,
    required=True,
    metavar="FILE",
    help="Write a log of inspect_ai here (.eval, .json), or lines as of --answers (.jsonl).",
)
@limit_option("Take this many conversations")
@click.pass_context
def rubrics(ctx: click.Context, path: Path, answers: Path | None, out: Path, limit: int) -> None:
    """Answer the last message of each conversation, and write a log of inspect_ai that inspect_evals grades.

    The log has each conversation with its criteria, its tags and the answer, unscored. The scorer of HealthBench in
    inspect_evals grades it with a language model of your choice.
    """
    from wellsourced_evaluate.inspect_logs import RubricCase, WrittenCompletion, require_inspect, write_rubric_log
    from wellsourced_evaluate.recorded_rows import read_recorded, write_rows

    if not out.name.endswith(".jsonl"):
        require_inspect()
    data, settings = read_recorded(path, RubricCase, limit), config.load(ctx.obj)
    arm, errors = settings.preset or "default", dict[str, str]()
    if answers:
        arm = answers.name.split(".")[0]
        given = {row.id: row.completion for row in read_recorded(answers, WrittenCompletion).rows}
        if lacking := [case.id for case in data.rows if case.id not in given]:
            named = f"{len(lacking):,} of {len(data.rows):,} cases ({', '.join(lacking[:3])} …)"
            line = 'A line reads {"prompt_id": "…", "completion": "…"}.'
            raise UnreadableFile(answers, f"it has no completion for {named}", line)
    else:
        given = asyncio.run(_ask_all(data.rows, settings, errors))
    if out.name.endswith(".jsonl"):
        write_rows(out, ({"prompt_id": id, "completion": text} for id, text in given.items()))
    else:
        write_rubric_log(data, given, errors, arm, out)
    print_utf8(f"{format_count(len(data.rows), 'conversation')} in {sanitize_line(str(out))}")
    for id, error in errors.items():
        click.echo(f"FAILED {sanitize_line(f'{id}: {error}')}", err=True)
    ctx.exit(EXIT_FAILURE if errors else 0)


async def _ask_all(cases: "Sequence[RubricCase]", settings: config.Settings, errors: dict[str, str]) -> dict[str, str]:
    """The answer to each conversation; of one that goes wrong its error is noted, and the answer is empty."""
    from wellsourced_evaluate.inspect_logs import answer_case

    found = {}
    with watch_progress() as watch:
        async with config.open_context(settings, emit=watch) as context:
            for place, case in enumerate(cases):
                watch.show_step(f"Answered {place:,} of {len(cases):,} conversations")
                try:
                    found[case.id] = await answer_case(case, context)
                except WellsourcedError as error:
                    found[case.id], errors[case.id] = "", str(error)
    return found
