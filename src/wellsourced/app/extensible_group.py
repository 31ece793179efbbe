"""A group of commands to which other distributions add theirs."""

from collections.abc import Mapping
from typing import Any

import click

from wellsourced.errors import SettingsError
from wellsourced.plugins import Plugin, find_plugins
from wellsourced.text.sanitization import sanitize_text


class ExtensibleGroup(click.Group):
    """A group to which other distributions add commands, by entry points `wellsourced.commands`.

    prefix      before the names of what is added: "judges." of the group `judges`, "" of the program
    companions  commands that a distribution of ours adds → their lines in the list; it says how to install them
    """

    def __init__(
        self, *args: Any, prefix: str = "", companions: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._prefix = prefix
        self._companions = dict(companions or {})

    def list_own_commands(self) -> set[str]:
        """The names of the commands that come with wellsourced."""
        return set(self.commands)

    def find_plugins(self) -> dict[str, Plugin]:
        """The commands that others add to this group, by their names in it; none of them is imported."""
        found = find_plugins("command", [f"{self._prefix}{name}" for name in self.list_own_commands()]).plugins
        names = {name.removeprefix(self._prefix): one for name, one in found.items() if name.startswith(self._prefix)}
        return {name: one for name, one in names.items() if "." not in name}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *self.list_own_commands(), *self.find_plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; of one that a plugin adds, imported. Raises SettingsError for a broken plugin."""
        if cmd_name in self.list_own_commands():
            return super().get_command(ctx, cmd_name)
        plugin = self.find_plugins().get(cmd_name)
        if plugin is None:
            return self._build_missing_companion(cmd_name)
        try:
            command = _load_command(plugin)
        except SettingsError:
            # A shell that completes words shows no errors.
            if ctx.resilient_parsing:
                return None
            raise
        command.short_help = self._companions.get(plugin.name) or command.short_help or command.get_short_help_str(80)
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.summarize_commands())

    def summarize_commands(self) -> list[tuple[str, str]]:
        """Name and line of every command, sorted, from what is known of them; only others' are imported for it."""
        own = {name: command.get_short_help_str(80) for name, command in self.commands.items() if not command.hidden}
        added = {
            name: self._companions.get(f"{self._prefix}{name}") or _summarize_plugin(plugin)
            for name, plugin in self.find_plugins().items()
        }
        return sorted((added | own).items())

    def _build_missing_companion(self, name: str) -> click.Command | None:
        if f"{self._prefix}{name}" not in self._companions:
            return None

        @click.pass_context
        def refuse(ctx: click.Context, /, **_: Any) -> None:
            raise SettingsError(f"`{ctx.command_path}` is in another distribution: pip install wellsourced-evaluate.")

        rest = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
        settings = {"ignore_unknown_options": True}
        return click.Command(name, callback=refuse, params=[rest], context_settings=settings, add_help_option=False)


def _load_command(plugin: Plugin) -> click.Command:
    """Import a command. Raises SettingsError for what cannot be imported, and for what is no command."""
    command = plugin.load()
    if not isinstance(command, click.Command):
        raise SettingsError(f"{plugin.title} is no command.")
    return command


def _summarize_plugin(plugin: Plugin) -> str:
    try:
        return _load_command(plugin).get_short_help_str(80)
    except SettingsError as error:
        return sanitize_text(str(error))
