"""`wellsourced doctor`: whether everything works here, what to do about what does not, and what left this machine."""

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.command_table import TABLE
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import json_option, print_hint
from wellsourced.app.terminal import print_data, print_table
from wellsourced.config.network import HostTraffic, describe_missing_setup, read_traffic
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.examination import examine
from wellsourced.presentation.wording import format_size
from wellsourced.text.sanitization import sanitize_line

SOURCE_COLUMNS = ("live source", "searched", "about", "needs")
HOST_COLUMNS = ("host", "requests", "failed", "sent", "received", "seconds", "first", "last")


@click.command
@click.option("--network", is_flag=True, help="Show live sources, and every host contacted so far.")
@click.option("--ask-models", "ask", is_flag=True, help="Ask each language model to reply, which may cost something.")
@json_option
@click.pass_context
def doctor(ctx: click.Context, network: bool, as_json: bool, ask: bool) -> None:
    """Check settings, folders, libraries, models and extras. Exit status 1 when questions cannot be answered.

    With --network, list what can be searched over the network, and the hosts in the ledger egress.jsonl. The ledger
    holds no questions and no keys, and can be deleted.
    """
    if network:
        show_network(config.load(ctx.obj), as_json=as_json)
        return
    findings = list(examine(ctx.obj, ask, commands=[row.path for row in TABLE]))
    # Only what no answer is possible without decides the exit code; the rest is advice.
    can_answer = not any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        found = [{**one._asdict(), "next_step": messages.spell_next_step(one.next_step)} for one in findings]
        print_data({"answers": can_answer, "findings": found})
    else:
        for finding in findings:
            step = messages.spell_next_step(finding.next_step)
            remedy = f"\n     {sanitize_line(step)}" if step else ""
            mark = "–  " if finding.absent else "ok " if finding.ok else "!! "
            click.echo(f"{mark} {finding.topic}: {sanitize_line(finding.says)}{remedy}")
        is_sound = all(finding.ok for finding in findings)
        possible = messages.CAN_ANSWER if is_sound else messages.CAN_ANSWER_WITH_FAULTS
        click.echo(possible if can_answer else messages.CANNOT_ANSWER)
    ctx.exit(0 if can_answer else EXIT_FAILURE)


def show_network(settings: config.Settings, *, as_json: bool) -> None:
    """List live sources with what each needs, and every host that was contacted."""
    sources = [
        {
            "name": name,
            "searched": name in settings.live,
            "about": about,
            "needs": describe_missing_setup(name, settings),
        }
        for name, about in LIVE_SOURCE_REGISTRY.describe().items()
    ]
    hosts = read_traffic(settings)
    if as_json:
        print_data({"sources": sources, "hosts": [host._asdict() for host in hosts]})
        return
    cells = [(row["name"], "yes" if row["searched"] else "no", row["about"], row["needs"] or "–") for row in sources]
    print_table([[str(cell) for cell in row] for row in cells], SOURCE_COLUMNS)
    for fault in LIVE_SOURCE_REGISTRY.find_plugin_faults():
        click.echo(sanitize_line(fault))
    print_hint(messages.SEARCH_LIVE)
    click.echo()
    if hosts:
        print_table([_host_row(host) for host in hosts], HOST_COLUMNS)
    click.echo(messages.count_contacts(sum(host.requests for host in hosts), len(hosts)))


def _host_row(host: HostTraffic) -> list[str]:
    sizes = (format_size(host.sent), format_size(host.received))
    figures = (f"{host.requests:,}", f"{host.failed:,}", *sizes, f"{host.seconds:.1f}")
    return [host.host, *figures, host.first[:16], host.last[:16]]
