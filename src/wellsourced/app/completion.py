"""What a shell may offer for a word: libraries, presets, topics and runs, found without loading what reads them."""

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import click
from click.shell_completion import CompletionItem
from platformdirs import user_config_path, user_data_path

from wellsourced.app.command_table import Completer, build_command, read_table
from wellsourced.app.terminal import sanitize_line

MAX_RUNS = 50
"""Runs that are offered, the newest."""


def build_completable(path: str) -> click.Command | None:
    """A command by its path, or None for none: its words can be completed, and it cannot be run."""
    table = read_table()
    return build_command(path, table, COMPLETERS) if path in table else None


def find_home(ctx: click.Context) -> Path:
    """The home folder: as typed, from the environment, or from one's own file of settings; the others are not read."""
    typed = ctx.find_root().params.get("home")
    named = typed or click.Option(["--home"], envvar="WELLSOURCED_HOME").resolve_envvar_value(ctx)
    return Path(named or _read_home()).expanduser()


def _read_home() -> Path:
    try:
        settings = tomllib.loads(
            (user_config_path("wellsourced", appauthor=False) / "wellsourced.toml").read_text(encoding="utf-8")
        )
        return Path(settings["home"])
    except (OSError, ValueError, KeyError, TypeError):
        return user_data_path("wellsourced", appauthor=False)


def complete_libraries(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The libraries in the home folder, and what comes with wellsourced."""
    own = (path.parent.name for path in find_home(ctx).glob("libraries/*/catalogue.sqlite3"))
    return _list_items({"guidelines", "graph", *(name for name in own if name.isprintable())}, incomplete)


def complete_presets(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The presets."""
    return _list_items(_list_names("wellsourced.presets", "", ".toml"), incomplete)


def complete_topics(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What `wellsourced help` explains: topics and commands."""
    commands = (path for path in read_table() if " " not in path)
    return _list_items({*_list_names("wellsourced.app", "topics", ".md"), *commands}, incomplete)


def _list_names(package: str, folder: str, ending: str) -> list[str]:
    names = (one.name for one in files(package).joinpath(folder).iterdir())
    return [name.removesuffix(ending) for name in names if name.endswith(ending)]


def _list_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def complete_runs(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The newest runs, with their questions where the shell shows such."""
    from wellsourced.run_table import FILE_NAME, list_run_lines

    return [
        CompletionItem(one.id, help=sanitize_line(one.question))
        for one in list_run_lines(find_home(ctx) / FILE_NAME, MAX_RUNS)
        if one.id.startswith(incomplete.lower()) and not one.is_deleted
    ]


COMPLETERS: dict[tuple[str, str], Completer] = {
    ("", "libraries"): complete_libraries,
    ("library", "name"): complete_libraries,
    ("presets", "name"): complete_presets,
    ("runs", "id"): complete_runs,
    ("runs", "ids"): complete_runs,
    ("help", "words"): complete_topics,
}
"""(Path of a command, its first word, or "" for any; name of a parameter) → who knows its values."""
