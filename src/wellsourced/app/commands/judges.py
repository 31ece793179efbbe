"""`wellsourced setup judges`: what can judge support, and how often it was right."""

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.command_group import TableGroup
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_table
from wellsourced.presentation.wording import format_decimal
from wellsourced.text.sanitization import sanitize_line

MEASURING = {
    "calibrate": "Fit the scores and thresholds of a judge to labelled pairs.",
    "measure": "Measure how often a judge is right on your statements.",
}
"""What wellsourced-evaluate adds, where it is installed."""


@click.group(
    cls=TableGroup,
    path="setup judges",
    plugins="judges.",
    companions=MEASURING,
    invoke_without_command=True,
)
@json_option
@click.pass_context
def judges(ctx: click.Context, as_json: bool) -> None:
    """List the judges of whether a source supports a statement, and how often each was right.

    “Verified” needs a judge that was right in at least 95 of 100 such calls, on statements that it was not fitted on.
    Your calibrations are listed with figures for the held-out half of the pairs.
    """
    if not ctx.invoked_subcommand:
        list_judges(config.load(ctx.obj), as_json=as_json)


def list_judges(settings: config.Settings, *, as_json: bool) -> None:
    """List the judges with their track records, and the user's calibrations."""
    from wellsourced.config.judges import build_controls, describe_earnings, describe_judges, open_records
    from wellsourced.presentation.judges import BELIEVED_UNMEASURED, describe_evidence

    rows, evidence = open_records(settings).load().calibrations, describe_earnings(settings)
    controls = build_controls(settings)
    models = list(controls.load().values()) if controls else []
    if as_json:
        print_data({
            "judges": describe_judges(),
            "evidence": {name: one and one.model_dump(mode="json") for name, one in evidence.items()},
            "models": [one.model_dump(mode="json", exclude={"calls"}) for one in models],
            "calibrations": [one.model_dump(mode="json", exclude={"fitted_claims"}) for one in rows],
        })  # fmt: skip
        return
    print_table([*describe_judges().items()], ("judge", "how it judges"))
    click.echo()
    records = [(name, describe_evidence(one)) for name, one in evidence.items()]
    print_table([*records, ("model", BELIEVED_UNMEASURED)], ("judge", "track record"))
    for model in models:
        click.echo(f"\n{sanitize_line(model.distrust or model.description)}.")
    if rows:
        click.echo(f"\n{messages.CALIBRATIONS}\n")
        cells = []
        for one in rows:
            figures = (one.after.accuracy, one.after.auroc, one.after.ece) if one.after else (None, None, None)
            cells.append((one.judge, one.task, f"{one.n:,}", *map(format_decimal, figures)))
        print_table(cells, ("judge", "task", "pairs", "accuracy", "AUROC", "ECE"))
