"""What a shell offers for a word: libraries, presets, topics and runs, found without loading what reads them."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from platformdirs import user_config_path, user_data_path

from wellsourced.text.sanitization import sanitize_line

MAX_RUNS = 50
"""The newest runs, which are offered."""

# Made from the commands (`make commands`), and tests/app/commands/test_completion.py fails where it is not as they are:
# loading them takes a second, which nobody waits for who presses the tab key.
FILE_NAME = "command_table.json"

Row = dict[str, Any]
Completer = Callable[[click.Context, click.Parameter, str], list[Any]]
Completers = Mapping[tuple[str, str], Completer]


def read_table() -> dict[str, Row]:
    """Path of every command ("library add") → what is known of it."""
    table: dict[str, Row] = json.loads(files("wellsourced.app").joinpath(FILE_NAME).read_text(encoding="utf-8"))
    return table


def describe_commands(group: click.Group, path: str = "") -> dict[str, Row]:
    """Return the table of a group's commands, and of those below them."""
    table: dict[str, Row] = {}
    ctx = click.Context(group)
    for name in sorted(list_own_commands(group, ctx)):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            its_path = f"{path} {name}".strip()
            is_group = isinstance(command, click.Group)
            params = [_describe_parameter(param) for param in command.params if not getattr(param, "hidden", False)]
            table[its_path] = {"help": command.get_short_help_str(80), "group": is_group, "params": params}
            if isinstance(command, click.Group):
                table |= describe_commands(command, its_path)
    return table


def list_own_commands(group: click.Group, ctx: click.Context) -> list[str]:
    """The names of the commands that come with wellsourced: what others add differs from machine to machine."""
    own: Callable[[], list[str]] | None = getattr(group, "list_own_commands", None)
    return own() if own else group.list_commands(ctx)


def write_table(table: Mapping[str, Row]) -> str:
    """The table as text, a command a line, so that two changes of it seldom meet."""
    rows = (f"{json.dumps(path)}: {json.dumps(row, ensure_ascii=False)}" for path, row in sorted(table.items()))
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _describe_parameter(param: click.Parameter) -> Row:
    is_option = isinstance(param, click.Option)
    spellings = ["/".join((*param.opts[:1], *param.secondary_opts[:1])), *param.opts[1:]] if is_option else []
    row = {
        "name": param.name,
        "spellings": spellings,
        "flag": isinstance(param, click.Option) and param.is_flag,
        "several": param.nargs == -1 or bool(getattr(param, "multiple", False)),
        "choices": [str(one) for one in param.type.choices] if isinstance(param.type, click.Choice) else [],
        "file": isinstance(param.type, click.Path | click.File),
        "help": (param.help or "").partition(". ")[0] if isinstance(param, click.Option) else "",
    }
    return {name: value for name, value in row.items() if value}


def build_command(path: str, table: Mapping[str, Row], completers: Completers) -> click.Command:
    """A command that can be completed and not run.

    completers   (path of a command, its first word, or "" for any; name of a parameter) → who knows its values
    """
    row, name = table[path], path.rpartition(" ")[2]
    params = [_build_parameter(one, path, completers) for one in row["params"]]
    if not row["group"]:
        return click.Command(name, params=params, short_help=row["help"])
    below = [one for one in table if one.rpartition(" ")[0] == path]
    commands = [build_command(one, table, completers) for one in below]
    return click.Group(name, params=params, commands=commands, short_help=row["help"])


def _build_parameter(row: Row, path: str, completers: Completers) -> click.Parameter:
    # The most particular place first: an id of `history` is no id of `library`.
    places = (path, path.partition(" ")[0], "")
    completer = next((completers[place, row["name"]] for place in places if (place, row["name"]) in completers), None)
    several, its_type = "several" in row, _build_type(row)
    if "spellings" not in row:
        count = -1 if several else 1
        return click.Argument([row["name"]], type=its_type, nargs=count, required=False, shell_complete=completer)
    value: dict[str, Any] = {"is_flag": True} if "flag" in row else {"type": its_type}
    names = [row["name"], *row["spellings"]]
    return click.Option(names, multiple=several, help=row.get("help"), shell_complete=completer, **value)


def _build_type(row: Row) -> click.ParamType[Any]:
    if "choices" in row:
        return click.Choice(row["choices"])
    return click.Path() if "file" in row else click.STRING


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


def complete_topics(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What `wellsourced help` explains: topics and commands; after `presets`, the presets."""
    if "presets" in (ctx.params.get("words") or ()):
        return complete_presets(ctx, _, incomplete)
    commands = (path for path in read_table() if " " not in path)
    return _list_items({*_list_names("wellsourced.app", "topics", ".md"), *commands}, incomplete)


def _list_names(package: str, folder: str, ending: str) -> list[str]:
    names = (one.name for one in files(package).joinpath(folder).iterdir())
    return [name.removesuffix(ending) for name in names if name.endswith(ending)]


def _list_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def complete_runs(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The newest runs, with their questions where the shell shows such."""
    from wellsourced.runs.table import FILE_NAME, list_run_lines

    return [
        CompletionItem(one.short_id, help=sanitize_line(one.title))
        for one in list_run_lines(find_home(ctx) / FILE_NAME, MAX_RUNS)
        if one.short_id.startswith(incomplete.lower()) and not one.is_deleted
    ]


COMPLETERS: dict[tuple[str, str], Completer] = {
    ("", "libraries"): complete_libraries,
    ("library", "name"): complete_libraries,
    ("history", "id"): complete_runs,
    ("history", "ids"): complete_runs,
    ("history", "answer"): complete_runs,
    ("open", "id"): complete_runs,
    ("", "source"): complete_libraries,
    ("help", "words"): complete_topics,
}
"""(Path of a command, its first word, or "" for any; name of a parameter) → who knows its values."""
