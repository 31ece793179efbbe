"""Lines on stderr while a command works: its progress, the hosts it sends to, and settings that are ignored."""

import contextlib
import logging
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config, events
from wellsourced.app import messages
from wellsourced.app.options import is_plain, is_quiet
from wellsourced.errors import SettingsError
from wellsourced.events import Event
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import escape_unsafe, sanitize_line

if TYPE_CHECKING:
    from tqdm import tqdm

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
        self._bars: dict[str, tqdm[Any]] = {}
        self._has_line = False

    def __call__(self, event: Event) -> None:
        """Show where the work is."""
        # Before anything is filtered: --verbose shows events that the screen has no line for.
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("%s %s", type(event).__name__, escape_unsafe(event.model_dump_json()[:500]))
        if isinstance(event, events.EmergencyDetected) and self.is_visible:
            self._end_line()
            if alarm := describe_event(event):
                click.echo(sanitize_line(alarm.text), err=True)
        # Heard even where nothing is shown: whoever reports at the end needs all of them.
        if isinstance(event, events.FileFailed):
            self.failures.append(event)
        if not self.is_visible:
            return
        if isinstance(event, events.Progress):
            self._end_line()
            bar = self._bars.get(event.task)
            # One bar at a time: a second would be drawn over the first.
            if bar is None:
                self._end_bars()
                bar = self._bars[event.task] = new_bar(event)
            bar.total = event.total or None
            bar.set_postfix_str(describe_counts(event, bar.format_dict["elapsed"]), refresh=False)
            bar.update(event.done - bar.n)
        elif not isinstance(event, REPORTED_EVENTS) and (step := describe_event(event)):
            self.show_step(step.text)

    def show_step(self, step: str) -> None:
        """One line that the next one replaces."""
        if self.is_visible:
            self._end_bars()
            # A line that wraps would be cleared only in part.
            room = shutil.get_terminal_size().columns - len(" …") - 1
            click.echo(f"{CLEAR_LINE}{sanitize_line(step)[:room]} …", nl=False, err=True)
            self._has_line = True

    def close(self) -> None:
        """Leave the terminal as it was found."""
        self._end_bars()
        self._end_line()

    def _end_bars(self) -> None:
        for bar in self._bars.values():
            bar.close()
        self._bars.clear()

    def _end_line(self) -> None:
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


def describe_counts(event: events.Progress, seconds: float) -> str:
    """What has gone in so far, where the bar itself counts something else, and how fast."""
    by_passage = event.unit == "passages"
    parts = [format_count(event.documents, "document")] if event.documents else []
    if event.passages and not by_passage:
        parts.append(format_count(event.passages, "passage"))
    rate = event.rate if by_passage else event.passages / max(seconds, 0.1)
    return ", ".join([*parts, f"{rate:,.0f} passages/s"] if rate else parts)


def new_bar(event: events.Progress) -> "tqdm[Any]":
    """A bar with time left and rate, gone when its work is done."""
    # Late: most commands never show a bar.
    from tqdm import tqdm

    # tqdm's monitor is a thread that would outlive the work.
    tqdm.monitor_interval = 0
    return tqdm(
        total=event.total or None,
        # What an earlier run has done says nothing about the speed of this one.
        initial=event.done,
        desc=event.task.capitalize(),
        bar_format="{desc}: {percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt}, {remaining} left{postfix}",
        unit_scale=event.unit == "bytes",
        leave=False,
        dynamic_ncols=True,
        file=sys.stderr,
    )


def begin_session(command: str | None) -> None:
    """Print to stderr, from here on, who is sent words; and once, which settings are ignored."""
    events.DISCLOSURE_LISTENER.set(DisclosurePrinter())
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


class DisclosurePrinter:
    """Prints disclosures of one command; other events are not its business."""

    def __init__(self) -> None:
        self._named_hosts: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        """Print a line for a host that was not named before, and what goes there if it is told."""
        if not isinstance(event, events.Disclosure):
            return
        # Words are shown each time they leave (--show-masked); a host alone is news only once.
        if event.words or (event.host, event.to) not in self._named_hosts:
            self._named_hosts.add((event.host, event.to))
            click.echo("\n".join(disclosure_lines(event)), err=True)


def disclosure_lines(event: events.Disclosure) -> list[str]:
    """Say where words go and what is masked in them, and show them, each line behind a bar."""
    words = [sanitize_line(f"| {line}") for line in event.words.splitlines()]
    concealed = event.concealed if words else ""
    return [sanitize_line(messages.sending(event.host, event.to, concealed) + (":" if words else "")), *words]
