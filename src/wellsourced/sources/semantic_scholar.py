"""Semantic Scholar, live: abstracts of works that others cite.

The rule by which papers are chosen is Clinfo.ai's (Lozano et al., PSB 2024) as published in its code.
API: https://api.semanticscholar.org/api-docs/graph.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from pydantic import SecretStr

from wellsourced.citations.people import format_display_name
from wellsourced.errors import NotFoundError
from wellsourced.http import Client, Response
from wellsourced.readers.html_text import parse_abstract
from wellsourced.sources.base import SearchResult
from wellsourced.sources.live_search import LiveSource, build_hits, required_words
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPart,
    describe_unreadable_records,
    parse_records,
)
from wellsourced.text.dates import is_eligible
from wellsourced.types import Document, Query, Reference, SourceKind

SERVICE = "Semantic Scholar"
FIELDS = "title,abstract,tldr,url,venue,year,authors,externalIds,citationCount,influentialCitationCount,fieldsOfStudy"
PAPERS_REQUESTED = 50
"""Papers asked for."""

MIN_CITATIONS, ENOUGH_PAPERS, FALLBACK_CITATIONS = 10, 5, 1
"""Citations that a paper must have; with fewer papers than that, so many are enough."""

MAX_PAPERS = 15
"""Papers of one search."""


class Paper(NamedTuple):
    """A paper as the service answers it.

    names       everything that its document may be called, in small letters
    citations   by how many others it is cited
    lacks       why it cannot be read or cited; "" when it can
    """

    document: Document
    names: set[str]
    citations: int
    lacks: Literal["", "no id", "no abstract"]


class PaperSelection(NamedTuple):
    """The papers that count, in the service's order, the citations that they need, and why others were left out."""

    papers: tuple[Paper, ...]
    threshold: int
    reasons: tuple[str, ...]


