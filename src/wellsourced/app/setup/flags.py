"""The answers to the questions of `wellsourced setup` as flags: for scripts, and for who knows already."""

import click

from wellsourced.app.options import pack_options, parse_key_values
from wellsourced.app.setup.dialogue import check_key
from wellsourced.app.setup.walk import SetupOptions
from wellsourced.config.model_choice import check_address
from wellsourced.config.settings import SERVICE_NAMES
from wellsourced.errors import SettingsError


def join_names(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> str | None:
    """Names of a flag that can be repeated, as somebody types them; None without any."""
    return ",".join(names) if names else None


def read_keys(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → the key in the first line of its file."""
    keys = {}
    for service, name in parse_services(ctx, param, pairs).items():
        try:
            with click.open_file(name, encoding="utf-8") as file:
                keys[service] = check_key(file.readline().strip())
        # The message names the file and never its content: it may be a key that is merely mistyped.
        except (OSError, UnicodeDecodeError, SettingsError) as error:
            raise click.BadParameter(f"{name} has no key in its first line, or cannot be read.") from error
    return keys


def read_addresses(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Service → its address."""
    try:
        return {service: check_address(url) for service, url in parse_services(ctx, param, pairs).items()}
    except SettingsError as error:
        raise click.BadParameter(str(error)) from error


def parse_services(ctx: click.Context, param: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """SERVICE=VALUE pairs as a dict."""
    # Before pairs are split: parse_key_values would speak of KEY=VALUE, which is not how this flag is written.
    if missing := [pair for pair in pairs if "=" not in pair]:
        raise click.BadParameter(f"“{missing[0]}” is not SERVICE=…, for example pubmed=…")
    values = parse_key_values(ctx, param, pairs)
    if unknown := values.keys() - {*SERVICE_NAMES}:
        raise click.BadParameter(f"There is no service “{min(unknown)}”; there is {', '.join(SERVICE_NAMES)}.")
    return values


add_setup_options = pack_options(
    "options",
    SetupOptions,
    (
        click.option("--email", metavar="ADDRESS", help="Told to NCBI and Crossref; none: nothing is told."),
        click.option(
            "--live",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Search this over the network, always; repeatable; none: nothing.",
        ),
        click.option(
            "--key-file",
            "keys",
            metavar="SERVICE=FILE",
            multiple=True,
            callback=read_keys,
            help="The key of a service is the first line of FILE (-: standard input); repeatable.",
        ),
        click.option(
            "--url",
            "urls",
            metavar="SERVICE=ADDRESS",
            multiple=True,
            callback=read_addresses,
            help="The address of a service, such as compatible, azure, searxng; repeatable.",
        ),
        click.option(
            "--collection",
            "collections",
            metavar="NAME",
            multiple=True,
            callback=join_names,
            help="Fetch this collection: `wellsourced library recipes` lists them; repeatable.",
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
        click.option("--yes", is_flag=True, help="Ask nothing: what no flag answers stays as it is."),
    ),
)
