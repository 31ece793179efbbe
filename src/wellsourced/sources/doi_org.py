"""Catalogues of works: doi.org, which knows whether a DOI is registered at all, and databases asked for one work.

Crossref registers the DOIs of most journals; DataCite, mEDRA, JaLC and others those of data sets, reports, and journals
elsewhere. The handle system knows them all. API: https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from wellsourced.citations.identifiers import ID_PREFIXES
from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http import Client, Response
from wellsourced.readers.xml_records import strip_markup
from wellsourced.sources.base import IdKind, Source
from wellsourced.sources.crossref import format_authors
from wellsourced.sources.service_answers import DAY, AnswerPart
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Query, Reference

URL = "https://doi.org"
SERVICE = "doi.org"

CSL_JSON = "application/vnd.citationstyles.csl+json"
"""What agencies promise to give of a work: https://citation.crosscite.org/docs.html."""

REGISTERED, UNREGISTERED = 1, 100
"""Codes of the handle system (RFC 3652): success; no handle of that name."""

ANSWER_LIMIT = 1024 * 1024


class DoiOrg:
    """A catalogue that knows every DOI, and of many works title, authors and year besides."""

    name = SERVICE
    ids: Mapping[IdKind, bool] = {"doi": True}
    has_title_search = False

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url = client, url.rstrip("/")

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card that its agency gives; one with nothing but the DOI where the agency gives none. Raises
        NotFoundError."""
        if kind != "doi" or not await self._is_known_doi(id):
            raise NotFoundError(f"{SERVICE} has no DOI {id!r}. Check its spelling.")
        bare = Reference(id=f"doi:{id}", doi=id, url=f"https://doi.org/{quote(id, safe='/():;')}", kind="research")
        try:
            reply = await self._client.get(
                f"{self._url}/{quote(id, safe='/')}", headers={"Accept": CSL_JSON}, fresh=DAY, limit=ANSWER_LIMIT
            )
        except SourceRefused:
            # That it is registered is known; its agency answers 406, 404 or a page when it describes nothing.
            return bare
        # Some publishers answer with their page instead, which describes nothing that could be compared.
        return _fill_reference(bare, reply) if reply.type == CSL_JSON else bare

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """Nothing: it cannot be searched."""
        del title, authors, year, journal, limit
        return []

    async def _is_known_doi(self, doi: str) -> bool:
        try:
            reply = await self._client.get(
                f"{self._url}/api/handles/{quote(doi, safe='/')}", fresh=DAY, limit=ANSWER_LIMIT
            )
        except NotFoundError:
            return False
        code = AnswerPart.of(reply, SERVICE).number("responseCode", must=True)
        # Any other code means that the system could not tell: taken for "no", it would call a work invented.
        if code not in (REGISTERED, UNREGISTERED):
            raise SourceRefused(f"{SERVICE} did not say whether the DOI {doi} exists (it answered {code})")
        return code == REGISTERED


def _fill_reference(bare: Reference, reply: Response) -> Reference:
    work = AnswerPart.of(reply, SERVICE)
    type_ = work.text("type")
    known = {
        "title": strip_markup(work.text("title")),
        "authors": format_authors(work),
        "organisation": work.text("publisher"),
        "journal": strip_markup(work.text("container-title")),
        "published": work.date("issued.date-parts"),
        "publication_types": (type_,) if type_ else (),
        "depth": "record",
    }
    return bare.model_copy(update=known)


MAX_TITLE_WORDS = 12
"""Content words of a title that all have to stand in the title that is found."""

IGNORED_WORDS = STOP_WORDS | {"and", "or", "not"}
"""Words that are not asked for: they tell nothing, or an expression takes them for its own."""

LONGEST_WORDS = 3
"""The longest words of a title, by which a work of this author and year is found though others are not as printed."""


class DatabaseCatalogue:
    """PubMed, PMC or Europe PMC, by ids and by the words of titles.

    ids   the kinds that it is asked for, and whether its "no" is final
    """

    def __init__(self, source: Source, ids: Mapping[IdKind, bool], *, lists: bool = True) -> None:
        self.name, self.ids, self.has_title_search = source.name, ids, lists
        self._source = source

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card of its record. Raises NotFoundError."""
        return (await self._source.open(ID_PREFIXES[kind] + id)).reference

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """Works that have all words of the title; when there are none, those of this author and year with some."""
        del journal  # it is printed in too many ways
        # The strictest first: a looser query finds the work too, among many that it is not.
        for asked in _build_title_queries(title, authors, year):
            hits = (await self._source.search(Query(terms=(asked,), kind="boolean"), limit)).hits
            if hits:
                return list({hit.passage.reference.id: hit.passage.reference for hit in hits}.values())
        return []


def _build_title_queries(title: str, authors: Sequence[str], year: str) -> list[str]:
    """What is asked, in PubMed's language, the strictest first."""
    content = [word for word in dict.fromkeys(tokenize(title)) if word not in IGNORED_WORDS and word.isalnum()]
    exact = [" AND ".join(f"{word}[ti]" for word in content[:MAX_TITLE_WORDS])] if content else []
    family = " ".join(tokenize(authors[0].partition(",")[0]))[:60] if authors else ""
    # Author and year without a word of the title are dozens of works, none of which is meant.
    if not (family and year.isdigit() and content):
        return exact
    longest = sorted(content, key=len, reverse=True)[:LONGEST_WORDS]
    near = " OR ".join(f"{word}[ti]" for word in longest)
    # A year on either side: online first and in print are often two years.
    return [*exact, f"{family}[au] AND {int(year) - 1}:{int(year) + 1}[dp] AND ({near})"]
