"""The command `wellsourced`: its options, its commands, and what becomes of an error."""

import contextlib
import errno
import logging
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from itertools import islice
from typing import Any, get_args

import click

from wellsourced import config
from wellsourced.app.commands.ask import ask
from wellsourced.app.commands.check import check
from wellsourced.app.commands.checkup.group import checkup
from wellsourced.app.commands.converse import converse
from wellsourced.app.commands.doctor import doctor
from wellsourced.app.commands.egress import egress
from wellsourced.app.commands.evaluate import evaluate
from wellsourced.app.commands.explain import explain
from wellsourced.app.commands.judges import judges
from wellsourced.app.commands.library.group import library
from wellsourced.app.commands.probe import probe
from wellsourced.app.commands.query import query
from wellsourced.app.commands.recheck import recheck
from wellsourced.app.commands.recommend import recommend
from wellsourced.app.commands.search import search
from wellsourced.app.commands.settings import presets, prompts, settings, trust
from wellsourced.app.commands.source import source
from wellsourced.app.options import preset_option, set_option
from wellsourced.app.progress import DisclosurePrinter, exit_on_interrupt
from wellsourced.app.terminal import sanitize_line, sanitize_text
from wellsourced.errors import NotFoundError, QuestionError, SettingsError, WellsourcedError
from wellsourced.events import DISCLOSURE_LISTENER
from wellsourced.privacy import PhiPolicy

EXIT_FAILURE, EXIT_BAD_USE = 1, 2

USER_ERRORS = (QuestionError, SettingsError, NotFoundError)
"""What is wrong is something that the user said."""


class ErrorReportingGroup(click.Group):
    """A group whose errors end in one sentence on stderr and an exit status, never in a traceback unless asked for.

    Its own options may stand behind the command too: `wellsourced ask --preset lins "…"`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options of the whole program before the command, wherever they were typed."""
        return super().parse_args(ctx, move_options_first(args, self.params))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            # It may name a file, or repeat what stood in one.
            vars(error)["message"] = sanitize_text(error.message)
            raise
        except (click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            # A reader that stopped listening (`| head`) is no failure of ours; click ends quietly.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            if logging.getLogger("wellsourced").isEnabledFor(logging.DEBUG):
                traceback.print_exception(error)
            click.echo(f"wellsourced: {describe_error(error)}", err=True)
            ctx.exit(EXIT_BAD_USE if isinstance(error, USER_ERRORS) else EXIT_FAILURE)


def move_options_first(args: list[str], params: Sequence[click.Parameter]) -> list[str]:
    """The arguments with the long options of these parameters first; what stands behind “--” stays where it is."""
    values = {name: not one.is_flag for one in params if isinstance(one, click.Option) for name in one.opts}
    own: list[str] = []
    others: list[str] = []
    left = iter(args)
    for arg in left:
        if arg == "--":
            others += (arg, *left)
            break
        name, equals, _ = arg.partition("=")
        if not arg.startswith("--") or name not in values:
            others.append(arg)
            continue
        own.append(arg)
        if values[name] and not equals:
            own += list(islice(left, 1))
    return [*own, *others]


def describe_error(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, WellsourcedError):
        return sanitize_line(str(error))
    if isinstance(error, OSError):
        return sanitize_line(f"{error.filename or 'the output'}: {error.strerror or error}.")
    return sanitize_line(f"something unexpected went wrong ({type(error).__name__}: {error}). With -v it says where.")


@click.group(
    "wellsourced",
    cls=ErrorReportingGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      wellsourced ask "How is an acute gout flare treated?"
      wellsourced library create notes --add ~/notes
      wellsourced ask --library notes --since 2015 "Does colchicine prevent flares?"
      wellsourced check answer-of-a-chatbot.md
      wellsourced ask --json "What is CHA2DS2-VASc?" > answer.json
      wellsourced doctor

    \b
    Exit status: 0 answered or done, 3 nothing found that answers, 4 a stored answer lost a source,
    2 bad use, 1 failure, 130 stopped.
    """,
)
@click.version_option(version("wellsourced"), prog_name="wellsourced")
@click.option("--home", metavar="DIR", help="Keep libraries in this folder (as WELLSOURCED_HOME does).")
@set_option
@preset_option
@click.option("--model", metavar="NAME", help="Who writes: openai:NAME, anthropic:NAME, ollama:NAME, local:FILE.gguf …")
@click.option("--assistant", metavar="NAME", help="Who judges and checks, if not the model that writes.")
@click.option(
    "--phi",
    type=click.Choice(get_args(PhiPolicy)),
    help="What becomes of identifiers of people in what leaves this machine [mask].",
)
@click.option("--show-masked", is_flag=True, help="Print all that goes to a model or a source elsewhere, as it goes.")
@click.option("--offline", is_flag=True, help="Let nothing leave this machine, whatever the settings say.")
@click.option("-v", "--verbose", is_flag=True, help="Log every step, and tracebacks, to stderr.")
@click.pass_context
def command_line(
    ctx: click.Context,
    home: str | None,
    pairs: dict[str, str],
    preset: str | None,
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
        "preset": preset,
        "model": model,
        "assistant": assistant,
        "phi": phi,
        "show_masked": show_masked,
        "network.offline": offline,
    }
    DISCLOSURE_LISTENER.set(DisclosurePrinter())
    ctx.obj = {**pairs, **{name: value for name, value in named.items() if value}}
    if ctx.invoked_subcommand != trust.name:
        warn_ignored_settings()


def warn_ignored_settings() -> None:
    """Say once, on stderr, what of the working directory's file does not count; the warning of `load` is left out."""
    warnings.simplefilter("ignore", config.UntrustedSettings)
    # A file that cannot be read is told by the command, if it needs settings at all.
    with contextlib.suppress(SettingsError):
        folder = config.read_folder_file()
        if folder and folder.ignored:
            config.check_setting_names(folder.ignored)
            click.echo(f"wellsourced: {sanitize_line(folder.notice)}", err=True)


COMMANDS = (
    ask,
    check,
    checkup,
    recommend,
    explain,
    converse,
    search,
    query,
    library,
    source,
    evaluate,
    judges,
    probe,
    presets,
    prompts,
    settings,
    trust,
    doctor,
    egress,
    recheck,
)
for command in COMMANDS:
    command_line.add_command(command)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    with exit_on_interrupt("stopped."):
        command_line(prog_name="wellsourced")
