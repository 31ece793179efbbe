"""Who registers names and keeps copies, on loopback: doi.org, the Internet Archive, RDAP.

    with serving(DoiOrgServer({"10.5072/a": csl("A data set")})) as service:
        catalogue = DoiOrg(client, service.url)

They keep their services' manners: an unknown handle is 404 with code 100, an agency that describes nothing answers
406, an archive without a copy gives an empty list, a domain that nobody knows is 404.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from tests.servers.base import Asked, Said

CSL = "application/vnd.citationstyles.csl+json"


def csl(title: str, family: str = "Doe", year: int = 2021) -> dict[str, Any]:
    """A work as DataCite describes it."""
    return {
        "type": "report",
        "title": title,
        "author": [{"family": family, "given": "Jane"}],
        "issued": {"date-parts": [[year]]},
        "publisher": "Invented Institute",
        "DOI": "10.5072/a",
    }


class DoiOrgServer:
    """`works`: DOI in small letters → its description; None for one that its agency does not describe.

    `pages`: DOI → where a browser is sent.
    """

    def __init__(self, works: Mapping[str, dict[str, Any] | None], pages: Mapping[str, str] | None = None) -> None:
        self.works, self.pages = works, pages or {}

    def __call__(self, asked: Asked) -> Said:
        if asked.path == "/robots.txt":
            return Said(b"", 404, "text/plain")
        if asked.path.startswith("/api/handles/"):
            doi = unquote(asked.path.removeprefix("/api/handles/"))
            known = doi.lower() in self.works
            answer = {"responseCode": 1 if known else 100, "handle": doi}
            return Said(json.dumps(answer).encode(), 200 if known else 404, "application/json")
        doi = unquote(asked.path.removeprefix("/")).lower()
        if asked.headers.get("Accept") != CSL:
            if page := self.pages.get(doi):
                return Said(b"", 302, "text/html", {"Location": page})
            return Said(b"<title>DOI Not Found</title><h1>DOI Not Found</h1>", 404, "text/html")
        described = self.works.get(doi)
        return Said(json.dumps(described).encode(), 200, CSL) if described else Said(b"", 406, "text/plain")


class ArchiveServer:
    """`copies`: address → (yyyymmddhhmmss, status) of each copy."""

    def __init__(self, copies: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self.copies = copies

    def __call__(self, asked: Asked) -> Said:
        wanted = asked.fields.get("timestamp", "20260101").ljust(14, "0")
        known = self.copies.get(asked.fields["url"], ())
        closest = min(known, key=lambda copy: abs(int(copy[0]) - int(wanted)), default=None)
        shown = {}
        if closest:
            address = f"http://web.archive.org/web/{closest[0]}/{asked.fields['url']}"
            shown = {"closest": {"status": closest[1], "available": True, "url": address, "timestamp": closest[0]}}
        answer = {"url": asked.fields["url"], "archived_snapshots": shown, "timestamp": wanted}
        return Said(json.dumps(answer).encode(), 200, "application/json")


class RdapServer:
    """`owners`: domain → the address property of its registrant; None for one whose owner is not shown."""

    def __init__(self, owners: Mapping[str, list[Any] | None]) -> None:
        self.owners = owners

    def __call__(self, asked: Asked) -> Said:
        domain = asked.path.removeprefix("/domain/")
        if domain not in self.owners:
            return Said(json.dumps({"errorCode": 404}).encode(), 404, "application/rdap+json")
        address = self.owners[domain]
        card = ["vcard", [["version", {}, "text", "4.0"], *([address] if address else [])]]
        registrar = {"objectClassName": "entity", "roles": ["registrar"], "vcardArray": ["vcard", []]}
        owner = {"objectClassName": "entity", "roles": ["registrant"], "vcardArray": card}
        answer = {"objectClassName": "domain", "ldhName": domain.upper(), "entities": [registrar, owner]}
        return Said(json.dumps(answer).encode(), 200, "application/rdap+json")


def at(country: str, *, code: bool = False) -> list[Any]:
    """The address property of a jCard; the country as its last part, or as the parameter "cc"."""
    parts = ["", "", "1 Main Street", "Bethesda", "MD", "20892", "" if code else country]
    return ["adr", {"cc": country} if code else {}, "text", parts]
