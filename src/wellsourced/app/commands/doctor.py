"""`wellsourced doctor`: say whether everything works here, and what to do about what does not."""

from typing import Any

import click

from wellsourced.app.messages import spell_next_step
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data
from wellsourced.examination import DoctorFinding, examine
from wellsourced.text.sanitization import sanitize_line

EXIT_UNWELL = 1


@click.command()
@json_option
@click.option("--ask-models", "ask", is_flag=True, help="Ask each language model one thing, which may cost something.")
@click.option("--remove-telemetry", "remove", is_flag=True, help="Delete what reports of libraries left on the disk.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask: bool, remove: bool) -> None:
    """Look at settings, folders, libraries, models and the extras; exit status 1 when no answer is possible."""
    from wellsourced.app.cli import COMMANDS

    findings = list(examine(ctx.obj, ask, remove=remove, commands=COMMANDS))
    # Only what no answer is possible without decides the exit status; the rest is advice.
    well = not any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        rows = [_describe_finding(finding) for finding in findings]
        print_data({"answers": well, "findings": rows})
    else:
        for finding in findings:
            step = spell_next_step(finding.next_step)
            remedy = f"\n     {sanitize_line(step)}" if step else ""
            mark = "ok " if finding.ok else "!! "
            click.echo(f"{mark} {finding.topic}: {sanitize_line(finding.says)}{remedy}")
        click.echo("Questions can be answered." if well else "Questions cannot be answered before that is fixed.")
    ctx.exit(0 if well else EXIT_UNWELL)


def _describe_finding(finding: DoctorFinding) -> dict[str, Any]:
    return {**finding._asdict(), "next_step": spell_next_step(finding.next_step)}
