"""NCBI's E-utilities as they are spoken: one method a tool, typed answers, typed errors.

Follows "Entrez Programming Utilities Help" (NBK25499). No more requests a second than NCBI allows (3, with a key 10)
are made by the client; this module sends who asks (tool, email) and never an empty list of ids, which NCBI refuses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from lxml import etree
from pydantic import SecretStr

from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.http import Client, Response
from wellsourced.sources.service_answers import DAY

MAX_ADDRESS_QUERY = 1_000
"""Characters from which a query is sent as a form: an address of that length is cut or refused on its way."""

ROOT_TAGS = {"esearch": "eSearchResult", "epost": "ePostResult", "efetch": "eFetchResult", "esummary": "eSummaryResult"}
"""The outermost element of what each tool answers; efetch only when it has nothing to give."""

Element = Any
_TRANSIENT_ERROR = re.compile(
    r"backend|server|temporar|try again|later|time.?out|unavailable|internal|cannot get", re.IGNORECASE
)
"""Words of an error that NCBI expects to pass: "Search Backend failed: …", "cannot get document summary"."""


class HistorySession(NamedTuple):
    """Where NCBI's history server keeps the ids of a search, for some hours."""

    webenv: str
    key: str


class EsearchResult(NamedTuple):
    """The answer of esearch.

    total     how many records match
    ids       of the first of them, in the order asked for
    session   where all of them are kept; empty when that was not asked for
    unknown   words and phrases that no record has, field tags that there are not
    """

    total: int
    ids: tuple[str, ...] = ()
    session: HistorySession = HistorySession("", "")
    unknown: tuple[str, ...] = ()


