"""`wellsourced judges …`: who can judge support, and fitting a judge to pairs of one's own."""

import asyncio
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.extensible_group import ExtensibleGroup
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_table
from wellsourced.errors import SettingsError
from wellsourced.presentation.wording import format_decimal, format_size
from wellsourced.text.sanitization import sanitize_line

if TYPE_CHECKING:
    from wellsourced.config.judges import UserCalibration
    from wellsourced.ingest.judge_models import JudgeCandidate


MEASURING = {
    "judges.calibrate": "Fit a judge's scores and thresholds to pairs whose labels are known.",
    "judges.measure": "Measure what a judge has earned, on statements that it was not fitted on.",
}
"""What wellsourced-evaluate adds, where it is installed."""


@click.group(cls=ExtensibleGroup, prefix="judges.", companions=MEASURING)
def judges() -> None:
    """Say who judges whether a source supports a statement, and how far it can be believed.

    Nobody is believed unmeasured: what a judge calls supported is told as “verified” only if at least 95 of 100 such
    calls were right on statements that it was not fitted on. `judges list` shows what each has earned, `judges measure`
    measures one on statements of yours, `judges install` brings a stronger one.
    """


@judges.command(name="list", short_help="List the judges, what each has earned, and what you have fitted.")
@json_option
@click.pass_context
def list_judges(ctx: click.Context, as_json: bool) -> None:
    """List what can be named as a judge of support, what each has earned, and the calibrations that you have fitted.

    A judge earns to be believed by how often it is right on statements that it was not fitted on: yours, if you have
    measured it (`judges measure`), else those that it was measured on before it came along. The figures of a
    calibration are of the half of the pairs that nothing was fitted on.
    """
    from wellsourced.config.judges import describe_earnings, describe_judges, open_records
    from wellsourced.presentation.judges import BELIEVED_UNMEASURED, describe_evidence

    settings = config.load(ctx.obj)
    rows, evidence = open_records(settings).load().calibrations, describe_earnings(settings)
    if as_json:
        print_data({
            "judges": describe_judges(settings),
            "evidence": {name: one and one.model_dump(mode="json") for name, one in evidence.items()},
            "calibrations": [one.model_dump(mode="json", exclude={"fitted_claims"}) for one in rows],
        })  # fmt: skip
        return
    print_table([*describe_judges(settings).items()], ("judge", "what it goes by"))
    click.echo()
    earnings = [(name, describe_evidence(one)) for name, one in evidence.items()]
    print_table([*earnings, ("model", BELIEVED_UNMEASURED)], ("judge", "what it has earned"))
    if rows:
        click.echo("\nYour calibrations:\n")
        print_table([_calibration_row(one) for one in rows], ("judge", "task", "pairs", "accuracy", "AUROC", "ECE"))


def _calibration_row(one: "UserCalibration") -> tuple[str, ...]:
    figures = (one.after.accuracy, one.after.auroc, one.after.ece) if one.after else (None, None, None)
    return (one.judge, one.task, f"{one.n:,}", *map(format_decimal, figures))


class InstallOptions(NamedTuple):
    """The options of `wellsourced judges install`, as they were typed."""

    origin: str
    name: str
    sha256: str
    licence: str
    yes: bool


@judges.command(
    short_help="Install a judge of your choice: a classifier of pairs in ONNX, from a path or an address.",
    epilog="""
    \b
    Examples:
      wellsourced judges install ~/models/deberta-nli
      wellsourced judges install deberta-nli.tar.gz --licence MIT
      wellsourced judges install https://example.org/models/deberta-nli/ --sha256 3f1a…
      wellsourced judges measure deberta-nli --pairs mine.jsonl
      wellsourced check answer.md --judge deberta-nli

    \b
    Any classifier of natural language inference, or of claims against texts, will do: export it with
      optimum-cli export onnx --model NAME --task text-classification FOLDER
    or name the address of a folder where its publisher keeps config.json, tokenizer.json and model.onnx
    (https://…/, with the slash at the end), or of an archive with them (.zip, .tar, .tar.gz).
    """,
)
@click.argument("origin", metavar="PATH|URL")
@click.option("--name", default="", metavar="NAME", help="What it is called from then on [as its folder or archive].")
@click.option("--sha256", default="", metavar="HEX", help="Install it only if this is its sha256.")
@click.option("--licence", default="", metavar="WORDS", help="Its licence [as its README.md or config.json says].")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def install(ctx: click.Context, /, **typed: Any) -> None:
    """Bring a judge into home, say its sha256 and its licence, ask, try it on a pair, and keep it under its name.

    The files are copied; of an archive only those of a model are unpacked, and nothing that lies in it is run but the
    graph. The sha256 is that of the archive, or for a folder that of what `sha256sum` prints of its files, sorted by
    name. No judge comes with wellsourced but the small ones of `judges list`, and none is fetched unless you name it.

    Installed, it has earned nothing yet: measure it with `wellsourced judges measure NAME`.
    """
    wish, settings = InstallOptions(**typed), config.load(ctx.obj)
    from wellsourced.config.installed_judges import find_installed_judge, installed_judges_folder
    from wellsourced.ingest.judge_models import discard_candidate, install_judge, judge_name_of

    name, into = wish.name or judge_name_of(wish.origin), installed_judges_folder(settings)
    if find_installed_judge(settings, name):
        raise SettingsError(
            f"A judge “{name}” is installed already: remove it with `wellsourced judges remove {name}`, or take "
            "another name with --name."
        )
    found = asyncio.run(_bring_judge(wish, name, into, settings))
    licence = found.licence or "not told: look for it where its publisher describes it, before you use it"
    for label, value in (("From", found.origin), ("Size", format_size(found.size)), ("sha256", found.sha256)):
        click.echo(sanitize_line(f"{label}: {value}"), err=True)
    click.echo(sanitize_line(f"Licence: {licence}"), err=True)
    try:
        if not wish.yes:
            click.confirm(f"Install it as {name}?", abort=True, err=True)
        install_judge(found, into, date.today())
    finally:
        discard_candidate(found, into)
    click.echo(f"Installed {name}: use it with --judge {name}. It has earned nothing yet:")
    click.echo(f"  wellsourced judges measure {name} --pairs FILE")


async def _bring_judge(wish: InstallOptions, name: str, into: Path, settings: config.Settings) -> "JudgeCandidate":
    from wellsourced.ingest.judge_models import bring_judge

    async with config.open_client(settings) as client:
        return await bring_judge(wish.origin, name, into, client, sha256=wish.sha256, licence=wish.licence)


@judges.command(short_help="Remove a judge that you have installed.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def remove(ctx: click.Context, name: str, yes: bool) -> None:
    """Delete the files of the judge NAME, and what it was measured on. Judges that come along cannot be removed."""
    from wellsourced.config.installed_judges import find_installed_judge, remove_installed_judge
    from wellsourced.config.judges import open_records

    settings = config.load(ctx.obj)
    if find_installed_judge(settings, name) and not yes:
        click.confirm(f"Delete the judge {name}?", abort=True, err=True)
    remove_installed_judge(settings, name)
    open_records(settings).remove_evidence(name)
    click.echo(f"Removed {name}.")
