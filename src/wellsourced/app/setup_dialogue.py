"""The dialogue of `wellsourced setup`: how somebody is asked at a terminal, and what every question is asked with."""

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from wellsourced import config
from wellsourced.config.loader import OwnSettings, wants_colours
from wellsourced.config.own_settings import own_settings_path
from wellsourced.errors import SettingsError
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.sanitization import sanitize_line

T = TypeVar("T")

NONE = "none"
"""What is typed for nothing, where something stands."""

MAX_WIDTH = 100
"""Characters of a line, however wide the terminal is."""


def is_terminal() -> bool:
    """Whether somebody sits there who reads and types."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class Dialogue:
    """Questions to whoever sits at the terminal.

    is_open   whether anybody is asked; else only flags answer
    """

    def __init__(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self._page = TerminalPage(min(shutil.get_terminal_size().columns, MAX_WIDTH), colour=wants_colours())
        self._parts = 0
        self._next_part: tuple[str, str] | None = None
        self._has_told_of_keys = False

    def begin_part(self, title: str, about: str) -> None:
        """Begin a part, which is shown with its number as soon as something is said or asked in it."""
        # A part in which every answer came as a flag shows nothing, and the numbers of the others have no gap.
        self._next_part = title, about

    def introduce(self, title: str, about: str = "") -> None:
        """A heading and what is below it, if anybody is asked."""
        self._next_part = None
        if self.is_open:
            click.echo("\n".join(["", self._page.heading(title), *self._page.wrap(about)]))

    def say(self, text: str) -> None:
        self._open_part()
        if self.is_open:
            self.tell(text)

    def _open_part(self) -> None:
        if self._next_part:
            title, about = self._next_part
            self._parts += 1
            self.introduce(f"{self._parts}. {title}", about)

    def tell(self, text: str) -> None:
        """Say something, asked or not."""
        click.echo("\n".join(self._page.wrap(text)))

    def show_rows(self, rows: Iterable[Sequence[str]]) -> None:
        """Set rows in columns; what does not fit into the last is carried on below it."""
        self._open_part()
        rows = list(rows)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
        for *cells, last in rows if self.is_open else ():
            first = "  " + "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
            click.echo("\n".join(self._page.wrap(last, " " * len(first), first) or [first.rstrip()]))

    def ask(self, question: str, standing: str, parse: Callable[[str], T]) -> T:
        """The answer to a question, "none" as "". What `parse` refuses with SettingsError is told, and asked again."""
        self._open_part()
        shown = sanitize_line(standing) or NONE
        while True:
            # click's own default would be parsed unseen and shown as it is; here Enter is what stands, made harmless
            # for a terminal.
            typed = click.prompt(f"{question} [{shown}]", default="", show_default=False).strip()
            try:
                return parse("" if typed.lower() == NONE else typed or standing)
            except SettingsError as error:
                self.say(str(error))

    def ask_key(self, question: str, *, stands: bool, place: str, variable: str) -> str | None:
        """A key, which is not shown as it is typed; None: as it stands.

        place      the file that it will be written into
        variable   where it may stand instead
        """
        if not self._has_told_of_keys:
            self.say(
                f"Keys are not shown as you type them. They are kept in {place}, which only you can read; or leave "
                f"them empty, and set them in the environment ({variable} …)."
            )
            self._has_told_of_keys = True
        kept = f"Enter keeps the one that stands, “{NONE}” removes it" if stands else "Enter: none"
        while True:
            # Enter has to keep a key that is never shown, so taking it out needs a word of its own.
            typed = click.prompt(f"{question} ({kept})", default="", show_default=False, hide_input=True).strip()
            try:
                return None if not typed else "" if typed.lower() == NONE else check_key(typed)
            except SettingsError as error:
                self.say(str(error))

    def confirm(self, question: str, *, default: bool) -> bool:
        self._open_part()
        shown = "Y/n" if default else "y/N"
        while True:
            typed = click.prompt(f"{question} [{shown}]", default="", show_default=False).strip().lower()
            if typed in ("", "y", "yes", "n", "no"):
                return default if not typed else typed.startswith("y")
            self.say("Type y for yes or n for no.")


def check_key(typed: str) -> str:
    """A key as it was typed. Raises SettingsError for what no service gives out, without showing it."""
    if not (typed.isascii() and typed.isprintable()) or " " in typed:
        raise SettingsError("That is no key: a key is one word of plain letters, figures and signs.")
    return typed


SettingAnswers = dict[str, Any]
"""Dotted name → text, or texts, as it shall stand."""


class SetupOptions(NamedTuple):
    """The answers that were given as flags; None, or nothing: the question is open.

    keys        service → its key
    urls        service → its address
    mirrors     collection → a mirror of its publisher's folder
    try_model   whether the model is asked one small question
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


class SetupWalk(NamedTuple):
    """One walk through the questions.

    own       what the user's own file makes of the settings
    session   flags of the whole program, which hold for this run and are not written
    """

    dialogue: Dialogue
    own: OwnSettings
    options: SetupOptions
    session: Mapping[str, Any]

    def is_asked(self, name: str) -> bool:
        """Whether a question of this setting is put; if something else decides here, that is said instead."""
        # Asking for what the environment or a flag overrules would promise an effect that the answer does not have.
        if self.dialogue.is_open and (place := self.own.overruled.get(name)):
            self.dialogue.say(f"This is not asked: {name} is given {place}, which counts more than your file.")
        return self.dialogue.is_open and name not in self.own.overruled

    def load(self, answers: Mapping[str, Any]) -> config.Settings:
        """The settings as these answers would make them."""
        return config.load({**self.session, **answers})

    def ask_key(self, service: str, label: str) -> SettingAnswers:
        """The key of a service: a flag's, or the one that is typed; nothing when it stays as it is."""
        name = f"{service}.key"
        if service in self.options.keys:
            return {name: self.options.keys[service]}
        if not self.is_asked(name):
            return {}
        stands = _has_key(self.own.settings, service)
        # A key from the environment is left there: it would otherwise be copied into a file that its owner did not
        # choose.
        if stands and _has_key(self.own.without_file, service):
            self.dialogue.say(f"The key for {label} is taken from the environment.")
            return {}
        typed = self.dialogue.ask_key(
            f"Key for {label}",
            stands=stands,
            place=str(own_settings_path()),
            variable=f"WELLSOURCED_{service.upper()}__KEY",
        )
        return {} if typed is None else {name: typed}


def _has_key(settings: config.Settings, service: str) -> bool:
    return bool(settings.find_service(service).key.get_secret_value())