class Eutils:
    """NCBI's E-utilities, for any of its databases.

    key   allows more requests a second

    Raises as the client does; SourceUnavailable for an answer that was cut off and for an error that NCBI expects to
    pass, SourceRefused for any other error that it names and for an answer that is no XML.
    """

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None, email: str = "") -> None:
        self._client, self._url = client, url.rstrip("/") + "/"
        self._identification: dict[str, str | int | SecretStr] = {"tool": "wellsourced"}
        self._identification |= {"email": email} if email else {}
        self._identification |= {"api_key": key} if key else {}

    async def search(
        self,
        db: str,
        term: str,
        most: int,
        *,
        since: date | None = None,
        as_of: date | None = None,
        history: bool = False,
        fresh: float = 0.0,
    ) -> EsearchResult:
        """The records that match a query, published from `since` to `as_of`; the ids of the first `most` of them."""
        asked: dict[str, str | int] = {
            "db": db,
            "term": term,
            "retmax": most,
            "sort": "relevance",
            **_date_parameters(since, as_of),
        }
        asked |= {"usehistory": "y"} if history else {}
        found = self._parse_root("esearch", await self._send_request("esearch", asked, fresh))
        return EsearchResult(
            total=self._parse_count(found, "Count"),
            ids=tuple(_element_texts(found, "IdList/Id")),
            session=HistorySession(found.findtext("WebEnv") or "", found.findtext("QueryKey") or ""),
            unknown=tuple(
                _element_texts(found, "ErrorList/*", "WarningList/PhraseIgnored", "WarningList/QuotedPhraseNotFound")
            ),
        )

    async def fetch(self, db: str, ids: Sequence[str]) -> bytes:
        """The records of these ids as XML, in any order. Raises NotFoundError when it takes none of them for an id."""
        return await self._fetch_xml(db, {"id": ",".join(ids)})

    async def fetch_from_history(self, db: str, session: HistorySession, start: int, most: int) -> bytes:
        """Records of a search or a posted list, from the one at `start`, counted from 0."""
        kept: dict[str, str | int] = {"WebEnv": session.webenv, "query_key": session.key}
        return await self._fetch_xml(db, {**kept, "retstart": start, "retmax": most})

    async def post_ids(self, db: str, ids: Sequence[str]) -> HistorySession:
        """Have a list of ids kept, so that its records can be fetched in parts."""
        found = self._parse_root("epost", await self._send_request("epost", {"db": db, "id": ",".join(ids)}, form=True))
        return HistorySession(found.findtext("WebEnv") or "", found.findtext("QueryKey") or "")

    async def summaries(self, db: str, ids: Sequence[str], item: str) -> dict[str, tuple[str, ...]]:
        """Of each of these records what its summary lists as `item` ("DS_MeshTerms"), in its order; () for nothing."""
        asked = {"db": db, "id": ",".join(ids)}
        found = self._parse_root("esummary", await self._send_request("esummary", asked, DAY))
        place = f"Item[@Name='{item}']/Item"
        return {one.findtext("Id") or "": tuple(_element_texts(one, place)) for one in found.iterfind("DocSum")}

    async def _fetch_xml(self, db: str, which: Mapping[str, str | int]) -> bytes:
        try:
            data = await self._send_request("efetch", {"db": db, "retmode": "xml", **which}, form=True)
        except SourceRefused as refusal:
            if "ID list is empty" in str(refusal):
                raise NotFoundError(f"{self._host} knows no record of these ids") from None
            raise
        # A set of records that was cut off still holds whole ones: whoever reads them finds the end missing.
        if b"<ERROR>" in data[:1_000]:
            self._parse_root("efetch", data)
        return data

    async def _send_request(
        self, tool: str, fields: Mapping[str, str | int], fresh: float = 0.0, *, form: bool = False
    ) -> bytes:
        address, asked = f"{self._url}{tool}.fcgi", {**fields, **self._identification}

        def check(reply: Response) -> None:
            # NCBI puts errors into answers that say 200: they may not be kept and given again for hours.
            self._check_xml(tool, reply)
            if fresh:
                self._parse_root(tool, reply.content)

        try:
            if form or len(str(fields.get("term", ""))) > MAX_ADDRESS_QUERY:
                reply = await self._client.post(address, data=asked, fresh=fresh, check=check)
            else:
                reply = await self._client.get(address, asked, fresh=fresh, check=check)
        except SourceRefused as refusal:
            if "API key invalid" not in str(refusal):
                raise
            remedy = "Check it, or leave it out: 3 requests a second need none."
            raise SourceRefused(f"{self._host} does not know the API key. {remedy}") from refusal
        return reply.content

    def _check_xml(self, tool: str, reply: Response) -> None:
        if not reply.content.strip():
            raise SourceUnavailable(f"{self._host} answered {tool} with nothing. Ask again later.")
        head = reply.content[:200].lstrip().lower()
        if reply.type == "text/html" or head.startswith((b"<!doctype html", b"<html")) or not head.startswith(b"<"):
            shown = reply.content[:200].decode(errors="replace")
            raise SourceRefused(
                f"{self._host} answered {tool} with something that is not XML: {shown!r}. Check its address."
            )

    def _parse_root(self, tool: str, data: bytes) -> Element:
        try:
            root = parse_xml(data)
        except etree.XMLSyntaxError as error:
            raise SourceUnavailable(
                f"The answer of {self._host} to {tool} was cut off or damaged ({error}). Ask again later."
            ) from error
        if said := " ".join(_element_texts(root, ".//ERROR")):
            # The class of an error tells the client whether to ask again, so it is read from NCBI's words here.
            kind = SourceUnavailable if _TRANSIENT_ERROR.search(said) else SourceRefused
            raise kind(f"{self._host} answered {tool} with an error: {said[:300]}")
        if root.tag != ROOT_TAGS[tool]:
            raise SourceRefused(
                f"{self._host} answered {tool} with <{root.tag}>, not <{ROOT_TAGS[tool]}>. Check its address."
            )
        return root

    def _parse_count(self, root: Element, place: str) -> int:
        number = (root.findtext(place) or "").strip()
        # No count is not a count of zero, which would end as "nothing found".
        if not (number.isascii() and number.isdigit()):
            raise SourceUnavailable(f"{self._host} did not say how many records there are. Ask again later.")
        return int(number)

    @property
    def _host(self) -> str:
        return self._url.split("/")[2]


def parse_xml(data: bytes) -> Element:
    """The outermost element of an answer; nothing outside of it is read. Raises etree.XMLSyntaxError."""
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _date_parameters(since: date | None, as_of: date | None) -> dict[str, str]:
    """Days of publication, which NCBI takes both or not at all; of a work known by its year, the first of January."""
    if since is None and as_of is None:
        return {}
    # Works known by their year count as of 1 January: an exact day would lose them, and each record is compared again.
    first = f"{since.year}/01/01" if since else "1000/01/01"
    return {"datetype": "pdat", "mindate": first, "maxdate": f"{as_of:%Y/%m/%d}" if as_of else "3000/12/31"}


def _element_texts(root: Element, *places: str) -> Iterator[str]:
    for place in places:
        yield from (text for element in root.iterfind(place) if (text := " ".join((element.text or "").split())))
