"""`wellsourced completion`: the script by which a shell completes commands, options and names."""

from typing import Literal, get_args

import click
from click.shell_completion import get_completion_class

Shell = Literal["bash", "zsh", "fish"]

VARIABLE = "_WELLSOURCED_COMPLETE"
"""The environment variable by which the script asks the program, as click names it."""


@click.command(
    epilog="""
    \b
    To have it always, write into the file that the shell reads first:
      ~/.bashrc                    eval "$(wellsourced completion bash)"
      ~/.zshrc                     eval "$(wellsourced completion zsh)"     (after compinit)
      ~/.config/fish/config.fish   wellsourced completion fish | source
    """,
)
@click.argument("shell", type=click.Choice(get_args(Shell)))
@click.pass_context
def completion(ctx: click.Context, shell: Shell) -> None:
    """Print the script by which SHELL completes commands, options, and the names of libraries, presets and runs.

    Bash has to be 4.4 or newer.
    """
    program = ctx.find_root()
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"Nothing is known of the shell {shell}.")
    click.echo(made(program.command, {}, program.info_name or "wellsourced", VARIABLE).source())
