"""What every question of `wellsourced setup` is asked with: what stands, what was typed as a flag, and who is asked."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.app.setup.dialogue import Dialogue
from wellsourced.config.loader import OwnSettings
from wellsourced.config.own_settings import own_settings_path

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
