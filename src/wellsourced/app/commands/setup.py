"""`wellsourced setup`: the questions for a new user at a terminal; below it, everything that can be set."""

import click

from wellsourced.app.command_group import TableGroup


@click.group(cls=TableGroup, path="setup", invoke_without_command=True)
@click.pass_context
def setup(ctx: click.Context) -> None:
    """Interactive first-time setup: choose a model, live sources, keys and your e-mail address.

    Only what differs from the defaults is written to your wellsourced.toml, after you have seen it. Run it again at any
    time. Options such as --set and --preset hold for this run and are not written.
    """
    if not ctx.invoked_subcommand:
        # What asks and writes takes time to load, which the commands below should not wait for.
        from wellsourced.app.setup_dialogue import run_setup

        run_setup(ctx)
