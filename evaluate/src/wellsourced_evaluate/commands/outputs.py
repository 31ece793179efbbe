"""`wellsourced evaluate outputs`: recorded outputs of language models to multiple choice, read and scored again."""

from pathlib import Path

import click

from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced_evaluate.commands.common import limit_option
from wellsourced_evaluate.recorded_rows import to_plain, write_rows
from wellsourced_evaluate.tables import print_report


@click.command(
    short_help="Score recorded outputs of multiple choice again; unparsed is its own class.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate outputs --recorded llm_outputs.jsonl.gz
      wellsourced evaluate outputs --recorded mine.jsonl --out read.jsonl --json

    \b
    A line of FILE, plain or .gz; all behind gold may be left out:
      {"id": "o1", "raw_output": "…", "options": {"A": "…", "B": "…"}, "gold": "B", "dataset": "medqa",
       "question_id": "q1", "model": "gpt-4", "mode": "cot", "group": "…", "parsed_choice": "B", "correct": true}

    \b
    Exit status: 0 scored, 1 the file cannot be used, 2 bad use.
    """,
)
@click.option(
    "--recorded",
    "path",
    type=EXISTING_FILE,
    required=True,
    metavar="FILE",
    help="What models wrote, and what is right.",
)
@limit_option("Take so many outputs")
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write what is read in every output here, a line each.")
@json_option
def outputs(path: Path, limit: int, out: Path | None, as_json: bool) -> None:
    """Read the choice out of what language models wrote, as it is read out of a reply to `ask`, and score it.

    An output that chooses no option, or several, is unparsed: a class of its own, and not right. Accuracy by model,
    mode and set stands beside the commonest letter and chance, and beside what counting unparsed outputs as a letter
    would make of it. Arms are ranked, and compared over the questions that both answered (McNemar). Where the choice
    is recorded that was read when they were published, each difference is shown.
    """
    from wellsourced_evaluate.outputs import output_blocks, read_outputs, report_outputs

    report = report_outputs(read_outputs(path, limit))
    if out:
        write_rows(out, (row.to_json() for row in report.cases))
    print_report(output_blocks(report), lambda: to_plain(report), as_json=as_json)
