"""The Internet Archive: whether it keeps a copy of a page. API: https://archive.org/help/wayback_api.php."""

from datetime import date

from wellsourced.http import Client
from wellsourced.sources.service_answers import DAY, ServiceModel, answer_check, parse_answer

URL = "https://archive.org"
SERVICE = "the Internet Archive"
EARLIEST = "19960101"
"""The archive begins in that year."""


class ArchiveSnapshot(ServiceModel):
    """A copy: the status that the page had, and when, as yyyymmddhhmmss."""

    available: bool = False
    status: str = ""
    timestamp: str = ""


class ClosestSnapshot(ServiceModel):
    """The copy that is closest to the day asked for."""

    closest: ArchiveSnapshot = ArchiveSnapshot()


class SnapshotAvailability(ServiceModel):
    """What it answers; without copies the list is empty."""

    archived_snapshots: ClosestSnapshot = ClosestSnapshot()


class InternetArchive:
    """Who keeps old copies of pages."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url.rstrip("/")

    async def has_copy(self, url: str, before: date) -> bool:
        """Whether a copy that could be read (status 200) was made on or before that day. Raises as the client does.

        It names the copy that is closest to a day, which may be a later one: then the oldest is asked for as well.
        """
        for when in (f"{before:%Y%m%d}", EARLIEST):
            copy = await self._fetch_closest_snapshot(url, when)
            if copy.available and copy.status == "200" and copy.timestamp[:8] <= f"{before:%Y%m%d}":
                return True
            # No copy near any day means none at all: the second question is spared.
            if not copy.available:
                return False
        return False

    async def _fetch_closest_snapshot(self, url: str, when: str) -> ArchiveSnapshot:
        asked = {"url": url, "timestamp": when}
        reply = await self._client.get(
            f"{self._url}/wayback/available", asked, fresh=DAY, check=answer_check(SnapshotAvailability, SERVICE)
        )
        return parse_answer(reply, SnapshotAvailability, SERVICE).archived_snapshots.closest
