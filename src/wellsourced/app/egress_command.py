"""`wellsourced egress`: what has left this machine."""

import json
from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import count, emit_json, size, table

COLUMNS = ("host", "requests", "failed", "sent", "received", "seconds", "first", "last")


@click.command(short_help="Show which hosts were contacted.")
@json_option
@click.pass_obj
def egress(flags: dict[str, Any], as_json: bool) -> None:
    """Show every host that was contacted from here, how often, and with how many bytes.

    The ledger is the file egress.jsonl in the folder of the libraries: a line a request, without what was asked and
    without keys. It may be deleted.
    """
    hosts = config.traffic(config.load(flags))
    if as_json:
        emit_json(json.dumps([host._asdict() for host in hosts], ensure_ascii=False, indent=2))
    elif not hosts:
        click.echo("Nothing has left this machine.")
    else:
        rows = [shown(host) for host in hosts]
        click.echo(table(rows, COLUMNS), nl=False)
        click.echo(f"{count(sum(host.requests for host in hosts), 'request')} to {count(len(hosts), 'host')}.")


def shown(host: config.Traffic) -> list[str]:
    """One host as a row of the table."""
    figures = [f"{host.requests:,}", f"{host.failed:,}", size(host.sent), size(host.received), f"{host.seconds:.1f}"]
    return [host.host, *figures, host.first[:16], host.last[:16]]
