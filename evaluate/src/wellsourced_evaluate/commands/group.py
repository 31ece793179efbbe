"""`wellsourced evaluate …`: how good the settings are, measured on questions with known answers."""

from difflib import get_close_matches
from pathlib import Path

import click

from wellsourced.app.options import json_option
from wellsourced_evaluate.commands.build import build
from wellsourced_evaluate.commands.clinical import clinical
from wellsourced_evaluate.commands.common import print_study
from wellsourced_evaluate.commands.duplicates import duplicates
from wellsourced_evaluate.commands.exchange import export
from wellsourced_evaluate.commands.judges import verification
from wellsourced_evaluate.commands.people import questionnaire, ratings
from wellsourced_evaluate.commands.planner import planner
from wellsourced_evaluate.commands.recorded import accuracy, citations, outputs, summaries, test
from wellsourced_evaluate.commands.retrieval import retrieval
from wellsourced_evaluate.commands.run import compare, report, run, sets
from wellsourced_evaluate.commands.scorecard import scorecard
from wellsourced_evaluate.commands.sealed import sealed
from wellsourced_evaluate.commands.searches import preflight
from wellsourced_evaluate.commands.studies import ablation, contexts, robustness, uncertainty
from wellsourced_evaluate.tables import Table


class EvaluationGroup(click.Group):
    """Shows how a command is typed when only a set or a file is named."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named. Raises UsageError, with the command that is likely meant."""
        name = args[0]
        if not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), 1)
            meant = f"Did you mean `wellsourced evaluate {near[0]}`? " if near and not Path(name).exists() else ""
            remedy = f"To put the questions of a set or a file to the system, type `wellsourced evaluate run {name} …`"
            more = "; `wellsourced evaluate list` says what else can be measured."
            raise click.UsageError(f"No command `wellsourced evaluate {name}`. {meant}{remedy}{more}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=EvaluationGroup)
def evaluate() -> None:
    """Measure how good the settings are, on questions with known answers."""


COMMANDS = (
    *(ablation, accuracy, build, citations, clinical, compare, contexts, duplicates, export, outputs),
    *(planner, preflight, questionnaire, ratings, report, retrieval, robustness, run, scorecard),
    *(sealed, sets, summaries, test, uncertainty, verification),
)
for command in COMMANDS:
    evaluate.add_command(command)


@evaluate.command(name="list", short_help="List what can be measured, what it needs, and by which metrics.")
@click.argument("metrics", nargs=-1, metavar="[METRIC]...")
@json_option
def list_evaluations(metrics: tuple[str, ...], as_json: bool) -> None:
    """List everything that can be evaluated, the options and the extra that it needs, and its metrics as spelled.

    With a METRIC, explain what it counts and its range.
    """
    from wellsourced_evaluate.metrics import EVALUATIONS, find_metric

    if metrics:
        chosen = [find_metric(name) for name in metrics]
        better = {True: "lower", False: "higher", None: "neither"}
        rows = [(one.name, one.range, better[one.lower], one.meaning) for one in chosen]
        table = Table(("metric", "range", "better", "meaning"), rows)
        print_study([table], chosen, as_json=as_json)
        return
    lines = [
        (
            *(one.name, one.subject, one.needs),
            f"pip install 'wellsourced-evaluate[{one.extra}]'" if one.missing else "yes",
            ", ".join(metric.name for metric in one.metrics),
        )
        for one in EVALUATIONS
    ]
    table = Table(("evaluate", "measures", "needs", "installed", "metrics"), lines)
    print_study([table], EVALUATIONS, as_json=as_json)
