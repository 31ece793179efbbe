"""`wellsourced egress`: what has left this machine."""

from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_table
from wellsourced.config.network import HostTraffic, read_traffic
from wellsourced.presentation.wording import format_count, format_size

COLUMNS = ("host", "requests", "failed", "sent", "received", "seconds", "first", "last")


@click.command()
@json_option
@click.pass_obj
def egress(flags: dict[str, Any], as_json: bool) -> None:
    """Show every host that was contacted from here, how often, and with how many bytes.

    The ledger is the file egress.jsonl in the folder of the libraries: a line a request, without what was asked and
    without keys. It may be deleted.
    """
    hosts = read_traffic(config.load(flags))
    if as_json:
        print_data([host._asdict() for host in hosts])
    elif not hosts:
        click.echo("Nothing has left this machine.")
    else:
        print_table([host_row(host) for host in hosts], COLUMNS)
        requests = format_count(sum(host.requests for host in hosts), "request")
        click.echo(f"{requests} to {format_count(len(hosts), 'host')}.")


def host_row(host: HostTraffic) -> list[str]:
    """One host as a row of the table."""
    sizes = (format_size(host.sent), format_size(host.received))
    figures = (f"{host.requests:,}", f"{host.failed:,}", *sizes, f"{host.seconds:.1f}")
    return [host.host, *figures, host.first[:16], host.last[:16]]
