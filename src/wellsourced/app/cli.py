"""The command `wellsourced`: its options and its commands."""

import logging
import sys
from typing import get_args

import click

from wellsourced.app.command_group import LateCommand, ProgramGroup
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import plain_option, preset_options, quiet_option, set_option
from wellsourced.privacy import PhiPolicy

COMMANDS = {
    "ask": LateCommand("ask", "Answer a question from the sources."),
    "check": LateCommand("check", "Check whether a text's sources say what it says."),
    "recommend": LateCommand("ask", "Answer as a recommendation for one patient."),
    "explain": LateCommand("explain", "Explain a medical order in plain language."),
    "converse": LateCommand("converse", "Ask one question after another."),
    "serve": LateCommand("serve", "Answer in a browser and over HTTP, on this machine or with tokens."),
    "mcp": LateCommand("serve", "Be a server of tools for assistants (Model Context Protocol)."),
    "search": LateCommand("search", "Search all sources for a question, without an answer."),
    "query": LateCommand("search", "Show how a Boolean query is understood."),
    "library": LateCommand("library.group", "Build, search and look after your own libraries."),
    "source": LateCommand("source", "Look at one source, here or on the network."),
    "judges": LateCommand("judges", "Who can judge support, and what each has earned; install judges."),
    "presets": LateCommand("settings", "List the presets: settings that belong together."),
    "prompts": LateCommand("settings", "Print the instructions to language models, as a file to change them in."),
    "settings": LateCommand("settings", "Show every setting and where its value comes from."),
    "trust": LateCommand("settings", "Let all of a folder's wellsourced.toml count."),
    "setup": LateCommand("setup", "Answer a few questions once, and have your settings written."),
    "doctor": LateCommand("doctor", "Say what works here, what does not, and what to do about it."),
    "egress": LateCommand("egress", "Show which hosts were contacted."),
    "history": LateCommand("history", "Show, follow, stop, repeat, verify and delete what was asked here."),
    "completion": LateCommand("help", "Print the script by which bash, zsh or fish completes what is typed."),
    "help": LateCommand("help", "Explain a topic or a command: sources, libraries, verification, privacy …"),
}
"""What `wellsourced --help` lists: it is all that is known of a command before its module is imported."""

LABORATORY = {
    "checkup": "Judge stored checks again, have people judge them, break them down, exchange them.",
    "evaluate": "Measure how good the settings are.",
    "probe": "Make questions from pages, and variants of a question, to try an answerer with.",
}
"""What wellsourced-evaluate adds, where it is installed; its lines are here so that --help need not import it."""


@click.group(
    "wellsourced",
    cls=ProgramGroup,
    late_commands=COMMANDS,
    companions=LABORATORY,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      wellsourced setup
      wellsourced ask "How is an acute gout flare treated?"
      wellsourced library create notes --add ~/notes
      wellsourced ask --library notes --since 2015 "Does colchicine prevent flares?"
      wellsourced check answer-of-a-chatbot.md
      wellsourced ask --json "What is CHA2DS2-VASc?" > answer.json
      wellsourced doctor
      wellsourced help verification

    \b
    Exit status: 0 answered or done, 3 nothing found that answers, 4 a stored answer lost a source,
    5 a watched answer changed, 2 bad use, 1 failure, 130 stopped.
    """,
)
@click.version_option(package_name="wellsourced", prog_name="wellsourced")
@click.option("--home", metavar="DIR", help="Keep libraries in this folder (as WELLSOURCED_HOME does).")
@set_option
@preset_options
@click.option("--model", metavar="NAME", help="Who writes: openai:NAME, anthropic:NAME, ollama:NAME, local:FILE.gguf …")
@click.option("--assistant", metavar="NAME", help="Who judges and checks, if not the model that writes.")
@click.option(
    "--phi",
    type=click.Choice(get_args(PhiPolicy)),
    help="What becomes of identifiers of people in what leaves this machine [mask].",
)
@click.option("--show-masked", is_flag=True, help="Print all that goes to a model or a source elsewhere, as it goes.")
@click.option("--offline", is_flag=True, help="Let nothing leave this machine, whatever the settings say.")
@plain_option
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Log every step, and tracebacks, to stderr.")
@click.pass_context
def command_line(
    ctx: click.Context,
    home: str | None,
    pairs: dict[str, str],
    presets: tuple[str, ...],
    model: str | None,
    assistant: str | None,
    phi: str | None,
    show_masked: bool,
    offline: bool,
    verbose: bool,
) -> None:
    """Answer medical questions in the words of sources, with every statement shown in its place.

    The guidelines that come with wellsourced are searched first, then your own libraries, and what you name on the
    network. An answer that no source supports is not given.
    """
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
        "show_masked": show_masked,
        "network.offline": offline,
    }
    ctx.obj = {**pairs, **{name: value for name, value in named.items() if value}}
    # A shell that starts waits for it, and it asks nobody.
    if ctx.invoked_subcommand == "completion":
        return
    # Whoever reads --help never comes here.
    from wellsourced.app.progress import begin_session

    begin_session(ctx.invoked_subcommand)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    with exit_on_interrupt("stopped."):
        command_line(prog_name="wellsourced")
