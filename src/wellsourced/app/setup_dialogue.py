"""The dialogue of `wellsourced setup`: how questions are asked at a terminal, and what each of them needs."""

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from wellsourced import config
from wellsourced.app import setup_messages as messages
from wellsourced.app.setup_options import SetupOptions, check_key
from wellsourced.config.loader import OwnSettings, wants_colours
from wellsourced.config.own_settings import own_settings_path
from wellsourced.errors import SettingsError
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.sanitization import sanitize_line

T = TypeVar("T")

NONE = "none"
"""What is typed for nothing, where there is a value."""

MAX_WIDTH = 100
"""Characters of a line, however wide the terminal is."""


def is_terminal() -> bool:
    """Whether a person reads and types here."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class Dialogue:
    """Questions to the person at the terminal. `is_open`: whether they are asked; else only flags answer."""

    def __init__(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self._page = TerminalPage(min(shutil.get_terminal_size().columns, MAX_WIDTH), colour=wants_colours())
        self._parts = 0
        self._next_part: tuple[str, str] | None = None
        self._has_told_of_keys = False

    def begin_part(self, title: str, about: str) -> None:
        """Begin a part, whose title is shown with its number once something is said or asked in it."""
        # A part in which every answer came as a flag shows nothing, and the numbers of the others have no gap.
        self._next_part = title, about

    def introduce(self, title: str, about: str = "") -> None:
        """Show a heading and a text, if questions are asked."""
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
        """Say something, whether questions are asked or not."""
        click.echo("\n".join(self._page.wrap(text)))

    def show_rows(self, rows: Iterable[Sequence[str]]) -> None:
        """Set rows in columns; a long last cell runs on below itself."""
        self._open_part()
        rows = list(rows)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
        for *cells, last in rows if self.is_open else ():
            first = "  " + "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
            click.echo("\n".join(self._page.wrap(last, " " * len(first), first) or [first.rstrip()]))

    def ask(self, question: str, standing: str, parse: Callable[[str], T]) -> T:
        """Ask a question; "none" is "". An answer that `parse` refuses is explained, and the question asked again."""
        self._open_part()
        shown = sanitize_line(standing) or NONE
        while True:
            # click's own default would be parsed unseen and shown raw; here Enter keeps the value, sanitized for a
            # terminal.
            typed = click.prompt(f"{question} [{shown}]", default="", show_default=False).strip()
            try:
                return parse("" if typed.lower() == NONE else typed or standing)
            except SettingsError as error:
                self.say(str(error))

    def ask_key(self, question: str, *, stands: bool, place: str, variable: str) -> str | None:
        """Ask for a key, which is not shown as it is typed; None: unchanged.

        place      the file that it will be written into
        variable   of the environment that may hold it instead
        """
        if not self._has_told_of_keys:
            self.say(messages.about_keys(place, variable))
            self._has_told_of_keys = True
        choice = messages.KEY_STANDS if stands else messages.KEY_MISSING
        while True:
            # Enter has to keep a key that is never shown, so taking it out needs a word of its own.
            typed = click.prompt(f"{question} ({choice})", default="", show_default=False, hide_input=True).strip()
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
            self.say(messages.YES_OR_NO)


SettingAnswers = dict[str, Any]
"""Dotted name → new value."""


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
        """Whether to ask about this setting; if a stronger place sets it, that is said instead."""
        # Asking for what the environment or a flag overrules would promise an effect that the answer does not have.
        if self.dialogue.is_open and (place := self.own.overruled.get(name)):
            self.dialogue.say(messages.explain_override(name, place))
        return self.dialogue.is_open and name not in self.own.overruled

    def load(self, answers: Mapping[str, Any]) -> config.Settings:
        """The settings as these answers would make them."""
        return config.load({**self.session, **answers})

    def ask_key(self, service: str, label: str) -> SettingAnswers:
        """Return the key of a service, from a flag or typed; nothing when it stays as it is."""
        name = f"{service}.key"
        if service in self.options.keys:
            return {name: self.options.keys[service]}
        if not self.is_asked(name):
            return {}
        stands = _has_key(self.own.settings, service)
        # A key from the environment is left there: it would otherwise be copied into a file that its owner did not
        # choose.
        if stands and _has_key(self.own.without_file, service):
            self.dialogue.say(messages.key_in_environment(label))
            return {}
        typed = self.dialogue.ask_key(
            messages.key_of(label),
            stands=stands,
            place=str(own_settings_path()),
            variable=f"WELLSOURCED_{service.upper()}__KEY",
        )
        return {} if typed is None else {name: typed}


def _has_key(settings: config.Settings, service: str) -> bool:
    return bool(settings.find_service(service).key.get_secret_value())
