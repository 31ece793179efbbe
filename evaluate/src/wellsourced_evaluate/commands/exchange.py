"""`wellsourced evaluate export` and `import`: recorded runs and cases as files of inspect_ai, and its logs as runs."""

import json
import re
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.terminal import format_count, print_data, print_utf8, sanitize_line
from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.commands.common import EXISTING_PATH

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

    A log has a sample for each case: what was asked, what is known, what was answered with its quotes, and what it
    counts for in each metric; and the figures with their standard errors, intervals and floors. A run is what
    `wellsourced evaluate run` recorded, or a folder of these. Cases are a file as `evaluate run` reads it.
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

    if len(paths) > 1 or paths[0].is_dir() or out.name.endswith(".gz"):
        raise click.UsageError("A data set FILE.jsonl is made of one file of questions: give one.")
    data = read_questions(paths[0])
    lines = []
    for case in data.cases:
        known = case.answer or "\n".join(one.fact for one in case.facts)
        sample: dict[str, Any] = {"id": case.id, "input": case.question, "target": known}
        try:
            letters = letter_choices(case.options.values())
        except BadRow as bad:
            raise UnreadableFile(out, f"the case “{case.id}” cannot be written: {bad}", "Leave it out.") from bad
        if case.options:
            sample |= {"target": relabel(case.options, case.answer), "choices": list(letters.values())}
        lines.append(json.dumps({**sample, "metadata": {OURS: case_to_row(case)}}, ensure_ascii=False) + "\n")
    out.write_text("".join(lines), encoding="utf-8")
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
@click.option("--fresh", is_flag=True, help="Write over another run of that name.")
@json_option
@click.pass_context
def import_file(
    ctx: click.Context, /, path: Path, out: Path | None, scorer: str, epoch: int, fresh: bool, as_json: bool
) -> None:
    """Take in FILE.eval or FILE.json of any task as a recorded run that `wellsourced evaluate report` scores.

    A sample with choices, or whose target is yes, no or maybe, has a label; of any other it counts whether the scorer
    of the log finds its target said. What fails, abstains or cannot be read is counted as in runs of our own.
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
