"""`wellsourced setup completion`: the script by which a shell completes what is typed. It loads next to nothing."""

from typing import Literal, get_args

import click
from click.shell_completion import ShellComplete, get_completion_class

Shell = Literal["bash", "zsh", "fish"]

COMPLETION_VARIABLE = "_WELLSOURCED_COMPLETE"
"""The environment variable by which a shell's script asks the program, as click names it."""


@click.command(
    epilog="""
    \b
    To keep it, write into the file that the shell reads first:
      ~/.bashrc                    eval "$(wellsourced setup completion bash)"
      ~/.zshrc                     eval "$(wellsourced setup completion zsh)"     (after compinit)
      ~/.config/fish/config.fish   wellsourced setup completion fish | source
    """
)
@click.argument("shell", type=click.Choice(get_args(Shell)))
@click.pass_context
def completion(ctx: click.Context, shell: Shell) -> None:
    """Print the script by which SHELL completes commands, options, and names of libraries, presets and runs.

    Bash 4.4 or newer is needed.
    """
    program = ctx.find_root()
    script = get_completion_class(shell)
    # click knows the three shells that can be typed.
    assert script is not None  # noqa: S101
    asked = script(program.command, {}, program.info_name or "wellsourced", COMPLETION_VARIABLE)
    # Bash's own would start bash to ask for its version, and that looks up who the user is.
    click.echo(ShellComplete.source(asked))
