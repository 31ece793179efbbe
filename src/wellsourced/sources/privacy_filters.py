"""What stands before each service on the network: what it is asked goes by the one exit, and its host is named.

Whoever is asked for a query, a title or a term is handed out behind one of these (config/network.py,
config/factcheck.py). Ids of records (DOI, PMID), field tags, dates of publication and the user's own e-mail address for
NCBI are structure, and go as they are.
"""

from collections.abc import Sequence
from datetime import date

from wellsourced.errors import SourceRefused
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.sources import base
from wellsourced.sources.crossref import Crossref
from wellsourced.sources.doi_org import DatabaseCatalogue, DoiOrg
from wellsourced.sources.page_registries import InternetArchive
from wellsourced.text.urls import hide_secrets
from wellsourced.types import Document, Query, Reference, Retraction


class SourcePrivacyFilter:
    """A live source: queries are cleared of identifiers, and what it gives is known to be published."""

    def __init__(self, source: base.Source, host: str, exit: PrivacyFilter) -> None:
        self.name = source.name
        self._source, self._host, self._exit = source, host, exit

    async def describe(self) -> base.SourceInfo:
        return await self._source.describe()

    async def search(self, query: Query, limit: int) -> base.SearchResult:
        """As the source does. Raises PersonalDataError besides, and then nothing was sent."""
        clear = self._exit.clear_query(query, self.name)
        self._exit.disclose(self._host, self.name, " ".join((*clear.terms, *clear.also)))
        result = await self._source.search(clear, limit)
        self._exit.mark_published(*(hit.passage.reference.id for hit in result.hits))
        if clear == query:
            return result
        note = f"{self.name} was asked without words that may identify a person"
        return base.SearchResult(result.hits, (note, *result.notes))

    async def match_ids(self, query: Query, ids: Sequence[str]) -> base.IdMatches:
        """As the source does. Raises PersonalDataError besides, and SourceRefused where the source does not say."""
        if not isinstance(self._source, base.IdMatcher):
            raise SourceRefused(f"{self.name} cannot say which of some records match a query. Ask PubMed.")
        clear = self._exit.clear_query(query, self.name)
        self._exit.disclose(self._host, self.name, " ".join((*clear.terms, *clear.also)))
        return await self._source.match_ids(clear, ids)

    async def open(self, document_id: str) -> Document:
        self._exit.disclose(self._host, self.name, document_id)
        document = await self._source.open(document_id)
        self._exit.mark_published(document.reference.id)
        return document


class CataloguePrivacyFilter:
    """Who is asked for a work by what a text says of it: authors' names stay, other identifiers do not."""

    def __init__(self, catalogue: DatabaseCatalogue | Crossref | DoiOrg, host: str, exit: PrivacyFilter) -> None:
        self.name, self.ids, self.has_title_search = catalogue.name, catalogue.ids, catalogue.has_title_search
        self._catalogue, self._host, self._exit = catalogue, host, exit

    async def find_by_id(self, kind: base.IdKind, id: str) -> Reference:
        """As the catalogue does. Raises PersonalDataError for an id that holds a number of a person."""
        self._exit.check_field(id, self.name)
        self._exit.disclose(self._host, self.name, id)
        return await self._catalogue.find_by_id(kind, id)

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """As the catalogue does. Raises PersonalDataError where identifiers are to be refused."""
        clear = [self._exit.clear_reference(words, self.name) for words in (title, journal, *authors)]
        self._exit.disclose(self._host, self.name, " ".join(filter(None, (*clear, year))))
        return await self._catalogue.find_by_citation(clear[0], clear[2:], year, clear[1], limit)


class HeadingsPrivacyFilter:
    """Who knows the headings of MeSH: a term that identifies somebody is not asked for."""

    def __init__(self, headings: base.HeadingVocabulary, host: str, exit: PrivacyFilter) -> None:
        self.name = headings.name
        self._headings, self._host, self._exit = headings, host, exit

    async def heading(self, term: str) -> str:
        """As the vocabulary does; "" for a term of which nothing is left."""
        clear = self._clear_term(term)
        return await self._headings.heading(clear) if clear else ""

    async def explode(self, heading: str) -> list[str]:
        clear = self._clear_term(heading)
        return await self._headings.explode(clear) if clear else []

    def _clear_term(self, term: str) -> str:
        clear = self._exit.clear_words(term, self.name)
        if clear:
            self._exit.disclose(self._host, self.name, clear)
        return clear


class RegistryPrivacyFilter:
    """Who keeps count of withdrawn works: it is asked for ids alone, and its host is named."""

    def __init__(self, registry: base.RetractionRegistry, host: str, exit: PrivacyFilter) -> None:
        self.name = registry.name
        self._registry, self._host, self._exit = registry, host, exit

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        if references:
            ids = [one.doi or one.pmid or one.id for one in references]
            self._exit.disclose(self._host, f"{self.name}, on retractions", " ".join(ids))
        return await self._registry.retractions(references)


class ArchivePrivacyFilter:
    """Who keeps old copies of pages: an address that carries identifiers is not asked for."""

    def __init__(self, archive: InternetArchive, host: str, exit: PrivacyFilter) -> None:
        self._archive, self._host, self._exit = archive, host, exit

    async def has_copy(self, url: str, before: date) -> bool:
        """As the archive does. Raises PersonalDataError besides."""
        self._exit.check_address(url)
        self._exit.disclose(self._host, "the Internet Archive", hide_secrets(url))
        return await self._archive.has_copy(url, before)
