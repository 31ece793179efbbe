"""Semantic Scholar, live: abstracts of works that others cite.

The rule by which papers are chosen is Clinfo.ai's (Lozano et al., PSB 2024) as published in its code.
API: https://api.semanticscholar.org/api-docs/graph.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from pydantic import Field, SecretStr

from wellsourced.errors import NotFound, Unavailable
from wellsourced.http import Client
from wellsourced.readers import read_abstract
from wellsourced.sources.base import NOTE, Card
from wellsourced.sources.expressions import in_words
from wellsourced.sources.live import Remembered, hits_of
from wellsourced.sources.wire import LONGEST, Camel, Wire, answer_of, note_faults, promised, records_of
from wellsourced.text.dates import admits
from wellsourced.types import Document, Hit, Kind, Query, Reference

URL = "https://api.semanticscholar.org/graph/v1/"
SERVICE = "Semantic Scholar"
FIELDS = "title,abstract,tldr,url,venue,year,authors,externalIds,citationCount,influentialCitationCount,fieldsOfStudy"
ASKED = 50
"""Papers asked for."""

PATIENCE = 20.0
"""Seconds for one answer."""

HOUR = 3_600.0


class Tldr(Wire):
    """The service's own line on a paper, written by a model."""

    text: str = ""


class Author(Wire):
    """By name."""

    name: str = ""


class Ids(Wire):
    """By what others know the paper."""

    doi: str = Field("", alias="DOI")
    pubmed: str = Field("", alias="PubMed")
    pmc: str = Field("", alias="PubMedCentral")


class Paper(Camel):
    """A paper as the service answers it."""

    paper_id: str = ""
    title: str = ""
    abstract: str = ""
    tldr: Tldr = Tldr()
    url: str = ""
    venue: str = ""
    year: int = 0
    authors: tuple[Author, ...] = ()
    external_ids: Ids = Ids()
    citation_count: int = 0


class Results(Wire):
    """An answer to a search; without hits it has no `data`."""

    total: int = 0
    data: tuple[Any, ...] = ()


class Rejected(NamedTuple):
    """A paper that may not count, by its title or id, and why."""

    paper: str
    reason: str


class Chosen(NamedTuple):
    """The papers that count, in the service's order, the citations that they had to have, and the others."""

    papers: tuple[Paper, ...]
    threshold: int
    rejected: tuple[Rejected, ...]


class SemanticScholar:
    """A source. A paper is known by its PMID, else its DOI, else the service's own id ("s2:…").

    key             sent as x-api-key; without one, all users of the world share one quota
    min_citations   citations that a paper must have; 0: none
    few             with fewer papers than this, `fallback` citations are enough
    most            papers of one search, at most

    Which threshold held and what was left out is told as a note; `choose` says it of each paper.
    """

    def __init__(
        self,
        client: Client,
        url: str = URL,
        key: SecretStr | None = None,
        *,
        kind: Kind = "research",
        min_citations: int = 10,
        few: int = 5,
        fallback: int = 1,
        most: int = 15,
    ) -> None:
        self._client, self._url, self._kind = client, url.rstrip("/"), kind
        self._headers = {"x-api-key": key} if key else {}
        self._min_citations, self._few, self._fallback, self._most = min_citations, few, fallback, most
        self._remembered = Remembered()

    @property
    def name(self) -> str:
        """What it is called in plans and gaps."""
        return "semantic_scholar"

    async def card(self) -> Card:
        """What it is. It is not asked for that."""
        return Card(self.name, self._kind, about="abstracts of papers that others cite", live=True)

    async def search(self, query: Query, limit: int) -> list[Hit]:
        """Passages of the papers that the service finds most relevant and that enough others cite."""
        words = keywords(query)
        if limit > 0 and query.kind == "boolean":
            NOTE.get()(_without_expression(words))
        if limit < 1 or not words:
            return []
        papers = await self._found(words, query)
        chosen = choose(papers, self._min_citations, self._few, self._fallback)
        self._note(chosen)
        admitted = [one for one in map(self._document, chosen.papers) if admits(query, one.reference)][: self._most]
        self._remembered.keep(admitted)
        return hits_of(admitted, query, limit)

    async def open(self, document_id: str) -> Document:
        """The document of an id "pubmed:…", "doi:…" or "s2:…". Raises NotFound."""
        if known := self._remembered.get(document_id):
            return known
        unknown = NotFound(f"{SERVICE} has no paper {document_id!r}. Its ids are like pubmed:31234567.")
        if not (name := named(document_id)):
            raise unknown
        address = f"{self._url}/paper/{quote(name, safe=':')}"
        try:
            reply = await self._client.get(
                address,
                {"fields": FIELDS},
                headers=self._headers,
                fresh=HOUR,
                timeout=PATIENCE,
                check=promised(Paper, SERVICE),
            )
        except NotFound as error:
            raise unknown from error
        paper = answer_of(reply, Paper, SERVICE)
        if document_id.lower() not in ids_of(paper):
            raise unknown
        document = self._document(paper)
        self._remembered.keep([document])
        return document

    async def _found(self, words: str, query: Query) -> list[Paper]:
        asked: dict[str, str | int] = {"query": words, "limit": ASKED, "offset": 0, "fields": FIELDS}
        if query.since or query.as_of:
            asked["publicationDateOrYear"] = f"{query.since or ''}:{query.as_of or ''}"
        reply = await self._client.get(
            f"{self._url}/paper/search",
            asked,
            headers=self._headers,
            fresh=HOUR,
            timeout=PATIENCE,
            check=promised(Results, SERVICE),
        )
        papers, faults = records_of(answer_of(reply, Results, SERVICE).data, Paper)
        note_faults(SERVICE, faults)
        if faults and not papers:
            raise Unavailable(f"{SERVICE} gave no paper that can be read ({faults[0]}). Ask again later.")
        return papers

    def _note(self, chosen: Chosen) -> None:
        if chosen.threshold < self._min_citations:
            NOTE.get()(
                f"{SERVICE}: fewer than {self._few} papers have {self._min_citations} citations, so "
                f"{chosen.threshold} was enough"
            )
        if chosen.rejected:
            reasons = dict.fromkeys(one.reason for one in chosen.rejected)
            number = "one paper was" if len(chosen.rejected) == 1 else f"{len(chosen.rejected)} papers were"
            NOTE.get()(f"{SERVICE}: {number} left out ({'; '.join(reasons)})")

    def _document(self, paper: Paper) -> Document:
        text, sections = read_abstract(paper.title, paper.abstract)
        return Document(reference=reference_of(paper, self._kind), text=text, sections=sections)


