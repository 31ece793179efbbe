"""`wellsourced trust`: whose wellsourced.toml may say where words and keys go."""

from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.settings_command import format_value
from wellsourced.app.terminal import format_count, sanitize_line, format_table
from wellsourced.errors import NotFoundError, SettingsError
from wellsourced.text.urls import hide_secrets

FOLDER_PATH = click.Path(file_okay=False, path_type=Path)


@click.command(
    short_help="Let all of a folder's wellsourced.toml count.",
    epilog="""
    \b
    Examples:
      wellsourced trust
      wellsourced trust ~/projects/gout
      wellsourced trust --list
      wellsourced trust --remove ~/projects/gout
    """,
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
        told = "is not trusted any more" if config.withdraw_trust(folder) else "was not trusted"
        click.echo(f"{sanitize_line(str(folder.resolve()))} {told}.")
    else:
        trust_folder(folder)


def trust_folder(folder: Path) -> None:
    """Trust a folder's file, and say what counts of it now. Raises NotFoundError where there is none."""
    found = config.read_folder_file(folder)
    if found is None:
        raise NotFoundError(f"There is no {config.SETTINGS_FILE} in {folder.resolve()} that could be trusted.")
    given = {**found.effective, **found.ignored}
    config.check_setting_names(given)
    config.trust_file(found.file)
    click.echo(f"Trusted is {sanitize_line(str(found.file.path.resolve()))}, as it is now, with {format_count(len(given), 'setting')}:")
    rows = [(name, format_setting(name, one.value)) for name, one in given.items()]
    click.echo(format_table(rows, ("setting", "value")), nl=False)


def format_setting(name: str, value: Any) -> str:
    """What a file says of a setting, as one would type it; keys and passwords are shown to nobody."""
    value = tuple(value) if isinstance(value, list) else value
    return "**********" if name.endswith(".key") else format_value(name, hide_secrets(value))


def print_folders() -> None:
    """Print the folders that are trusted, and whether their files are as they were then."""
    folders = config.read_trusted_folders()
    if not folders:
        click.echo("No folder is trusted.")
        return
    rows = [(folder, describe_file_state(folder, digest)) for folder, digest in folders.items()]
    click.echo(format_table(rows, ("folder", "its file")), nl=False)


def describe_file_state(folder: str, digest: str) -> str:
    """What became of a file since it was trusted."""
    try:
        file = config.read_settings_file(Path(folder) / config.SETTINGS_FILE)
    except SettingsError:
        return "cannot be read"
    if file is None:
        return "is gone"
    return "as it was trusted" if file.digest == digest else "has changed: it is not trusted until you say so again"
