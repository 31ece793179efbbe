"""`wellsourced settings`, `presets`, `prompts`, `trust`: what is set, what may be set, and whose files count."""

import json
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_table, print_utf8
from wellsourced.config.loader import format_value
from wellsourced.config.settings_files import flatten_tables
from wellsourced.config.trust import read_settings_file, read_trusted_folders, trust_file, withdraw_trust
from wellsourced.errors import NotFoundError, SettingsError
from wellsourced.presentation.wording import format_count
from wellsourced.prompts.instructions import list_prompts, render_instructions
from wellsourced.text.sanitization import sanitize_line
from wellsourced.text.urls import hide_secrets


@click.command()
@json_option
@click.pass_obj
def settings(flags: dict[str, Any], as_json: bool) -> None:
    """Show every setting, its value, where that comes from, and what it means.

    A setting is changed in wellsourced.toml (in your configuration folder, then in the working directory), by an
    environment variable (WELLSOURCED_POLICY__PASSAGES=20), or by a flag (--set policy.passages=20); the last counts.
    What the working directory's file says of addresses, keys, models and the like counts only when you trust it:
    `wellsourced trust`. Until then it is shown as ignored.
    """
    rows = config.explain_settings(flags)
    if as_json:
        print_data([row._asdict() for row in rows])
        return
    places = [f"{row.place} (ignored: {row.ignored})" if row.ignored else row.place for row in rows]
    cells = [
        (row.name, format_value(row.name, row.value), place, row.meaning)
        for row, place in zip(rows, places, strict=True)
    ]
    print_table(cells, ("setting", "value", "from", "meaning"))


@click.command()
@click.argument("name", required=False)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets, or show what the preset NAME sets.

    A preset is chosen by `wellsourced --preset NAME ask …`, or by `preset = "NAME"` in wellsourced.toml. What else is
    set in the same place or a stronger one counts more than what the preset says.
    """
    chosen = [config.find_preset(name)] if name else config.list_presets()
    if as_json:
        print_data([one._asdict() for one in chosen])
    elif name:
        click.echo(chosen[0].about)
        rows = [(setting, json.dumps(value)) for setting, value in flatten_tables(chosen[0].settings)]
        print_table(rows, ("setting", "value"))
    else:
        print_table([(one.name, one.about) for one in chosen], ("preset", "what it is for"))


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced prompts > prompts.toml
      wellsourced --set prompts=prompts.toml ask --model ollama:qwen3 "How is gout treated?"
      wellsourced prompts --list
    """
)
@click.option("--list", "listed", is_flag=True, help="Only name the prompts, with the first sentence of each.")
def prompts(listed: bool) -> None:
    """Print every instruction that a language model is given, as TOML. Change the words, delete what stays as it is,
    and name the file in the setting `prompts`. What a prompt is shown and what it replies stay as they are.
    """
    if not listed:
        print_utf8(render_instructions(), end="")
        return
    rows = [(name, prompt.instruction().partition("\n\n")[0]) for name, prompt in sorted(list_prompts().items())]
    print_table([(name, " ".join(first.split())) for name, first in rows], ("prompt", "what it asks"))


FOLDER_PATH = click.Path(file_okay=False, path_type=Path)


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced trust
      wellsourced trust ~/projects/gout
      wellsourced trust --list
      wellsourced trust --remove ~/projects/gout
    """
)
@click.argument("folder", type=FOLDER_PATH, default=".")
@click.option("--list", "listing", is_flag=True, help="List the folders that are trusted.")
@click.option("--remove", is_flag=True, help="Trust FOLDER no longer.")
def trust(folder: Path, listing: bool, remove: bool) -> None:
    """Trust the wellsourced.toml of FOLDER [the working directory], as it is now.

    A file that is not trusted may say how questions are answered. Where words and keys go, who sees them, what it may
    cost and what is loaded from the disk count only from your own configuration, the environment and flags, or from
    a file that you trust. A file that changes has to be trusted again.
    """
    if listing:
        print_folders()
    elif remove:
        told = "is not trusted any more" if withdraw_trust(folder) else "was not trusted"
        click.echo(f"{sanitize_line(str(folder.resolve()))} {told}.")
    else:
        found = config.read_folder_file(folder)
        if found is None:
            raise NotFoundError(f"There is no {config.SETTINGS_FILE} in {folder.resolve()} that could be trusted.")
        given = {**found.effective, **found.ignored}
        config.check_setting_names(given)
        trust_file(found.file)
        click.echo(
            f"Trusted is {sanitize_line(str(found.file.path.resolve()))}, as it is now, with "
            f"{format_count(len(given), 'setting')}:"
        )
        rows = [(name, format_setting(name, one.value)) for name, one in given.items()]
        print_table(rows, ("setting", "value"))


def format_setting(name: str, value: Any) -> str:
    """What a file says of a setting, as one would type it; keys and passwords are shown to nobody."""
    value = tuple(value) if isinstance(value, list) else value
    return "**********" if name.endswith(".key") else format_value(name, hide_secrets(value))


def print_folders() -> None:
    """Print the folders that are trusted, and whether their files are as they were then."""
    folders = read_trusted_folders()
    if not folders:
        click.echo("No folder is trusted.")
        return
    rows = [(folder, describe_file_state(folder, digest)) for folder, digest in folders.items()]
    print_table(rows, ("folder", "its file"))


def describe_file_state(folder: str, digest: str) -> str:
    """What became of a file since it was trusted."""
    try:
        file = read_settings_file(Path(folder) / config.SETTINGS_FILE)
    except SettingsError:
        return "cannot be read"
    if file is None:
        return "is gone"
    return "as it was trusted" if file.digest == digest else "has changed: it is not trusted until you say so again"
