"""`wellsourced setup`, `show`, `set` and `trust`: a dialogue; settings, instructions to models, folders trusted."""

from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.command_group import TableGroup
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data, print_table, print_utf8
from wellsourced.config.loader import format_value, load_own
from wellsourced.config.own_settings import plan_changes, plan_removal
from wellsourced.config.trust import read_settings_file, read_trusted_folders, trust_file, withdraw_trust
from wellsourced.errors import NotFoundError
from wellsourced.prompts.instructions import render_instructions
from wellsourced.text.sanitization import sanitize_line
from wellsourced.text.urls import hide_secrets


@click.group(cls=TableGroup, path="setup", invoke_without_command=True)
@click.pass_context
def setup(ctx: click.Context) -> None:
    """Interactive first-time setup: choose a model, live sources, keys and your e-mail address.

    Only what differs from the defaults is written to your wellsourced.toml, after you have seen it. Run it again at any
    time. Options such as --set and --preset hold for this run and are not written.
    """
    if not ctx.invoked_subcommand:
        # What asks and writes takes time to load, which the commands below should not wait for.
        from wellsourced.app.setup_dialogue import run_setup

        run_setup(ctx)


@click.command
@click.option("--prompts", is_flag=True, help="Print the instructions to language models instead, as TOML.")
@json_option
@click.pass_obj
def show(flags: dict[str, Any], prompts: bool, as_json: bool) -> None:
    """Show every setting, its value, where it comes from, and what it means.

    The first of these wins: a flag (--set policy.passages=20), the environment (WELLSOURCED_POLICY__PASSAGES=20), then
    wellsourced.toml. Settings of an untrusted file are shown as ignored: `wellsourced setup trust` applies them.

    To change instructions to models, edit what --prompts prints, and name the file in the setting `prompts`.
    """
    if prompts:
        print_utf8(render_instructions(), end="")
        return
    rows = config.explain_settings(flags)
    if as_json:
        print_data([row._asdict() for row in rows])
        return
    places = [
        messages.IGNORED_PLACE.format(place=row.place, file=row.ignored) if row.ignored else row.place for row in rows
    ]
    cells = [
        (row.name, format_value(row.name, row.value), place, row.meaning)
        for row, place in zip(rows, places, strict=True)
    ]
    print_table(cells, ("setting", "value", "from", "meaning"))


@click.command("set")
@click.argument("name")
@click.argument("values", nargs=-1, metavar="[VALUE…]")
def set_(name: str, values: tuple[str, ...]) -> None:
    """Write the setting NAME to your wellsourced.toml; without a VALUE, its default applies again.

    For a list, give several values. “-” reads the value from standard input, so that a key does not appear in your
    shell's history. `wellsourced setup show` lists the names.
    """
    from wellsourced.app.setup_dialogue import ask_hidden, read_value, save_changes, show_changes

    own = load_own()
    typed = ask_hidden(name) if values == ("-",) else ",".join(values)
    changes = plan_changes({name: read_value(name, typed)}, own) if values else plan_removal(name)
    show_changes(changes)
    save_changes(changes, own)


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
@click.option("--list", "listing", is_flag=True, help="List the trusted folders.")
@click.option("--remove", is_flag=True, help="Stop trusting FOLDER.")
def trust(folder: Path, listing: bool, remove: bool) -> None:
    """Apply all settings in the wellsourced.toml of FOLDER [the working directory].

    A file that you do not trust may only set how questions are answered. Addresses, keys, models, budgets and paths in
    it are ignored. After a change, the file has to be trusted again.
    """
    if listing:
        print_folders()
    elif remove:
        click.echo(sanitize_line(messages.trust_withdrawn(folder.resolve(), was_trusted=withdraw_trust(folder))))
    else:
        found = config.read_folder_file(folder)
        if found is None:
            raise NotFoundError(messages.NOTHING_TO_TRUST.format(name=config.SETTINGS_FILE, folder=folder.resolve()))
        given = {**found.effective, **found.ignored}
        config.check_setting_names(given)
        trust_file(found.file)
        click.echo(sanitize_line(messages.now_trusted(found.file.path.resolve(), len(given))))
        rows = [(name, format_setting(name, setting.value)) for name, setting in given.items()]
        print_table(rows, ("setting", "value"))


def format_setting(name: str, value: Any) -> str:
    """Format a setting of a file as it would be typed; keys and passwords are hidden."""
    value = tuple(value) if isinstance(value, list) else value
    return "**********" if name.endswith(".key") else format_value(name, hide_secrets(value))


def print_folders() -> None:
    """Print the trusted folders, and whether their files have changed since."""
    folders = read_trusted_folders()
    if not folders:
        click.echo(messages.NOTHING_TRUSTED)
        return
    rows = []
    for folder, digest in folders.items():
        file = read_settings_file(Path(folder) / config.SETTINGS_FILE)
        rows.append((folder, messages.FILE_UNCHANGED if file and file.digest == digest else messages.FILE_CHANGED))
    print_table(rows, ("folder", "its file"))
