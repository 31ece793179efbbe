"""The dialogue of `wellsourced setup`: its questions, what would be written, and the writing; also for `setup set`."""

import re
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.exits import EXIT_INTERRUPTED, handle_interrupt
from wellsourced.config import models
from wellsourced.config.loader import OwnSettings, load_own
from wellsourced.config.network import describe_missing_setup
from wellsourced.config.own_settings import (
    FileChanges,
    format_toml,
    own_settings_path,
    parse_value,
    plan_changes,
    write_changes,
)
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.errors import SettingsError
from wellsourced.text.sanitization import sanitize_line

NONE = "none"
"""What is typed for nothing, where there is a value."""

SettingAnswers = dict[str, Any]
"""Dotted name → new value."""


# --- what may be typed ---------------------------------------------------------------------------------------------


def check_model_name(typed: str) -> str:
    """Return the name. Raises SettingsError for an unknown kind of model."""
    models.find_model_needs(typed)
    return typed


def check_email(typed: str) -> str:
    """Return the address. Raises SettingsError for one that is not an e-mail address."""
    # The address goes into a header and into URLs as it is: what could end either is refused.
    is_address = re.fullmatch(r"[!-~]+@[!-~]+\.[!-~]+", typed) and typed.count("@") == 1
    if not is_address or re.search(r"[<>,;\"\\]", typed):
        raise SettingsError(messages.NOT_AN_EMAIL.format(typed=typed))
    return typed


def check_key(typed: str) -> str:
    """Return a key as it was typed. Raises SettingsError, which does not repeat it, for what cannot be one."""
    if not (typed.isascii() and typed.isprintable()) or " " in typed:
        raise SettingsError(messages.NOT_A_KEY)
    return typed


CHECKS: Mapping[str, Callable[[str], str]] = {
    "model": check_model_name,
    "assistant": check_model_name,
    "live": str,
    "network.email": check_email,
    "url": models.check_address,
    "key": check_key,
}
"""Name of a setting that may be “none”, or its last part → what its type does not say; raises SettingsError."""


def read_value(name: str, typed: str) -> Any:
    """Return the value of a setting from what is typed. Raises SettingsError for what it cannot be."""
    check = CHECKS.get(name) or CHECKS.get(name.rpartition(".")[2])
    if check:
        typed = "" if typed.lower() == NONE else typed and check(typed)
    return parse_value(name, typed)


# --- how it is asked -----------------------------------------------------------------------------------------------


