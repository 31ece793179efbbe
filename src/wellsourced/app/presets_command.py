"""`wellsourced presets`: settings that belong together, under one name."""

import json

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_json, format_table


@click.command(short_help="List the presets: settings that belong together.")
@click.argument("name", required=False)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets, or show what the preset NAME sets.

    A preset is chosen by `wellsourced --preset NAME ask …`, or by `preset = "NAME"` in wellsourced.toml. What else is
    set in the same place or a stronger one counts more than what the preset says.
    """
    chosen = [config.find_preset(name)] if name else config.list_presets()
    if as_json:
        print_json(json.dumps([one._asdict() for one in chosen], ensure_ascii=False, indent=2))
    elif name:
        click.echo(chosen[0].about)
        rows = [(setting, json.dumps(value)) for setting, value in config.flatten_tables(chosen[0].settings)]
        click.echo(format_table(rows, ("setting", "value")), nl=False)
    else:
        click.echo(format_table([(one.name, one.about) for one in chosen], ("preset", "what it is for")), nl=False)
