"""Registries of pages: the Internet Archive keeps copies, RDAP (RFC 9083) knows in which country a domain is
registered.

APIs: https://archive.org/help/wayback_api.php, https://about.rdap.org.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from wellsourced.errors import NotFoundError
from wellsourced.http import Client, Response
from wellsourced.sources.service_answers import DAY, AnswerPart

ARCHIVE_URL = "https://archive.org"
ARCHIVE_SERVICE = "the Internet Archive"
EARLIEST = "19960101"
"""The archive begins in that year."""


class InternetArchive:
    """Who keeps old copies of pages."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url.rstrip("/")

    async def has_copy(self, url: str, before: date) -> bool:
        """Whether a copy that could be read (status 200) was made on or before that day. Raises as the client does.

        It names the copy that is closest to a day, which may be a later one: then the oldest is asked for as well.
        """
        for when in (f"{before:%Y%m%d}", EARLIEST):
            address, asked = f"{self._url}/wayback/available", {"url": url, "timestamp": when}
            available, made = _read_snapshot(await self._client.get(address, asked, fresh=DAY, check=_read_snapshot))
            if available and made and made <= f"{before:%Y%m%d}":
                return True
            # No copy near any day means none at all: the second question is spared.
            if not available:
                return False
        return False


def _read_snapshot(reply: Response) -> tuple[bool, str]:
    """Whether there is a copy, and the day of the closest as yyyymmdd; "" for one of a page that could not be read."""
    answer, closest = AnswerPart.of(reply, ARCHIVE_SERVICE), "archived_snapshots.closest"
    made = answer.text(f"{closest}.timestamp")[:8] if answer.text(f"{closest}.status") == "200" else ""
    return bool(answer.flag(f"{closest}.available")), made


RDAP_URL = "https://rdap.org"
"""It redirects to the registry that is responsible (https://about.rdap.org)."""

RDAP_SERVICE = "RDAP"
WEEK = 7 * 86_400.0
OWNER_ROLES = {"registrant"}
US_NAMES = {"united states", "united states of america", "usa", "us"}


class Rdap:
    """The registry that knows in which country a domain is registered."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url.rstrip("/")

    async def find_country(self, domain: str) -> str:
        """Two letters, "US"; "" where the registry does not say. Raises as the client does, but for NotFoundError."""
        try:
            address = f"{self._url}/domain/{quote(domain, safe='')}"
            cards = _read_owners(await self._client.get(address, fresh=WEEK, check=_read_owners))
        # Many registries do not serve RDAP: that is silence about the owner, and no failure of the check.
        except NotFoundError:
            return ""
        return next((code for card in cards for code in _extract_countries(card)), "")


def _read_owners(reply: Response) -> list[list[Any]]:
    """The addresses of a domain's owners, each as a jCard (RFC 7095)."""
    entities = AnswerPart.of(reply, RDAP_SERVICE).parts("entities")
    return [one.records("vcardArray") for one in entities if OWNER_ROLES.intersection(one.texts("roles"))]


def _extract_countries(card: Sequence[Any]) -> Iterator[str]:
    """The countries of its addresses: the parameter "cc" (RFC 8605), else the last part of the address."""
    for property in card[1] if len(card) > 1 and isinstance(card[1], list) else ():
        if isinstance(property, list) and len(property) > 3 and property[0] == "adr":
            code = property[1].get("cc", "") if isinstance(property[1], dict) else ""
            last = property[3][-1] if isinstance(property[3], list) and property[3] else ""
            if found := _country_code(str(code)) or _country_code(str(last)):
                yield found


def _country_code(printed: str) -> str:
    bare = printed.strip()
    if bare.lower() in US_NAMES:
        return "US"
    return bare.upper() if len(bare) == 2 and bare.isalpha() else ""
