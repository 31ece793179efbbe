"""`wellsourced setup completion`, and what a shell offers for a word. It loads next to nothing."""

import json
import tomllib
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class
from platformdirs import user_config_path, user_data_path

from wellsourced.text.sanitization import sanitize_line

Shell = Literal["bash", "zsh", "fish"]

COMPLETION_VARIABLE = "_WELLSOURCED_COMPLETE"
"""The environment variable by which a shell's script asks the program, as click names it."""

MAX_RUNS = 50
"""The newest runs, which are offered."""

# Made from the commands (`make commands`), and tests/app/commands/test_completion.py fails where it differs from them:
# loading them takes a second, and completion should not be noticed.
FILE_NAME = "command_table.json"

Row = dict[str, Any]
Completer = Callable[[click.Context, click.Parameter, str], list[Any]]


@click.command
@click.argument("shell", type=click.Choice(get_args(Shell)))
@click.pass_context
def completion(ctx: click.Context, shell: Shell) -> None:
    """Print the script by which SHELL completes commands, options, and names of libraries, presets and runs.

    It needs Bash 4.4 or newer.
    """
    program = ctx.find_root()
    script = get_completion_class(shell)
    # click knows the three shells that can be typed.
    assert script is not None  # noqa: S101
    asked = script(program.command, {}, program.info_name or "wellsourced", COMPLETION_VARIABLE)
    # Bash's own would start bash to ask for its version, and that looks up who the user is.
    click.echo(ShellComplete.source(asked))


# --- the commands, as a table --------------------------------------------------------------------------------------


def read_table() -> dict[str, Row]:
    """Return the path of every command ("library add") → what is known of it."""
    table: dict[str, Row] = json.loads(files("wellsourced.app").joinpath(FILE_NAME).read_text(encoding="utf-8"))
    return table


def build_completable(path: str) -> click.Command | None:
    """Return a command by its path, or None for none: its words can be completed, and it cannot be run."""
    table = read_table()
    if path not in table:
        return None
    row, name = table[path], path.rpartition(" ")[2]
    params = [_build_parameter(param, path) for param in row["params"]]
    if not row["group"]:
        return click.Command(name, params=params, short_help=row["help"])
    below = [build_completable(other) for other in table if other.rpartition(" ")[0] == path]
    return click.Group(name, params=params, commands=[one for one in below if one], short_help=row["help"])


def _build_parameter(row: Row, path: str) -> click.Parameter:
    # The most particular place first: an id of `history` is no id of `library`.
    places = ((place, row["name"]) for place in (path.partition(" ")[0], ""))
    completer = next((COMPLETERS[place] for place in places if place in COMPLETERS), None)
    several = "several" in row
    its_type: click.ParamType[Any] = click.Path() if "file" in row else click.STRING
    if "choices" in row:
        its_type = click.Choice(row["choices"])
    if "spellings" not in row:
        count = -1 if several else 1
        return click.Argument([row["name"]], type=its_type, nargs=count, required=False, shell_complete=completer)
    value: dict[str, Any] = {"is_flag": True} if "flag" in row else {"type": its_type}
    names = [row["name"], *row["spellings"]]
    return click.Option(names, multiple=several, help=row.get("help"), shell_complete=completer, **value)


# --- what is offered -----------------------------------------------------------------------------------------------


def find_home(ctx: click.Context) -> Path:
    """Return the home folder: as typed, from the environment, or from your own settings; other files are not read."""
    typed = ctx.find_root().params.get("home")
    named = typed or click.Option(["--home"], envvar="WELLSOURCED_HOME").resolve_envvar_value(ctx)
    return Path(named or _read_home()).expanduser()


def _read_home() -> Path:
    path = user_config_path("wellsourced", appauthor=False) / "wellsourced.toml"
    try:
        return Path(tomllib.loads(path.read_text(encoding="utf-8"))["home"])
    except (OSError, ValueError, KeyError, TypeError):
        return user_data_path("wellsourced", appauthor=False)


def complete_libraries(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the libraries in the home folder, and what comes with wellsourced."""
    own = (path.parent.name for path in find_home(ctx).glob("libraries/*/catalogue.*"))
    return _list_items({"guidelines", "graph", *(name for name in own if name.isprintable())}, incomplete)


def complete_presets(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the presets."""
    return _list_items(_list_names("wellsourced.presets", "", ".toml"), incomplete)


def complete_topics(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what `wellsourced help` explains: topics and commands; after `presets`, the presets."""
    if "presets" in (ctx.params.get("words") or ()):
        return complete_presets(ctx, _, incomplete)
    commands = (path for path in read_table() if " " not in path)
    return _list_items({*_list_names("wellsourced.app", "topics", ".md"), *commands}, incomplete)


def _list_names(package: str, folder: str, ending: str) -> list[str]:
    names = (file.name for file in files(package).joinpath(folder).iterdir())
    return [name.removesuffix(ending) for name in names if name.endswith(ending)]


def _list_items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def complete_runs(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the newest runs, with their questions where the shell shows such."""
    from wellsourced.runs.table import open_run_tables

    return [
        CompletionItem(run.short_id, help=sanitize_line(run.title))
        for run in open_run_tables(find_home(ctx)).list_lines(MAX_RUNS)
        if run.short_id.startswith(incomplete.lower()) and not run.is_deleted
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
"""(First word of a command, or "" for any; name of a parameter) → what knows its values."""
