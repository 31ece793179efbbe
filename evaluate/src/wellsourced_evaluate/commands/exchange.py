"""`wellsourced evaluate export`: recorded runs as eval logs of inspect_ai."""

from pathlib import Path

import click

from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_utf8
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import EXISTING_PATH


@click.command(
    short_help="Write recorded runs as files that inspect_ai and its viewer read.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate export answered --inspect logs
      wellsourced evaluate export answered/doses.default.allowed.jsonl --inspect doses.eval
      inspect view --log-dir logs

    \b
    Exit status: 0 written, 1 a file cannot be used, 2 bad use.
    """,
)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=EXISTING_PATH)
@click.option(
    "--inspect",
    "out",
    required=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="FILE.eval or FILE.json for a run, a folder for several.",
)
@json_option
def export(paths: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write recorded runs as eval logs of inspect_ai.

    A log has a sample for each case: the question, the known answer, the answer given with its quotes, and its score in
    each metric; and the figures with their standard errors, intervals and floors. A run is what `wellsourced evaluate
    run` recorded, or a folder of such runs.
    """
    from wellsourced_evaluate.inspect_logs import export_run
    from wellsourced_evaluate.questions.answer_run import find_runs

    runs = find_runs(list(paths))
    is_one = out.suffix in (".eval", ".json") and not out.is_dir()
    if is_one and len(runs) > 1:
        raise click.UsageError(f"These are {len(runs)} runs, and a log has one: give --inspect a folder.")
    written = {}
    for run in runs:
        target = out if is_one else out / f"{run.path.name.removesuffix('.jsonl')}.eval"
        if target in written:
            raise click.UsageError("Two of the runs have the same file name: write them into different folders.")
        export_run(run, target)
        written[target] = run
    if as_json:
        print_data(
            [
                {"from": f"{run.header.data['name']}, {run.arm}", "file": str(path), "cases": len(run.records)}
                for path, run in written.items()
            ]
        )
        return
    for path, run in written.items():
        said = f"{run.header.data['name']}, {run.arm}: {format_count(len(run.records), 'case')} in {path}"
        print_utf8(sanitize_line(said))
