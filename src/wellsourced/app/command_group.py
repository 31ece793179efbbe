"""Groups of commands: those of the table are imported when they are named, those of other distributions found by entry
points, misspelt ones guessed; and errors end in one sentence.
"""

import errno
import logging
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import click

from wellsourced.app import messages
from wellsourced.app.command_table import TABLE, list_below
from wellsourced.app.exits import describe_error, find_exit_code
from wellsourced.errors import SettingsError
from wellsourced.lazy import load_name
from wellsourced.plugins import Plugin, find_plugins
from wellsourced.text.sanitization import sanitize_text

MIN_WIDTH = 70
"""Columns of a terminal on which the page of help has its topics in a column."""


@cache
def read_examples() -> dict[str, str]:
    """Path of a command → what its help ends with, line by line as it is written."""
    text = files("wellsourced.app").joinpath("examples.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {path: "\b\n" + lines.strip().replace("\n\n", "\n\n\b\n") for path, _, lines in parts}


class TableGroup(click.Group):
    """A group whose commands stand in the table, and to which other distributions add theirs (`wellsourced.commands`).

    path         of the group: "library"; "" is the program
    plugins      before the names of what is added: "judges."; None: nothing can be added
    companions   commands that a distribution of ours adds → their lines; it says how to install them
    """

    def __init__(
        self,
        *args: Any,
        path: str = "",
        plugins: str | None = None,
        companions: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._rows = list_below(path)
        self._plugins = plugins
        self._companions = dict(companions or {})

    def list_own_commands(self) -> list[str]:
        """The names of the commands that come with wellsourced, as the table orders them."""
        return list(dict.fromkeys((*self._rows, *self.commands)))

    def find_plugins(self) -> dict[str, Plugin]:
        """The commands that others add to this group, by their names in it; none of them is imported."""
        if (prefix := self._plugins) is None:
            return {}
        found = find_plugins("command", [f"{prefix}{name}" for name in self.list_own_commands()]).plugins
        names = {name.removeprefix(prefix): plugin for name, plugin in found.items() if name.startswith(prefix)}
        return {name: plugin for name, plugin in names.items() if "." not in name}

    def list_commands(self, _: click.Context) -> list[str]:
        return [*self.list_own_commands(), *sorted(self.find_plugins())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, imported if it was not yet; None if there is none.

        Raises SettingsError for a plugin that cannot be imported.
        """
        if (row := self._rows.get(cmd_name)) and cmd_name not in self.commands:
            command: click.Command = load_name(f"wellsourced.app.commands.{row.module}", row.name)
            command.short_help = row.summary
            command.epilog = read_examples().get(row.path)
            self.add_command(command, cmd_name)
        if command_here := self.commands.get(cmd_name):
            return command_here
        if (plugin := self.find_plugins().get(cmd_name)) is None:
            return None
        try:
            command = _load_command(plugin)
        except SettingsError:
            # A shell that completes words shows no errors.
            if ctx.resilient_parsing:
                return None
            raise
        command.short_help = self._companions.get(cmd_name) or command.short_help or command.get_short_help_str(80)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word.

        Raises UsageError, with near names, for one that does not exist; SettingsError for one that can be installed.
        """
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            if args[0] in self._companions:
                command = f"{ctx.command_path} {args[0]}"
                raise SettingsError(messages.OTHER_DISTRIBUTION.format(command=command))
            below = ctx.command_path.partition(" ")[2]
            near = guess_command(args[0], self.list_commands(ctx), below)
            raise click.UsageError(messages.unknown_name(f"command “{args[0]}”", near, f"{ctx.command_path} --help"))
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.summarize_commands())

    def summarize_commands(self) -> list[tuple[str, str]]:
        """Name and line of every command, from what is known of them; only others' are imported for it."""
        own = {name: row.summary for name, row in self._rows.items()}
        own |= {name: each.get_short_help_str(80) for name, each in self.commands.items() if name not in own}
        added = {
            name: self._companions.get(name) or _summarize_plugin(plugin)
            for name, plugin in sorted(self.find_plugins().items())
        }
        return [*own.items(), *added.items()]


def _load_command(plugin: Plugin) -> click.Command:
    """Import a command. Raises SettingsError for what cannot be imported, and for what is no command."""
    command = plugin.load()
    if not isinstance(command, click.Command):
        raise SettingsError(messages.NOT_A_COMMAND.format(title=plugin.title))
    return command


def _summarize_plugin(plugin: Plugin) -> str:
    try:
        return _load_command(plugin).get_short_help_str(80)
    except SettingsError as error:
        return sanitize_text(str(error))


def guess_command(typed: str, known: Iterable[str], below: str = "") -> list[str]:
    """The paths of commands that a misspelt word may mean: of its group first, else of any."""
    # Only who mistypes waits for it.
    from difflib import get_close_matches

    names = {name: f"{below} {name}".strip() for name in known}
    if not (near := get_close_matches(typed.casefold(), names, n=2)):
        names = {row.path.rpartition(" ")[2]: row.path for row in TABLE}
        near = get_close_matches(typed.casefold(), names, n=2)
    return [names[name] for name in near]


class ProgramGroup(TableGroup):
    """The program: its options may follow the command, and errors end in one sentence.

    An error ends on stderr with an exit code, and in a traceback only if asked for.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options of the program before the command, wherever they were typed."""
        own, words = split_options(args, self.params)
        return super().parse_args(ctx, [*own, *words])

    def invoke(self, ctx: click.Context) -> Any:
        with self._report_errors():
            return super().invoke(ctx)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with self._report_errors():
            return super().make_context(*args, **options)

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        try:
            yield
        except (click.Abort, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
            raise
        except Exception as error:
            # A reader that stopped listening (`| head`) is no failure of ours; click ends quietly.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            if logging.getLogger("wellsourced").isEnabledFor(logging.DEBUG):
                traceback.print_exception(error)
            says = self._explain_option(error) if isinstance(error, click.NoSuchOption) else describe_error(error)
            click.echo(f"wellsourced: {says}", err=True)
            raise click.exceptions.Exit(find_exit_code(error)) from error

    def _explain_option(self, error: click.NoSuchOption) -> str:
        """An unknown option, with those that are near: the command's, and the program's, which it takes too."""
        from difflib import get_close_matches

        params = (*(error.ctx.command.params if error.ctx else ()), *self.params)
        known = [
            name for param in params if isinstance(param, click.Option) and not param.hidden for name in param.opts
        ]
        near = get_close_matches(error.option_name, known, n=2)
        return messages.unknown_name(f"option {sanitize_text(error.option_name)}", near)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the page that a new user sees: on one screen, every command under its topic."""
        self.format_usage(ctx, formatter)
        formatter.write(f"\n  {self.help}\n\n")
        commands = self.summarize_commands()
        if formatter.width < MIN_WIDTH:
            formatter.write_dl(commands)
        topic = ""
        for name, summary in commands if formatter.width >= MIN_WIDTH else ():
            before, topic = topic, self._rows[name].topic if name in self._rows else "More"
            formatter.write(f"  {'' if topic == before else topic:<7} {name:<9} {summary}\n")
        formatter.write("\n")
        self.format_epilog(ctx, formatter)

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"{self.epilog}\n")


def split_options(args: Sequence[str], params: Sequence[click.Parameter]) -> tuple[list[str], list[str]]:
    """Take the long options of these parameters out of the arguments; what follows “--” stays where it is.

    Returns them, and the other arguments.
    """
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
    return own, others