def keywords(query: Query) -> str:
    """What is asked: the words without hyphens, which the service does not match.

    Of a Boolean expression the words that have to be there. Raises BadQuery for one that cannot be read.
    """
    text = in_words(query.text) if query.kind == "boolean" else query.text
    return " ".join(re.sub("[-‐‑–]", " ", text).split())[:LONGEST]


def _without_expression(words: str) -> str:
    asked = f"it was asked for the words “{words}”" if words else "and this one holds no words to ask for"
    return f"{SERVICE} takes no Boolean expressions: {asked}"


def choose(papers: Sequence[Paper], min_citations: int, few: int, fallback: int) -> Chosen:
    """The papers with an id, an abstract and enough citations; `fallback` of them when that leaves fewer than `few`."""
    sound = [paper for paper in papers if not _lacks(paper)]
    threshold = min_citations
    if sum(paper.citation_count >= threshold for paper in sound) < few:
        threshold = min(min_citations, fallback)
    reasons = [(paper, _lacks(paper) or _too_few(paper, threshold)) for paper in papers]
    return Chosen(
        tuple(paper for paper, reason in reasons if not reason),
        threshold,
        tuple(Rejected(paper.title or paper.paper_id, reason) for paper, reason in reasons if reason),
    )


def _lacks(paper: Paper) -> str:
    """Why it cannot be read or cited; "" when it can."""
    if not (paper.paper_id or paper.external_ids.doi or paper.external_ids.pubmed):
        return "no id"
    return "" if paper.abstract.strip() else "no abstract"


def _too_few(paper: Paper, threshold: int) -> str:
    return f"fewer than {threshold} citations" if paper.citation_count < threshold else ""


def named(document_id: str) -> str:
    """What the service calls the paper of a document's id; "" for what is no id of this source."""
    kind, _, id = document_id.partition(":")
    if kind == "pubmed" and re.fullmatch(r"[1-9][0-9]{0,11}", id):
        return f"PMID:{id}"
    if kind == "doi" and id.startswith("10."):
        return f"DOI:{id}"
    return id if kind == "s2" and re.fullmatch(r"[0-9a-f]{40}", id) else ""


def ids_of(paper: Paper) -> set[str]:
    """Everything that a document of this paper may be called, in small letters."""
    ids = paper.external_ids
    return {f"pubmed:{ids.pubmed}", f"doi:{ids.doi}".lower(), f"s2:{paper.paper_id}".lower()}


def reference_of(paper: Paper, kind: Kind) -> Reference:
    """The card of a paper."""
    pmid, doi, pmc = paper.external_ids.pubmed, paper.external_ids.doi, paper.external_ids.pmc
    pmid = pmid if pmid.isdecimal() else ""
    return Reference(
        id=f"pubmed:{pmid}" if pmid else f"doi:{doi}" if doi else f"s2:{paper.paper_id}",
        title=paper.title,
        url=paper.url,
        kind=kind,
        published=str(paper.year) if 1000 <= paper.year <= 2999 else "",
        authors=tuple(author.name for author in paper.authors if author.name),
        journal=paper.venue,
        doi=doi,
        pmid=pmid,
        pmcid=f"PMC{pmc.upper().removeprefix('PMC')}" if pmc else "",
        tldr=paper.tldr.text,
        depth="abstract",
    )
