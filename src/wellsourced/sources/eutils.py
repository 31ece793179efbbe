"""NCBI's E-utilities as they are spoken: one method a tool, typed answers, typed errors; with them MeSH headings.

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
from wellsourced.text.tokens import tokenize

MAX_ADDRESS_QUERY = 1_000
"""Characters from which a query is sent as a form: an address of that length is cut or refused on its way."""

ROOT_TAGS = {"esearch": "eSearchResult", "efetch": "eFetchResult", "esummary": "eSummaryResult"}
"""The outermost element of what each tool answers; efetch only when it has nothing to give."""

Element = Any
_TRANSIENT_ERROR = re.compile(
    r"backend|server|temporar|try again|later|time.?out|unavailable|internal|cannot get", re.IGNORECASE
)
"""Words of an error that NCBI expects to pass: "Search Backend failed: …", "cannot get document summary"."""


class EsearchResult(NamedTuple):
    """The answer of esearch.

    total     how many records match
    ids       of the first of them, in the order asked for
    unknown   words and phrases that no record has, field tags that there are not
    """

    total: int
    ids: tuple[str, ...] = ()
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
        found = self._parse_root("esearch", await self._send_request("esearch", asked, fresh))
        return EsearchResult(
            total=self._parse_count(found, "Count"),
            ids=tuple(_element_texts(found, "IdList/Id")),
            unknown=tuple(
                _element_texts(found, "ErrorList/*", "WarningList/PhraseIgnored", "WarningList/QuotedPhraseNotFound")
            ),
        )

    async def fetch(self, db: str, ids: Sequence[str]) -> bytes:
        """The records of these ids as XML, in any order. Raises NotFoundError when it takes none of them for an id."""
        try:
            data = await self._send_request("efetch", {"db": db, "retmode": "xml", "id": ",".join(ids)}, form=True)
        except SourceRefused as refusal:
            if "ID list is empty" in str(refusal):
                raise NotFoundError(f"{self._host} has no record with these ids") from None
            raise
        # A set of records that was cut off still holds whole ones: whoever reads them finds the end missing.
        if b"<ERROR>" in data[:1_000]:
            self._parse_root("efetch", data)
        return data

    async def summaries(self, db: str, ids: Sequence[str], item: str) -> dict[str, tuple[str, ...]]:
        """Of each of these records what its summary lists as `item` ("DS_MeshTerms"), in its order; () for nothing."""
        asked = {"db": db, "id": ",".join(ids)}
        found = self._parse_root("esummary", await self._send_request("esummary", asked, DAY))
        place = f"Item[@Name='{item}']/Item"
        return {one.findtext("Id") or "": tuple(_element_texts(one, place)) for one in found.iterfind("DocSum")}

    async def _send_request(
        self, tool: str, fields: Mapping[str, str | int], fresh: float = 0.0, *, form: bool = False
    ) -> bytes:
        address, asked = f"{self._url}{tool}.fcgi", {**fields, **self._identification}

        def check(reply: Response) -> None:
            # NCBI puts errors into answers that say 200: they may not be kept and given again for hours.
            if not reply.content.strip():
                raise SourceUnavailable(f"{self._host} returned an empty answer to {tool}. Try again later.")
            head = reply.content[:200].lstrip().lower()
            if reply.type == "text/html" or head.startswith((b"<!doctype html", b"<html")) or not head.startswith(b"<"):
                shown = reply.content[:200].decode(errors="replace")
                raise SourceRefused(f"{self._host} did not answer {tool} with XML: {shown!r}. Check its address.")
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
            remedy = "Check the key, or remove it: up to 3 requests a second need none."
            raise SourceRefused(f"{self._host} does not accept the API key. {remedy}") from refusal
        return reply.content

    def _parse_root(self, tool: str, data: bytes) -> Element:
        try:
            root = parse_xml(data)
        except etree.XMLSyntaxError as error:
            raise SourceUnavailable(
                f"The answer of {self._host} to {tool} is incomplete or damaged ({error}). Try again later."
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
            raise SourceUnavailable(f"{self._host} did not give the number of records. Try again later.")
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


MAX_RECORDS = 20
"""Records of MeSH that are looked at for one term."""

TERMS_ITEM = "DS_MeshTerms"
"""Where the summary of a record has its names: the heading itself, then its entry terms."""

HEADING_ID_PREFIX = "68"
"""What the numbers of headings begin with at NCBI ("D003072" is 68003072); those of supplementary concepts, with 67."""

SEARCH_FIELDS = ("MeSH Terms:noexp", "Text Word")
"""Where a term is looked for; the second where the first finds nothing that is called so."""


class MeshHeadings:
    """All headings of MeSH. Raises as a live source does; "" only when MeSH says that it has none."""

    name = "MeSH"

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None, email: str = "") -> None:
        self._eutils = Eutils(client, url, key=key, email=email)

    async def heading(self, term: str) -> str:
        """The heading that a term names: its own words, an entry term, or either of them turned around."""
        for field in SEARCH_FIELDS if tokenize(term) else ():
            if heading := await self._find_heading(term, field):
                return heading
        return ""

    async def explode(self, heading: str) -> list[str]:
        """The heading alone: PubMed itself looks for what stands below it; [] for what is none."""
        known = await self.heading(heading)
        return [known] if known else []

    async def _find_heading(self, term: str, field: str) -> str:
        plain = " ".join(re.sub(r'["\[\]*]', " ", term).split())
        found = await self._eutils.search("mesh", f'"{plain}"[{field}]', MAX_RECORDS, fresh=DAY)
        ids = [id for id in found.ids if id.startswith(HEADING_ID_PREFIX)]
        if not ids:
            return ""
        named = await self._eutils.summaries("mesh", ids, TERMS_ITEM)
        # Found and without names: the form of the answer has changed, and "no such heading" would be false.
        if not any(named.get(id) for id in ids):
            raise SourceRefused(
                f"NCBI found “{plain}” in MeSH but sent no {TERMS_ITEM}: its answer has an unknown form."
            )
        return _choose_heading([named.get(id, ()) for id in ids], tokenize(term))


def _choose_heading(records: Sequence[Sequence[str]], wanted: list[str]) -> str:
    """The heading of the first record that is called so; one that is itself so called before all entry terms."""
    for names in [*(record[:1] for record in records), *records]:
        if any(tokenize(name) == wanted for name in names):
            return names[0]
    return ""