def is_terminal() -> bool:
    """Whether a person reads and types here."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask_hidden(question: str) -> str:
    """Ask for something that is not shown as it is typed; without a terminal, read a line."""
    if not is_terminal():
        return sys.stdin.readline().strip()
    return str(click.prompt(question, default="", show_default=False, hide_input=True)).strip()


def ask_setting(own: OwnSettings, name: str, question: str, current: str) -> SettingAnswers:
    """Ask for the value of a setting until it is one; if a stronger place sets it, that is said instead."""
    # Asking for what the environment overrules would promise an effect that the answer does not have.
    if place := own.overruled.get(name):
        click.echo(sanitize_line(messages.OVERRIDDEN.format(name=name, place=place)))
        return {}
    while True:
        # click's own default would be shown raw; here Enter keeps the value, sanitized for a terminal.
        shown = sanitize_line(current) or NONE
        typed = click.prompt(f"{question} [{shown}]", default="", show_default=False).strip()
        try:
            return {name: read_value(name, typed or current)}
        except SettingsError as error:
            click.echo(sanitize_line(str(error)))


def ask_key(own: OwnSettings, service: str, label: str) -> SettingAnswers:
    """Ask for a key, which is not shown as it is typed; nothing when it stays as it is."""
    # A key from the environment is left there: copied into a file, it would be where its owner did not put it.
    if has_key(own.without_file, service):
        click.echo(messages.KEY_IN_ENVIRONMENT.format(label=label))
        return {}
    question = messages.key_of(label, is_set=has_key(own.settings, service))
    while True:
        # Enter has to keep a key that is never shown, so taking it out needs a word of its own.
        typed = ask_hidden(question)
        try:
            return {f"{service}.key": "" if typed.lower() == NONE else check_key(typed)} if typed else {}
        except SettingsError as error:
            click.echo(str(error))


def has_key(settings: config.Settings, service: str) -> bool:
    """Whether these settings have a key of the service."""
    return bool(settings.find_service(service).key.get_secret_value())


# --- what is asked -------------------------------------------------------------------------------------------------


def ask_model(own: OwnSettings, flags: Mapping[str, Any]) -> SettingAnswers:
    """Ask which model writes, and for its address and key as far as it needs them."""
    answers = ask_setting(own, "model", messages.ASK_MODEL, str(flags.get("model") or own.settings.model))
    if not (name := answers.get("model", "")):
        # An assistant alone would help nobody, and cannot be loaded.
        return {**answers, "assistant": ""} if answers and own.settings.assistant else answers
    needs = models.find_model_needs(name)
    if needs.example_url:
        url = own.settings.find_service(needs.service).url
        answers |= ask_setting(own, f"{needs.service}.url", messages.ITS_ADDRESS.format(example=needs.example_url), url)
    return answers | ask_key(own, needs.service, needs.service) if needs.takes_key else answers


def ask_sources(own: OwnSettings) -> SettingAnswers:
    """Ask which live sources to search, for the keys and addresses that they need, and for an e-mail address."""
    answers = ask_setting(own, "live", messages.ASK_SOURCES, ",".join(own.settings.live))
    live = answers.get("live", own.settings.live)
    for entry in map(LIVE_SOURCE_REGISTRY.find, live):
        service = entry.service_name
        if entry.key_issuer:
            answers |= ask_key(own, service, f"{entry.name} ({entry.key_issuer})")
        # A service without a public address is run by the user.
        elif not entry.url:
            url = own.settings.find_service(service).url
            answers |= ask_setting(own, f"{service}.url", messages.ADDRESS_OF.format(name=entry.name), url)
    if live:
        answers |= ask_setting(own, "network.email", messages.ASK_EMAIL, own.settings.network.email)
    # One key serves PubMed and PMC.
    return answers | ask_key(own, "pubmed", messages.NCBI_OPTIONAL) if {"pubmed", "pmc"}.intersection(live) else answers


def run_setup(ctx: click.Context) -> None:
    """Ask, show what would be done, and do it."""
    if not is_terminal():
        raise SettingsError(messages.NO_TERMINAL)
    own = load_own()
    try:
        # A terminal that hides a key has to show again what is typed.
        with handle_interrupt(signal.default_int_handler):
            click.echo(f"{messages.SETUP_GREETING}\n")
            answers = {**ask_model(own, ctx.obj), **ask_sources(own)}
            changes = plan_changes(answers, own)
            show_changes(changes)
            agreed = not changes or click.confirm(messages.WRITE_THIS, default=True)
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"\nwellsourced: {messages.SETUP_STOPPED}", err=True)
        ctx.exit(EXIT_INTERRUPTED)
    if not agreed:
        click.echo(messages.NOTHING_WRITTEN)
        return
    save_changes(changes, own)
    click.echo(messages.SETUP_DONE)


def show_changes(changes: FileChanges) -> None:
    """Show how the user's own file would change; keys are hidden."""
    path = sanitize_line(str(own_settings_path()))
    click.echo(messages.CHANGES_IN.format(path=path) if changes else messages.NO_CHANGES_IN.format(path=path))
    for name, value in changes.items():
        if value is None:
            line = messages.DEFAULT_APPLIES.format(name=name)
        else:
            line = f"{name} = {messages.HIDDEN if name.endswith('.key') else format_toml(value)}"
        click.echo(f"  {sanitize_line(line)}")


def save_changes(changes: FileChanges, own: OwnSettings) -> None:
    """Write the changes, and say which of them do not count here, and what is still missing."""
    if not changes:
        return
    click.echo(sanitize_line(messages.SETTINGS_WRITTEN.format(path=write_changes(changes))))
    for name in changes:
        if place := own.overruled.get(name):
            click.echo(sanitize_line(messages.OVERRIDDEN.format(name=name, place=place)))
    settings = load_own().settings
    missing = {name: describe_missing_setup(name, settings) for name in settings.live}
    try:
        if settings.model:
            models.find_model_host(settings.model, settings)
    except SettingsError as error:
        missing[settings.model] = error.phrase
    for name, reason in missing.items():
        if reason:
            click.echo(sanitize_line(messages.NOT_READY.format(name=name, reason=reason)))
