"""RDAP: in which country the owner of a domain is registered (RFC 9083), as far as the registry still shows it."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from wellsourced.errors import NotFoundError
from wellsourced.http import Client
from wellsourced.sources.service_answers import ServiceModel, answer_check, parse_answer

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
            reply = await self._client.get(
                f"{self._url}/domain/{quote(domain, safe='')}", fresh=WEEK, check=answer_check(RdapDomain, SERVICE)
            )
        # Many registries do not serve RDAP: that is silence about the owner, and no failure of the check.
        except NotFoundError:
            return ""
        owners = [
            one for one in parse_answer(reply, RdapDomain, SERVICE).entities if OWNER_ROLES.intersection(one.roles)
        ]
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
