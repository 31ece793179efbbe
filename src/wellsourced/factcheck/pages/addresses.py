"""What is known of the addresses that a text cites (SourceCheckup, URL analysis), and all of them counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from wellsourced.errors import SourceError
from wellsourced.factcheck.pages.page_fetcher import FetchedPage
from wellsourced.factcheck.resolve.base import DomainRegistrations, PageArchive
from wellsourced.factcheck.resolve.identifiers import registered_domain, strip_proxy
from wellsourced.text.tables import read_rows
from wellsourced.types import FetchOutcome, SourceAddress

US_SUFFIXES = frozenset({"com", "org", "gov", "edu", "info", "net"})
"""Suffixes that are taken for the United States when no registration says otherwise, as the paper took them."""

GONE_CLASSES: frozenset[FetchOutcome] = frozenset({"dead", "soft 404", "unknown host"})
"""Pages of which an archive is asked."""

TOP_DOMAINS = 5


_PAYWALLS: Mapping[str, str] = {
    row[0]: row[1] for row in read_rows("wellsourced.factcheck.pages", "paywalls.tsv") if not row[0].startswith("#")
}
"""Domain or host → "all" or "part" of what it shows is sold."""


def _find_paywall(host: str) -> str:
    """What is known of a host: by its own name, or that of a domain above it; "" for nothing."""
    parts = host.lower().split(".")
    names = (".".join(parts[at:]) for at in range(len(parts)))
    return next((_PAYWALLS[name] for name in names if name in _PAYWALLS), "")


class AddressDescriber:
    """What is known of an address.

    archive        who is asked whether a page that is gone was ever there; None: nobody is
    registrations  who is asked in which country a domain is registered; None: nobody, and the suffix decides
    cited_on       the day of the text: copies of later days do not count; None: today
    """

    def __init__(
        self,
        archive: PageArchive | None = None,
        registrations: DomainRegistrations | None = None,
        *,
        cited_on: date | None = None,
    ) -> None:
        self._archive, self._registrations, self._cited_on = archive, registrations, cited_on
        self._countries: dict[str, dict[str, Any]] = {}

    async def describe(self, url: str, page: FetchedPage | None = None) -> SourceAddress:
        """What is known of an address; what cannot be known is left open. Raises nothing.

        A library's proxy is counted under the publisher's domain; the suffix is that of the host as it is written.
        """
        try:
            behind = strip_proxy(url)
            written, host = (urlsplit(one).hostname or "" for one in (url, behind.url))
        except ValueError:
            return SourceAddress(url=url)
        domain = registered_domain(host)
        suffix = _host_suffix(written)
        if domain not in self._countries:
            self._countries[domain] = await self._look_up_country(domain, suffix)
        return SourceAddress(
            url=url,
            domain=domain,
            suffix=suffix,
            paywalled=self._has_paywall(host, page),
            proxied=behind.proxied,
            archived=await self._check_archive(behind.url, page),
            **self._countries[domain],
        )

    def _has_paywall(self, host: str, page: FetchedPage | None) -> bool | None:
        """The page's own word first; then the list; a page that was read and sells nothing is free."""
        if page and page.paywalled is not None:
            return page.paywalled
        paid = _find_paywall(host)
        if paid == "all":
            return True
        if paid == "part" and page and page.fetched == "refused":
            return True
        return False if page and page.fetched == "ok" else None

    async def _look_up_country(self, domain: str, suffix: str) -> dict[str, Any]:
        """The fields `country` and `by`; neither where it is not known."""
        if self._registrations and domain:
            try:
                code = await self._registrations.find_country(domain)
            except SourceError:
                code = ""
            if code:
                return {"country": "US" if code == "US" else "other", "by": "registration"}
        if not suffix or suffix.isdigit():
            return {}
        return {"country": "US" if suffix in US_SUFFIXES else "other", "by": "suffix"}

    async def _check_archive(
        self, url: str, page: FetchedPage | None
    ) -> Literal["once valid", "never seen", "unknown", ""]:
        if not self._archive or not page or page.fetched not in GONE_CLASSES:
            return ""
        try:
            seen = await self._archive.has_copy(url, self._cited_on or date.today())
        except SourceError:
            return "unknown"
        return "once valid" if seen else "never seen"


class AddressCounts(NamedTuple):
    """All addresses of a text, or of many, counted.

    domains, suffixes   the commonest first; domains at most five
    american, guessed   in the United States; of all, those of which only the suffix says where
    paywalled, free     of the others it is not known
    archived            of the dead: "once valid", "never seen", "unknown" → how many
    """

    all: int
    domains: tuple[tuple[str, int], ...]
    suffixes: tuple[tuple[str, int], ...]
    american: int
    other: int
    guessed: int
    paywalled: int
    free: int
    proxied: int
    archived: Mapping[str, int]


def _host_suffix(host: str) -> str:
    """ "www.nih.gov" → "gov"; "" for an address in numbers and a name without a point."""
    last = host.rstrip(".").rpartition(".")[2].lower()
    return last if "." in host.rstrip(".") and not last.isdecimal() else ""


def count_addresses(addresses: Sequence[SourceAddress]) -> AddressCounts:
    """The tables of the URL analysis; of no address, empty ones."""
    return AddressCounts(
        len(addresses),
        tuple(Counter(one.domain for one in addresses if one.domain).most_common(TOP_DOMAINS)),
        tuple(Counter(one.suffix for one in addresses if one.suffix).most_common()),
        sum(one.country == "US" for one in addresses),
        sum(one.country == "other" for one in addresses),
        sum(one.by == "suffix" for one in addresses),
        sum(one.paywalled is True for one in addresses),
        sum(one.paywalled is False for one in addresses),
        sum(one.proxied for one in addresses),
        dict(Counter(one.archived for one in addresses if one.archived)),
    )
