"""`wellsourced settings`: every setting, its value, and where it came from."""

import json
from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_json, format_table


@click.command(short_help="Show every setting and where its value comes from.")
@json_option
@click.pass_obj
def settings(flags: dict[str, Any], as_json: bool) -> None:
    """Show every setting, its value, where that comes from, and what it means.

    A setting is changed in wellsourced.toml (in your configuration folder, then in the working directory), by an
    environment variable (WELLSOURCED_POLICY__PASSAGES=20), or by a flag (--set policy.passages=20); the last counts.
    What the working directory's file says of addresses, keys, models and the like counts only when you trust it:
    `wellsourced trust`. Until then it is shown as ignored.
    """
    rows = config.explain_settings(flags)
    if as_json:
        print_json(json.dumps([row._asdict() for row in rows], default=str, ensure_ascii=False, indent=2))
        return
    cells = [(row.name, format_value(row.name, row.value), format_origin(row), row.meaning) for row in rows]
    click.echo(format_table(cells, ("setting", "value", "from", "meaning")), nl=False)


def format_origin(row: config.Setting) -> str:
    """Where a value came from, and which file says something else in vain."""
    return f"{row.place} (ignored: {row.ignored})" if row.ignored else row.place


def format_value(name: str, value: object) -> str:
    """A value as one would type it."""
    if value is None or value == ():
        return "(all)" if name == "libraries" else "(none)"
    if isinstance(value, tuple):
        inner = [",".join(one) if isinstance(one, tuple) else one for one in value]
        return (" > " if inner != list(value) else ",").join(inner)
    return str(value).lower() if isinstance(value, bool) else str(value)
