"""What leaves this machine: the privacy filter that the settings describe, and the ledger of what went.

A marked record is sent through every way out (tests/app/test_exit.py), which lists them: a module that asks the client
and is not listed there fails that test.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from wellsourced.budget import find_current_account
from wellsourced.config.settings import Settings
from wellsourced.errors import UnreadableFile
from wellsourced.events import DISCLOSURE_LISTENER, Event, ignore_event
from wellsourced.privacy.loopback import is_loopback
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.storage.private_files import make_missing_folders, make_private_file

if TYPE_CHECKING:
    from wellsourced.http import Contact


def build_privacy_filter(settings: Settings) -> PrivacyFilter:
    """The exit of one run: what becomes of identifiers, and who hears of what goes. OfflineError nothing goes."""
    emit = ignore_event if settings.network.offline else _emit_disclosure
    return PrivacyFilter(settings.phi, show=settings.show_masked, emit=emit, scope=find_current_account)


def find_plain_http(setting: str, url: str) -> str:
    """Why an address cannot be asked that would be sent a key or words over plain HTTP; "" for one that can."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme.lower() == "http" and not is_loopback(parts.hostname or "")
    except ValueError:
        return ""
    if not is_plain:
        return ""
    return (
        f"{setting}.url is http://{parts.hostname}…, and a key or your words would go there in the clear, for anybody "
        "on the way to read: give it as https://… (plain HTTP is for this machine alone)"
    )


def _emit_disclosure(event: Event) -> None:
    """To the question for whose sake it is, and to the terminal."""
    if account := find_current_account():
        account.emit(event)
    DISCLOSURE_LISTENER.get()(event)


LEDGER_FILE = "egress.jsonl"


def build_contact_writer(settings: Settings) -> Callable[["Contact"], None]:
    """Writes each contact as a line, in one go: several processes may share the ledger."""
    path = settings.home / LEDGER_FILE

    def write_contact(contact: "Contact") -> None:
        line = json.dumps({**contact._asdict(), "when": contact.when.isoformat(timespec="seconds")})
        make_missing_folders(path.parent)
        make_private_file(path)
        with path.open("a", encoding="utf-8") as ledger:
            ledger.write(line + "\n")

    return write_contact


class HostTraffic(NamedTuple):
    """All requests to one host that the ledger holds; times in ISO 8601."""

    host: str
    requests: int
    failed: int
    sent: int
    received: int
    seconds: float
    first: str
    last: str


def read_traffic(settings: Settings) -> list[HostTraffic]:
    """What left this machine, host by host, the last one contacted first. Raises UnreadableFile."""
    by_host: dict[str, list[dict[str, Any]]] = {}
    for row in _ledger_rows(settings.home / LEDGER_FILE):
        by_host.setdefault(row["host"], []).append(row)
    hosts = [_sum_host(host, rows) for host, rows in by_host.items()]
    return sorted(hosts, key=lambda one: one.last, reverse=True)


def _ledger_rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                yield {**row, "host": str(row["host"])}
            except (ValueError, KeyError, TypeError) as error:
                raise UnreadableFile(path, f"line {number} is no entry of a ledger", "Move the file away.") from error


def _sum_host(host: str, rows: list[dict[str, Any]]) -> HostTraffic:
    return HostTraffic(
        host=host,
        requests=len(rows),
        failed=sum(not 200 <= row["status"] < 400 for row in rows),
        sent=sum(row["sent"] for row in rows),
        received=sum(row["received"] for row in rows),
        seconds=round(sum(row["seconds"] for row in rows), 2),
        first=min(row["when"] for row in rows),
        last=max(row["when"] for row in rows),
    )
