"""`wellsourced setup`: the questions for a new user, at a terminal or answered by flags; below it, what can be set."""

import click

from wellsourced.app.command_group import TableGroup
from wellsourced.app.setup_options import SetupOptions, add_setup_options


@click.group(
    cls=TableGroup,
    path="setup",
    invoke_without_command=True,
    epilog="""
    \b
    Examples:
      wellsourced setup
      wellsourced setup --yes --model ollama:qwen3 --live pubmed --email name@example.org
      wellsourced setup --yes --model anthropic:claude-sonnet-5 --key-file anthropic=key.txt
      wellsourced setup show
    """,
)
@add_setup_options
@click.pass_context
def setup(ctx: click.Context, options: SetupOptions) -> None:
    """Interactive first-time setup: choose a model, sources, keys, a folder (--home) and public collections.

    Only what differs from the defaults is written to your wellsourced.toml. Run it again at any time. Other options,
    such as --set and --preset, hold for this run and are not written.
    """
    if not ctx.invoked_subcommand:
        # What asks and writes takes time to load, which a shell that asks for its completion should not wait for.
        from wellsourced.app.setup_walk import run_setup

        run_setup(ctx, options)
