"""Lines on stderr while a command works: its progress, the hosts it sends to, and settings that are ignored."""

import contextlib
import logging
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from wellsourced import config, events
from wellsourced.app import messages
from wellsourced.app.options import is_plain, is_quiet
from wellsourced.errors import SettingsError
from wellsourced.events import Event
from wellsourced.presentation.progress import describe_event
from wellsourced.text.sanitization import escape_unsafe, sanitize_line

LOG = logging.getLogger("wellsourced")
CLEAR_LINE = "\r\x1b[2K"
REPORTED_EVENTS = events.EmergencyDetected, events.Disclosure, events.FileRead, events.FileFailed, events.FileSkipped
"""What has a line that stays, a bar or a report: no passing line repeats it."""


class ProgressWatch:
    """Hears events. `failed` are the files that did not go in, for whoever reports at the end.

    shown   whether stderr is a terminal somebody looks at
    """

    def __init__(self, shown: bool) -> None:
        self.is_visible = shown
        self.failures: list[events.FileFailed] = []
        self._has_line = False

    def __call__(self, event: Event) -> None:
        """Show where the work is."""
        # Before anything is filtered: --verbose shows events that the screen has no line for.
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("%s %s", type(event).__name__, escape_unsafe(event.model_dump_json()[:500]))
        if isinstance(event, events.EmergencyDetected) and self.is_visible:
            self.close()
            if alarm := describe_event(event):
                click.echo(sanitize_line(alarm.text), err=True)
        # Heard even where nothing is shown: whoever reports at the end needs all of them.
        if isinstance(event, events.FileFailed):
            self.failures.append(event)
        # A hidden line is not worded either: drafts and progress come many times a second.
        if self.is_visible and not isinstance(event, REPORTED_EVENTS) and (step := describe_event(event)):
            self.show_step(step.text)

    def show_step(self, step: str) -> None:
        """One line that the next one replaces."""
        if self.is_visible:
            # A line that wraps would be cleared only in part.
            room = shutil.get_terminal_size().columns - len(" …") - 1
            click.echo(f"{CLEAR_LINE}{sanitize_line(step)[:room]} …", nl=False, err=True)
            self._has_line = True

    def close(self) -> None:
        """Leave the terminal as it was found."""
        if self._has_line:
            click.echo(CLEAR_LINE, nl=False, err=True)
            self._has_line = False


@contextmanager
def watch_progress() -> Iterator[ProgressWatch]:
    """A watch on this process's stderr, which is cleared in the end."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    # In a pipe, a log or a screen reader, a line that replaces itself is only noise.
    watch = ProgressWatch(shown=terminal and not is_plain() and not is_quiet())
    try:
        yield watch
    finally:
        watch.close()


def begin_session(command: str | None) -> None:
    """Print to stderr, from here on, who is sent words; and once, which settings are ignored."""
    events.DISCLOSURE_LISTENER.set(print_disclosures())
    # `setup trust` is the remedy that the warning names.
    if command != "setup":
        # Once, on stderr; the warning of `load` is left out.
        # `load` warns in Python's way, with a line of code; here it is one sentence for people.
        warnings.simplefilter("ignore", config.UntrustedSettings)
        # A file that cannot be read is told by the command, if it needs settings at all.
        with contextlib.suppress(SettingsError):
            folder = config.read_folder_file()
            if folder and folder.ignored:
                config.check_setting_names(folder.ignored)
                click.echo(sanitize_line(messages.settings_ignored(folder.notice, folder.file.folder)), err=True)


def print_disclosures() -> events.Emit:
    """Return what says where words go: once for a host, and each time what is sent and masked, if that is wished."""
    named_hosts: set[tuple[str, str]] = set()

    def print_disclosure(event: Event) -> None:
        if not isinstance(event, events.Disclosure):
            return
        place = (event.host, event.to)
        if event.words or place not in named_hosts:
            named_hosts.add(place)
            words = [f"| {line}" for line in event.words.splitlines()]
            heading = messages.sending(*place, event.concealed if words else "") + (":" if words else "")
            click.echo("\n".join(map(sanitize_line, (heading, *words))), err=True)

    return print_disclosure
