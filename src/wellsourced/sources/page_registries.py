"""Registries of pages: the Internet Archive keeps copies, RDAP (RFC 9083) knows in which country a domain is
registered.

APIs: https://archive.org/help/wayback_api.php, https://about.rdap.org.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from urllib.parse import quote

from wellsourced.errors import NotFoundError
from wellsourced.http import Client
from wellsourced.sources.service_answers import DAY, ServiceModel, answer_check, within

ARCHIVE_URL = "https://archive.org"
ARCHIVE_SERVICE = "the Internet Archive"
EARLIEST = "19960101"
"""The archive begins in that year."""


class ClosestSnapshot(ServiceModel):
    """The copy that is closest to the day asked for: the status that the page had, and when, as yyyymmddhhmmss."""

    available: bool = within("archived_snapshots.closest.available", False)
    status: str = within("archived_snapshots.closest.status")
    timestamp: str = within("archived_snapshots.closest.timestamp")


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
            read = answer_check(ClosestSnapshot, ARCHIVE_SERVICE)
            copy = read(await self._client.get(address, asked, fresh=DAY, check=read))
            if copy.available and copy.status == "200" and copy.timestamp[:8] <= f"{before:%Y%m%d}":
                return True
            # No copy near any day means none at all: the second question is spared.
            if not copy.available:
                return False
        return False


URL = "https://rdap.org"
"""It redirects to the registry that is responsible (https://about.rdap.org)."""

SERVICE = "RDAP"
WEEK = 7 * 86_400.0
OWNER_ROLES = {"registrant"}
US_NAMES = {"united states", "united states of america", "usa", "us"}


class RdapEntity(ServiceModel):
    """A person or an organisation, its address as a jCard (RFC 7095)."""

    roles: tuple[str, ...] = ()
    vcardArray: tuple[Any, ...] = ()  # noqa: N815 (RDAP names it)


class RdapDomain(ServiceModel):
    """A domain."""

    entities: tuple[RdapEntity, ...] = ()


class Rdap:
    """The registry that knows in which country a domain is registered."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url.rstrip("/")

    async def find_country(self, domain: str) -> str:
        """Two letters, "US"; "" where the registry does not say. Raises as the client does, but for NotFoundError."""
        try:
            address = f"{self._url}/domain/{quote(domain, safe='')}"
            read = answer_check(RdapDomain, SERVICE)
            known = read(await self._client.get(address, fresh=WEEK, check=read))
        # Many registries do not serve RDAP: that is silence about the owner, and no failure of the check.
        except NotFoundError:
            return ""
        owners = [one for one in known.entities if OWNER_ROLES.intersection(one.roles)]
        return next((code for one in owners for code in _extract_countries(one.vcardArray)), "")


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