class SemanticScholar(LiveSource):
    """A source. A paper is known by its PMID, else its DOI, else the service's own id ("s2:…").

    key   sent as x-api-key; without one, all users of the world share one quota

    Which threshold held and what was left out is told as a note.
    """

    name, about = "semantic_scholar", "abstracts of papers that others cite"
    asks = ("text",)

    def __init__(self, client: Client, url: str, key: SecretStr | None = None) -> None:
        super().__init__(client, url)
        self._terms: dict[str, Any] = {"headers": {"x-api-key": key} if key else {}, "fresh": HOUR}

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the papers that the service finds most relevant and that enough others cite."""
        words = build_keywords(query)
        notes = [_no_boolean_note(words)] if limit > 0 and query.kind == "boolean" else []
        if limit < 1 or not words:
            return SearchResult([], tuple(notes))
        papers, unreadable = await self._fetch_papers(words, query)
        chosen = select_papers(papers)
        notes += (*unreadable, *_describe_selection(chosen))
        eligible = [one.document for one in chosen.papers if is_eligible(query, one.document.reference)]
        admitted = eligible[:MAX_PAPERS]
        self.remember(admitted)
        return SearchResult(build_hits(admitted, query, limit), tuple(notes))

    async def fetch_document(self, document_id: str) -> Document:
        """The document of an id "pubmed:…", "doi:…" or "s2:…". Raises NotFoundError."""
        unknown = NotFoundError(f"{SERVICE} has no paper {document_id!r}. Ids look like pubmed:31234567.")
        if not (name := service_id(document_id)):
            raise unknown

        def read(reply: Response) -> Paper:
            return read_paper(AnswerPart.of(reply, SERVICE), self.kind)

        address = f"{self._url}/paper/{quote(name, safe=':')}"
        try:
            paper = read(await self._client.get(address, {"fields": FIELDS}, check=read, **self._terms))
        except NotFoundError as error:
            raise unknown from error
        if document_id.lower() not in paper.names:
            raise unknown
        return paper.document

    async def _fetch_papers(self, words: str, query: Query) -> tuple[list[Paper], list[str]]:
        """The papers, and a note on those that cannot be read."""
        asked: dict[str, str | int] = {"query": words, "limit": PAPERS_REQUESTED, "offset": 0, "fields": FIELDS}
        if query.since or query.as_of:
            asked["publicationDateOrYear"] = f"{query.since or ''}:{query.as_of or ''}"
        found = _read_list(await self._client.get(f"{self._url}/paper/search", asked, check=_read_list, **self._terms))
        papers, faults = parse_records(found, lambda part: read_paper(part, self.kind), SERVICE)
        return papers, describe_unreadable_records(SERVICE, faults, papers, "paper")


def _read_list(reply: Response) -> list[Any]:
    """The papers of a search, not yet read; without hits the answer has no list."""
    return AnswerPart.of(reply, SERVICE).records("data")


def build_keywords(query: Query) -> str:
    """What is asked: the words without hyphens, which the service does not match.

    Of a Boolean expression the words that have to be there. Raises BadQuery for one that cannot be read.
    """
    text = required_words(query.text) if query.kind == "boolean" else query.text
    return " ".join(re.sub("[-‐‑–]", " ", text).split())[:MAX_QUERY_CHARACTERS]


def _no_boolean_note(words: str) -> str:
    asked = f"the words “{words}” were searched" if words else "and this one contains no words"
    return f"{SERVICE} does not support Boolean expressions: {asked}"


def select_papers(papers: Sequence[Paper]) -> PaperSelection:
    """The papers with an id, an abstract and enough citations."""
    enough = sum(paper.citations >= MIN_CITATIONS for paper in papers if not paper.lacks) >= ENOUGH_PAPERS
    threshold = MIN_CITATIONS if enough else FALLBACK_CITATIONS
    few = f"fewer than {threshold} citations"
    reasons = [paper.lacks or (few if paper.citations < threshold else "") for paper in papers]
    chosen = tuple(paper for paper, reason in zip(papers, reasons, strict=True) if not reason)
    return PaperSelection(chosen, threshold, tuple(filter(None, reasons)))


def _describe_selection(chosen: PaperSelection) -> Iterator[str]:
    if chosen.threshold < MIN_CITATIONS:
        few = f"fewer than {ENOUGH_PAPERS} papers have {MIN_CITATIONS} citations"
        yield f"{SERVICE}: {few}, so {chosen.threshold} sufficed"
    if count := len(chosen.reasons):
        number = "one paper" if count == 1 else f"{count} papers"
        yield f"{SERVICE}: {number} left out ({'; '.join(dict.fromkeys(chosen.reasons))})"


def service_id(document_id: str) -> str:
    """What the service calls the paper of a document's id; "" for what is no id of this source."""
    kind, _, id = document_id.partition(":")
    if kind == "pubmed" and re.fullmatch(r"[1-9][0-9]{0,11}", id):
        return f"PMID:{id}"
    if kind == "doi" and id.startswith("10."):
        return f"DOI:{id}"
    return id if kind == "s2" and re.fullmatch(r"[0-9a-f]{40}", id) else ""


def read_paper(paper: AnswerPart, kind: SourceKind) -> Paper:
    """A paper with its card and its abstract."""
    doi, pubmed, own = paper.text("externalIds.DOI"), paper.text("externalIds.PubMed"), paper.text("paperId")
    pmid, pmc = pubmed if pubmed.isdecimal() else "", paper.text("externalIds.PubMedCentral")
    title, abstract, year = paper.text("title"), paper.text("abstract"), paper.number("year")
    reference = Reference(
        id=f"pubmed:{pmid}" if pmid else f"doi:{doi}" if doi else f"s2:{own}",
        title=title,
        url=paper.text("url"),
        kind=kind,
        published=str(year) if 1000 <= year <= 2999 else "",
        authors=tuple(format_display_name(name) for author in paper.parts("authors") if (name := author.text("name"))),
        journal=paper.text("venue"),
        doi=doi,
        pmid=pmid,
        pmcid=f"PMC{pmc.upper().removeprefix('PMC')}" if pmc else "",
        # The service's own line on it, written by a model.
        tldr=paper.text("tldr.text"),
        depth="abstract",
    )
    text, sections = parse_abstract(title, abstract)
    names = {f"pubmed:{pubmed}", f"doi:{doi}".lower(), f"s2:{own}".lower()}
    lacks: Literal["", "no id", "no abstract"] = "" if abstract.strip() else "no abstract"
    return Paper(
        Document(reference=reference, text=text, sections=sections),
        names,
        paper.number("citationCount"),
        lacks if own or doi or pubmed else "no id",
    )
