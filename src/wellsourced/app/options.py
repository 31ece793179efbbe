"""Options that many commands have, and what is typed as KEY=VALUE."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, BinaryIO, Literal

import click

from wellsourced.app import messages

ReportFormat = Literal["text", "json", "html", "csv"]
"""Forms in which a check of a text is reported."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
ray_option = click.option(
    "--ray",
    metavar="ADDRESS",
    default="",
    help="Spread the work over Ray: `local` uses every processor of this machine, HOST:PORT a cluster.",
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")

SECTIONS = {
    **dict.fromkeys(("libraries", "live", "source", "since", "as_of", "exclude", "given"), "Sources"),
    **dict.fromkeys(("patient", "options", "population", "intervention", "comparison", "outcome"), "Question"),
    **dict.fromkeys(("questions", "scope", "judge", "analyse"), "Check"),
    **dict.fromkeys(("quotes", "receipt", "style", "references", "as_json", "limit", "by_work"), "Output"),
    **dict.fromkeys(("out", "form", "repair", "kinds"), "Output"),
}
"""Name of a parameter → the group of options in which help shows it."""


class SectionedCommand(click.Command):
    """A command of many options, which its help shows in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group; --help itself, which every command takes, needs no line."""
        for title in [*dict.fromkeys(SECTIONS.values()), "Other"]:
            options = (param for param in self.params if isinstance(param, click.Option))
            shown = [option for option in options if SECTIONS.get(option.name or "", "Other") == title]
            if rows := [record for option in shown if (record := option.get_help_record(ctx))]:
                with formatter.section(title):
                    formatter.write_dl(rows)


Command = Callable[..., Any]
OptionDecorator = Callable[[Command], Command]


def pack_options(name: str, into: Callable[..., object], options: Sequence[OptionDecorator]) -> OptionDecorator:
    """Return a decorator that gives a command these options, all in one argument of this name and class."""

    def add_options(command: Command) -> Command:
        @wraps(command)
        def call_packed(*args: Any, **typed: Any) -> Any:
            values = {field: typed.pop(field) for field in signature(into).parameters if field in typed}
            return command(*args, **typed, **{name: into(**values)})

        decorated: Command = call_packed
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return add_options


EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)

SHELL_HANDLES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""How a shell names what it has opened for us: somebody writes into it, so it comes to an end."""


class RegularFile(click.File):
    """Bytes of a file, or "-"; a pipe, device or socket that no shell has opened is bad use: it may never end."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The file, opened."""
        path = Path(str(value))
        if path.exists() and not path.is_file() and not path.is_dir() and not str(path).startswith(SHELL_HANDLES):
            self.fail(messages.NOT_A_REGULAR_FILE.format(name=value), param, ctx)
        return super().convert(value, param, ctx)


def read_bounded(file: BinaryIO, most: int) -> bytes:
    """The bytes of a file, or of standard input. Bad use for one that is empty, or has more than so many."""
    data, name = file.read(most + 1), "Standard input" if file is sys.stdin.buffer else file.name
    if len(data) > most:
        raise click.UsageError(messages.TEXT_TOO_LARGE.format(name=name, megabytes=most // 1_000_000))
    if not data.strip():
        raise click.UsageError(messages.TEXT_IS_EMPTY.format(name=name))
    return data


def parse_key_values(_: click.Context, __: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """KEY=VALUE pairs as a dict."""
    for pair in pairs:
        if "=" not in pair:
            raise click.BadParameter(
                messages.NOT_KEY_VALUE.format(typed=pair, form="KEY=VALUE", example="policy.statements=5")
            )
    return {key.strip(): value.strip() for key, _, value in (pair.partition("=") for pair in pairs)}


def _keep_in_meta(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[f"wellsourced.{param.name}"] = value


plain_option = click.option(
    "--plain",
    is_flag=True,
    expose_value=False,
    callback=_keep_in_meta,
    help="Print whole lines without colours or progress, for screen readers and grep.",
)
quiet_option = click.option(
    "--quiet", is_flag=True, expose_value=False, callback=_keep_in_meta, help="Print no progress and no hints."
)


def is_plain() -> bool:
    """Whether the command that runs was asked for lines as they are."""
    return _is_asked("plain")


def is_quiet() -> bool:
    """Whether the command that runs was asked for its result alone."""
    return _is_asked("quiet")


def _is_asked(name: str) -> bool:
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(f"wellsourced.{name}"))


def print_hint(text: str) -> None:
    """Print what else there is, or what comes next, unless nobody wants to be told."""
    if not is_quiet():
        click.echo(text)


preset_options = click.option(
    "--preset",
    "presets",
    metavar="NAME",
    multiple=True,
    help="A named group of settings; `wellsourced help presets` lists them.",
)
"""Of the whole program: the last one counts, but for what compares several."""

set_option = click.option(
    "--set",
    "pairs",
    metavar="KEY=VALUE",
    multiple=True,
    callback=parse_key_values,
    help="Change a setting, for example policy.statements=5; repeatable.",
)
