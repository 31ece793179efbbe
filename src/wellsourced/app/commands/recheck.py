"""`wellsourced recheck`: whether the works that a stored answer rests on have been withdrawn since."""

import asyncio
from typing import IO

import click
from pydantic import ValidationError

from wellsourced import config
from wellsourced.app.options import RegularFile, json_option
from wellsourced.app.terminal import print_data
from wellsourced.config.network import open_registries
from wellsourced.errors import EvidenceError, SettingsError, SourceRefused
from wellsourced.pipeline.verify.recheck import RecheckResult, recheck_answer
from wellsourced.presentation.references import describe_recheck
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer

EXIT_FALLEN = 4
"""Exit status when something that the answer rests on may not count any more."""

EXIT_UNASKED = 1
"""Exit status when somebody could not be asked: of what he counts, nothing new is known."""


@click.command(
    "recheck",
    epilog="""
    \b
    Examples:
      wellsourced ask --json "Does ivermectin help in COVID-19?" > answer.json
      wellsourced --set retractions=crossref,pubmed recheck answer.json
      wellsourced --set retractions=retraction_watch --set retraction_watch=snapshot.csv recheck answer.json
    """,
)
@click.argument("file", type=RegularFile())
@json_option
@click.pass_context
def recheck(ctx: click.Context, file: IO[bytes], as_json: bool) -> None:
    """Ask whether the works that the answer in FILE rests on have been retracted, or doubted, since it was given.

    FILE is what `wellsourced ask --json` printed. Who is asked is the setting `retractions`. Exit status 4 when a work
    that is cited may not count any more, 1 when somebody could not be asked.
    """
    settings = config.load(ctx.obj)
    if not settings.retractions:
        raise SettingsError("Nobody is named who counts retractions: --set retractions=crossref asks Crossref.")
    answer = read_answer(file)

    async def recheck_with_registries() -> RecheckResult:
        async with open_registries(settings) as services:
            again = await recheck_answer(answer, services.registries)
            return again._replace(gaps=(*services.gaps, *again.gaps))

    again = asyncio.run(recheck_with_registries())
    if as_json:
        print_data(recheck_data(again))
    else:
        for line in describe_recheck(again):
            click.echo(sanitize_line(line))
    ctx.exit(EXIT_FALLEN if again.changes or again.unsupported_statements else EXIT_UNASKED if again.gaps else 0)


def read_answer(file: IO[bytes]) -> Answer:
    """The answer in a file. Raises SourceRefused for what is none."""
    try:
        return Answer.model_validate_json(file.read())
    except (ValidationError, EvidenceError) as error:
        remedy = "Give what `wellsourced ask --json` printed."
        raise SourceRefused(f"{file.name} holds no answer ({str(error).splitlines()[0]}). {remedy}") from error


def recheck_data(again: RecheckResult) -> dict[str, object]:
    """The same as JSON."""
    return {
        "changed": [
            {
                "id": one.reference.id,
                "title": one.reference.title,
                "now": one.reference.retraction.model_dump(mode="json"),
            }
            for one in again.changes
        ],
        "fallen": [statement.text for statement in again.unsupported_statements],
        "gaps": [gap.model_dump(mode="json") for gap in again.gaps],
    }
