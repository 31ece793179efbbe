"""Who is sent words, told on stderr before they go: each host once, and the words themselves where that is wished."""

import click

from wellsourced.app.terminal import sanitize_line
from wellsourced.events import Disclosure, Event


class DisclosurePrinter:
    """Prints disclosures of one command; other events are not its business."""

    def __init__(self) -> None:
        self._named_hosts: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        """Print a line for a host that was not named before, and what goes there if it is told."""
        if not isinstance(event, Disclosure):
            return
        if event.words or (event.host, event.to) not in self._named_hosts:
            self._named_hosts.add((event.host, event.to))
            click.echo("\n".join(disclosure_lines(event)), err=True)


def disclosure_lines(event: Disclosure) -> list[str]:
    """Where words go, what they go without, and the words, each line behind a bar."""
    concealed = f"; in place of {event.concealed} stand brackets" if event.concealed and event.words else ""
    words = [sanitize_line(f"| {line}") for line in event.words.splitlines()]
    return [sanitize_line(f"Sent to {event.host} ({event.to}){concealed}{':' if words else ''}"), *words]
