"""The egress ledger on the disk: every request that left this machine."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wellsourced.config.settings import Settings
from wellsourced.errors import UnreadableFile
from wellsourced.private_files import make_missing_folders, make_private_file

if TYPE_CHECKING:
    from wellsourced.http import Contact

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
    """What left this machine, host by host, the last one contacted first. Raises Unreadable."""
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
