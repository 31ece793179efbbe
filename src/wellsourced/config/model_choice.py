"""What a language model that somebody names needs before it can be asked, found out without asking it."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from wellsourced.config.egress import find_plain_http
from wellsourced.config.models import LOCAL
from wellsourced.config.settings import Settings
from wellsourced.errors import SettingsError
from wellsourced.models.providers.provider_registry import EXAMPLE_URLS, OWN_SERVERS, PROVIDERS, resolve_access


class ModelNeeds(NamedTuple):
    """What a model is asked with.

    service       the settings that hold its key and address; "" for a file on this machine
    takes_key     whether a key may be given
    example_url   how an address is written, where the provider has no usual one; "" where it has
    """

    service: str = ""
    takes_key: bool = False
    example_url: str = ""


def find_model_needs(name: str) -> ModelNeeds:
    """What this model needs. Raises SettingsError for an unknown provider, no name of a model, a bad file."""
    provider, _, model = name.partition(":")
    if provider == LOCAL:
        from wellsourced.models.local_engine import inspect_model_file

        inspect_model_file(Path(model).expanduser().absolute())
        return ModelNeeds()
    known = PROVIDERS.get(provider)
    if known is None or not model:
        # It says what is wrong with the name before it looks at address and key.
        resolve_access(name, "", None)
    assert known is not None  # noqa: S101 - else it has raised
    return ModelNeeds(known.setting, provider not in OWN_SERVERS, "" if known.url else EXAMPLE_URLS[provider])


def complete_model_name(name: str) -> str:
    """The name of a model as it means the same in every folder: with the whole path of a file."""
    provider, _, model = name.partition(":")
    return f"{LOCAL}:{Path(model).expanduser().absolute()}" if provider == LOCAL else name


def find_model_host(name: str, settings: Settings) -> str:
    """Where this model is asked; "" for a file. Raises SettingsError for a key or address that is missing or wrong."""
    provider = name.partition(":")[0]
    if provider == LOCAL:
        return ""
    find_model_needs(name)
    service = settings.find_service(PROVIDERS[provider].setting)
    # Before the key is looked at: over plain HTTP it would be sent in the clear.
    if reason := find_plain_http(PROVIDERS[provider].setting, service.url):
        raise SettingsError(f"{name} cannot be asked: {reason}.")
    return resolve_access(name, service.url, service.key).host


def check_address(given: str) -> str:
    """An address as it was typed. Raises SettingsError for one that cannot be asked, or that would be sent words in
    the clear."""
    try:
        parts = urlsplit(given)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and given.isprintable()
    except ValueError:
        is_whole = False
    if not is_whole or " " in given:
        raise SettingsError(f"“{given}” is no address: write it as https://HOST/PATH.")
    if find_plain_http("", given):
        raise SettingsError("Plain HTTP is for this machine alone: write the address as https://….")
    return given
