"""The command `wellsourced`: its options, and its page of help. Its commands are in command_table.py."""

import logging
import sys
from typing import get_args

import click

from wellsourced.app.command_group import ProgramGroup
from wellsourced.app.command_table import LABORATORY
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import plain_option, preset_options, quiet_option, set_option
from wellsourced.privacy import PhiPolicy

EXAMPLES = """\
Examples:
  wellsourced ask "How is an acute gout flare treated?"
  wellsourced library create notes --add ~/notes
  wellsourced check answer-of-a-chatbot.md
Every command takes -h, and the options in `wellsourced help options`."""


@click.group(
    "wellsourced",
    cls=ProgramGroup,
    plugins="",
    companions=LABORATORY,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
    help="Medical answers you can check: each sentence has the exact words behind it.",
)
@click.version_option(package_name="wellsourced", prog_name="wellsourced")
@click.option("--home", metavar="DIR", help="Folder of libraries, settings and history (or WELLSOURCED_HOME).")
@set_option
@preset_options
@click.option("--model", metavar="NAME", help="Language model that writes: openai:NAME, ollama:NAME, llamacpp:NAME …")
@click.option("--assistant", metavar="NAME", hidden=True, help="Who judges and checks, if not the model that writes.")
@click.option(
    "--phi", type=click.Choice(get_args(PhiPolicy)), help="How to treat personal identifiers in outgoing data [mask]."
)
@click.option("--offline", is_flag=True, help="Send nothing, whatever the settings say.")
@plain_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Log each step and traceback to stderr.")
@click.pass_context
def command_line(
    ctx: click.Context,
    home: str | None,
    pairs: dict[str, str],
    presets: tuple[str, ...],
    model: str | None,
    assistant: str | None,
    phi: str | None,
    offline: bool,
    verbose: bool,
) -> None:
    """Take the options of the whole program, and begin a session."""
    if verbose:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    # Set either way: in a process that runs several commands, one must not inherit the other's noise.
    logging.getLogger("wellsourced").setLevel(logging.DEBUG if verbose else logging.NOTSET)
    named = {
        "home": home,
        "preset": presets[-1] if presets else None,
        "model": model,
        "assistant": assistant,
        "phi": phi,
        "network.offline": offline,
    }
    ctx.obj = {**pairs, **{name: value for name, value in named.items() if value}}
    # Whoever reads --help never comes here.
    from wellsourced.app.progress import begin_session

    begin_session(ctx.invoked_subcommand)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    with exit_on_interrupt():
        command_line(prog_name="wellsourced")
