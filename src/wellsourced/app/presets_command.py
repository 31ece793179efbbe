"""`wellsourced presets`: settings that belong together, under one name."""

import json

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import emit_json, table


@click.command(short_help="List the presets: settings that belong together.")
@click.argument("name", required=False)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets, or show what the preset NAME sets.

    A preset is chosen by `wellsourced --preset NAME ask …`, or by `preset = "NAME"` in wellsourced.toml. What else is
    set in the same place or a stronger one counts more than what the preset says.
    """
    chosen = [config.preset(name)] if name else config.presets()
    if as_json:
        emit_json(json.dumps([one._asdict() for one in chosen], ensure_ascii=False, indent=2))
    elif name:
        click.echo(chosen[0].about)
        rows = [(setting, json.dumps(value)) for setting, value in config.flat(chosen[0].settings)]
        click.echo(table(rows, ("setting", "value")), nl=False)
    else:
        click.echo(table([(one.name, one.about) for one in chosen], ("preset", "what it is for")), nl=False)
