"""The options of `wellsourced setup`, each of which answers one of its questions."""

from collections.abc import Mapping
from typing import NamedTuple

import click

from wellsourced.app import setup_messages as messages
from wellsourced.app.options import pack_options, parse_key_values
from wellsourced.errors import SettingsError


class SetupOptions(NamedTuple):
    """Answers given as flags; None, or nothing: the question is open.

    keys        service → its key
    urls        service → its address
    mirrors     collection → a mirror of its publisher's folder
    try_model   whether to ask the model one small question
    """

    model: str | None = None
    home: str | None = None
    email: str | None = None
    live: str | None = None
    collections: str | None = None
    keys: Mapping[str, str] = {}
    urls: Mapping[str, str] = {}
    mirrors: Mapping[str, str] = {}
    try_model: bool | None = None
    yes: bool = False


def join_names(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> str | None:
    """Join the names of a repeated flag, as they are typed at a question; None without any."""
    return ",".join(names) if names else None


def check_key(typed: str) -> str:
    """Return a key as it was typed. Raises SettingsError, which does not repeat it, for what cannot be one."""
    if not (typed.isascii() and typed.isprintable()) or " " in typed:
        raise SettingsError(messages.NOT_A_KEY)
    return typed


def read_keys(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → the key in the first line of its file."""
    keys = {}
    for service, name in parse_services(ctx, param, pairs).items():
        try:
            with click.open_file(name, encoding="utf-8") as file:
                keys[service] = check_key(file.readline().strip())
        # The message names the file and never its content: it may be a key that is merely mistyped.
        except (OSError, UnicodeDecodeError, SettingsError) as error:
            raise click.BadParameter(messages.key_unreadable(name)) from error
    return keys


def read_addresses(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → its address."""
    from wellsourced.config.models import check_address

    try:
        return {service: check_address(url) for service, url in parse_services(ctx, param, pairs).items()}
    except SettingsError as error:
        raise click.BadParameter(str(error)) from error


def parse_services(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """SERVICE=VALUE pairs as a dict."""
    from wellsourced.config.settings import SERVICE_NAMES

    # Before pairs are split: parse_key_values would speak of KEY=VALUE, which is not how this flag is written.
    if missing := [pair for pair in pairs if "=" not in pair]:
        raise click.BadParameter(messages.not_key_value(missing[0], "SERVICE=…", "pubmed=…"))
    values = parse_key_values(ctx, param, pairs)
    if unknown := values.keys() - {*SERVICE_NAMES}:
        raise click.BadParameter(messages.unknown_service(min(unknown), SERVICE_NAMES))
    return values


add_setup_options = pack_options(
    "options",
    SetupOptions,
    (
        click.option("--email", metavar="ADDRESS", help="Your address, sent to NCBI and Crossref; none: send none."),
        click.option(
            "--live",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Always search this over the network; repeatable; none: nothing.",
        ),
        click.option(
            "--key-file",
            "keys",
            metavar="SERVICE=FILE",
            multiple=True,
            callback=read_keys,
            help="Read the key of a service from FILE (-: standard input); repeatable.",
        ),
        click.option(
            "--url",
            "urls",
            metavar="SERVICE=ADDRESS",
            multiple=True,
            callback=read_addresses,
            help="Address of a service, such as compatible, azure, searxng; repeatable.",
        ),
        click.option(
            "--collection",
            "collections",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Fetch this public collection; repeatable.",
        ),
        click.option(
            "--mirror",
            "mirrors",
            metavar="NAME=URL",
            multiple=True,
            callback=parse_key_values,
            help="Fetch the collection NAME from this mirror; repeatable.",
        ),
        click.option(
            "--try-model/--no-try-model",
            "try_model",
            default=None,
            help="Ask the model one small question, which may cost something.",
        ),
        click.option("--yes", is_flag=True, help="Ask nothing; without a flag, a setting stays as it is."),
    ),
)
"""Decorator for the options that answer the questions of setup."""
