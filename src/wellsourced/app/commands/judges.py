"""`wellsourced setup judges`: what can judge support, and how often it was right; judges installed and removed."""

import asyncio

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.command_group import TableGroup
from wellsourced.app.options import json_option, yes_option
from wellsourced.app.terminal import print_data, print_table
from wellsourced.errors import NextStep, SettingsError
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
@click.option("--install", "origin", metavar="PATH|URL", default="", help="Install this classifier of pairs in ONNX.")
@click.option("--name", default="", metavar="NAME", help="Name of the judge [that of its folder or archive].")
@click.option("--sha256", default="", metavar="HEX", help="Install it only with this sha256.")
@click.option("--licence", default="", metavar="WORDS", help="Its licence [as its README.md or config.json says].")
@click.option("--remove", metavar="NAME", default="", help="Delete this judge, which you installed.")
@yes_option
@json_option
@click.pass_context
def judges(ctx: click.Context, /, origin: str, remove: str, yes: bool, as_json: bool, **facts: str) -> None:
    """List the judges of whether a source supports a statement, and how often each was right.

    “Verified” needs a judge that was right in at least 95 of 100 such calls, on statements that it was not fitted on.
    Your calibrations are listed with figures for the held-out half of the pairs.

    A classifier to install (natural language inference) is a folder, an archive or an address with config.json,
    tokenizer.json and model.onnx; an address of a folder ends with a slash. Its sha256 and licence are shown before
    anything is kept. Only the graph is run. A new judge has no track record yet.
    """
    if ctx.invoked_subcommand:
        return
    settings = config.load(ctx.obj)
    if origin:
        install_judge(settings, origin, yes=yes, **facts)
    elif remove:
        remove_judge(settings, remove, yes)
    else:
        list_judges(settings, as_json=as_json)


def list_judges(settings: config.Settings, *, as_json: bool) -> None:
    """List the judges with their track records, and the user's calibrations."""
    from wellsourced.config.judges import build_controls, describe_earnings, describe_judges, open_records
    from wellsourced.presentation.judges import BELIEVED_UNMEASURED, describe_evidence

    rows, evidence = open_records(settings).load().calibrations, describe_earnings(settings)
    controls = build_controls(settings)
    models = list(controls.load().values()) if controls else []
    if as_json:
        print_data({
            "judges": describe_judges(settings),
            "evidence": {name: one and one.model_dump(mode="json") for name, one in evidence.items()},
            "models": [one.model_dump(mode="json", exclude={"calls"}) for one in models],
            "calibrations": [one.model_dump(mode="json", exclude={"fitted_claims"}) for one in rows],
        })  # fmt: skip
        return
    print_table([*describe_judges(settings).items()], ("judge", "how it judges"))
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


def install_judge(settings: config.Settings, origin: str, *, name: str, sha256: str, licence: str, yes: bool) -> None:
    """Bring a judge, show what it is, and keep it if the user agrees."""
    from wellsourced.config.judges import find_installed_judge, installed_judges_folder
    from wellsourced.ingest.judge_models import bring_judge, judge_name_of
    from wellsourced.ingest.judge_models import install_judge as keep_judge

    name, into = name or judge_name_of(origin), installed_judges_folder(settings)
    if find_installed_judge(settings, name):
        raise SettingsError(messages.JUDGE_EXISTS.format(name=name), next_step=NextStep("remove judge", name))

    async def bring_and_keep() -> None:
        async with (
            config.open_client(settings) as client,
            bring_judge(origin, name, into, client, sha256=sha256, licence=licence) as found,
        ):
            for line in messages.judge_facts(found.card.origin, found.size, found.card.sha256, found.card.licence):
                click.echo(sanitize_line(line), err=True)
            if not yes:
                click.confirm(messages.CONFIRM_JUDGE.format(name=name), abort=True, err=True)
            keep_judge(found, into)

    asyncio.run(bring_and_keep())
    click.echo(messages.JUDGE_INSTALLED.format(name=name))


def remove_judge(settings: config.Settings, name: str, yes: bool) -> None:
    """Delete the files of an installed judge, and its track record. Built-in judges cannot be removed."""
    from wellsourced.config.judges import find_installed_judge, open_records, remove_installed_judge

    if find_installed_judge(settings, name) and not yes:
        click.confirm(messages.CONFIRM_JUDGE_REMOVAL.format(name=name), abort=True, err=True)
    remove_installed_judge(settings, name)
    open_records(settings).remove_evidence(name)
    click.echo(messages.JUDGE_REMOVED.format(name=name))
