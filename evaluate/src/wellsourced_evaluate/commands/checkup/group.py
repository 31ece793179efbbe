"""`wellsourced checkup …`: stored checks judged again, by others and by people, counted and exchanged."""

import click

from wellsourced_evaluate.commands.checkup.annotation import agreement, sheet
from wellsourced_evaluate.commands.checkup.breakdown import breakdown
from wellsourced_evaluate.commands.checkup.data_set import export, import_
from wellsourced_evaluate.commands.checkup.rejudging import merge, rejudge


@click.group(
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --out checked.json
      wellsourced checkup rejudge checked.json --judge similarity
      wellsourced checkup merge checked.json
      wellsourced checkup sheet checked.json --out study.html --sample 400
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup breakdown checked.json --by system --by kind
      wellsourced checkup export checked.json --out answers.dataset.jsonl
    """,
)
def checkup() -> None:
    """Find out how far a check can be believed. Each command begins with what `wellsourced check --json` printed.

    No source is asked for again: the words of the sources are those that the check read, as long as home has them.
    """


for command in (rejudge, merge, sheet, agreement, breakdown, export, import_):
    checkup.add_command(command)
