"""The group of all commands: a command's module is imported when the command is, and errors end in one sentence."""

import errno
import logging
import traceback
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import click

from wellsourced.app.exits import describe_error, find_exit_status
from wellsourced.app.extensible_group import ExtensibleGroup
from wellsourced.late import load_name
from wellsourced.text.sanitization import sanitize_text


class LateCommand(NamedTuple):
    """A command that nobody has asked for yet.

    module    where it is, in app/commands and under its own name: "ask", "library.group"
    summary   its line in the list of commands
    """

    module: str
    summary: str


class ProgramGroup(ExtensibleGroup):
    """The commands of a program: each is imported when it is named, and all are listed without.

    Errors end in one sentence on stderr and an exit status, never in a traceback unless asked for. The group's own
    options may stand behind the command too: `wellsourced ask --preset lins "…"`.

    late_commands   name → what is known of the command
    """

    def __init__(self, *args: Any, late_commands: Mapping[str, LateCommand] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._late_commands = dict(late_commands or {})

    def list_own_commands(self) -> set[str]:
        """The names of the commands that come with wellsourced."""
        return {*self.commands, *self._late_commands}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported if it was not yet; None if there is none.

        For a shell that completes words, one that cannot be run: nobody waits a second for the tab key.
        """
        if ctx.resilient_parsing and cmd_name in self._late_commands:
            from wellsourced.app.completion import build_completable

            return build_completable(cmd_name)
        if cmd_name in self._late_commands and cmd_name not in self.commands:
            module, summary = self._late_commands[cmd_name]
            command: click.Command = load_name(f"wellsourced.app.commands.{module}", cmd_name)
            command.short_help = summary
            self.add_command(command)
        return super().get_command(ctx, cmd_name)

    def summarize_commands(self) -> list[tuple[str, str]]:
        """Name and line of every command, sorted, from what is known of them; only others' are imported for it."""
        late = {name: command.summary for name, command in self._late_commands.items()}
        return sorted((dict(super().summarize_commands()) | late).items())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options of the whole program before the command, wherever they were typed."""
        return super().parse_args(ctx, move_options_first(args, self.params))

    def invoke(self, ctx: click.Context) -> Any:
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
            ctx.exit(find_exit_status(error))


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
