"""What begins with a command: who is told what leaves this machine, and what of the settings does not count."""

import contextlib
import warnings

import click

from wellsourced import config
from wellsourced.app.terminal import sanitize_line
from wellsourced.errors import SettingsError
from wellsourced.events import DISCLOSURE_LISTENER, Disclosure, Event


def begin_session(command: str | None) -> None:
    """Say on stderr, from here on, whom words go to, and once what of the settings this command will not follow."""
    DISCLOSURE_LISTENER.set(DisclosurePrinter())
    # `trust` is the remedy that the warning names.
    if command != "trust":
        warn_ignored_settings()


def warn_ignored_settings() -> None:
    """Say once, on stderr, what of the working directory's file does not count; the warning of `load` is left out."""
    # `load` warns in Python's way, with a line of code; here it is one sentence for people.
    warnings.simplefilter("ignore", config.UntrustedSettings)
    # A file that cannot be read is told by the command, if it needs settings at all.
    with contextlib.suppress(SettingsError):
        folder = config.read_folder_file()
        if folder and folder.ignored:
            config.check_setting_names(folder.ignored)
            click.echo(f"wellsourced: {sanitize_line(folder.notice)}", err=True)


class DisclosurePrinter:
    """Prints disclosures of one command; other events are not its business."""

    def __init__(self) -> None:
        self._named_hosts: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        """Print a line for a host that was not named before, and what goes there if it is told."""
        if not isinstance(event, Disclosure):
            return
        # Words are shown each time they leave (--show-masked); a host alone is news only once.
        if event.words or (event.host, event.to) not in self._named_hosts:
            self._named_hosts.add((event.host, event.to))
            click.echo("\n".join(disclosure_lines(event)), err=True)


def disclosure_lines(event: Disclosure) -> list[str]:
    """Where words go, what they go without, and the words, each line behind a bar."""
    concealed = f"; in place of {event.concealed} stand brackets" if event.concealed and event.words else ""
    words = [sanitize_line(f"| {line}") for line in event.words.splitlines()]
    return [sanitize_line(f"Sending to {event.host} ({event.to}){concealed}{':' if words else ''}"), *words]
