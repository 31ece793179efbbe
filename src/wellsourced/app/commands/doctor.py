"""`wellsourced doctor`: whether an answer is possible here, and what to do about each thing that is missing."""

import click

from wellsourced.app.diagnosis import examine
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, sanitize_line

EXIT_UNWELL = 1


@click.command()
@json_option
@click.option("--ask-models", "ask", is_flag=True, help="Ask each language model one thing, which may cost something.")
@click.option("--remove-telemetry", "remove", is_flag=True, help="Delete what reports of libraries left on the disk.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask: bool, remove: bool) -> None:
    """Look at settings, folders, libraries, models and the extras; exit status 1 when no answer is possible."""
    findings = list(examine(ctx.obj, ask, remove=remove))
    # Only what no answer is possible without decides the exit status; the rest is advice.
    well = not any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        rows = [finding._asdict() for finding in findings]
        print_data({"answers": well, "findings": rows})
    else:
        for finding in findings:
            remedy = f"\n     {sanitize_line(finding.remedy)}" if finding.remedy else ""
            mark = "ok " if finding.ok else "!! "
            click.echo(f"{mark} {finding.topic}: {sanitize_line(finding.says)}{remedy}")
        click.echo("Questions can be answered." if well else "No question can be answered before that is mended.")
    ctx.exit(0 if well else EXIT_UNWELL)
