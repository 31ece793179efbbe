"""`wellsourced prompts`: the instructions that language models are given, as a file to change them from."""

import click

from wellsourced.app.terminal import print_utf8, format_table
from wellsourced.prompts.words import list_prompts, render_instructions


@click.command(
    short_help="Print the instructions to language models, as a file to change them in.",
    epilog="""
    \b
    Examples:
      wellsourced prompts > prompts.toml
      wellsourced --set prompts=prompts.toml ask --model ollama:qwen3 "How is gout treated?"
      wellsourced prompts --list
    """,
)
@click.option("--list", "listed", is_flag=True, help="Only name the prompts, with the first sentence of each.")
def prompts(listed: bool) -> None:
    """Print every instruction that a language model is given, as TOML. Change the words, delete what stays as it is,
    and name the file in the setting `prompts`. What a prompt is shown and what it replies stay as they are.
    """
    if not listed:
        print_utf8(render_instructions(), end="")
        return
    rows = [(name, prompt.instruction().partition("\n\n")[0]) for name, prompt in sorted(list_prompts().items())]
    click.echo(format_table([(name, " ".join(first.split())) for name, first in rows], ("prompt", "what it asks")), nl=False)
