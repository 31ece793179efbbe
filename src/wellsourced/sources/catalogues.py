"""Databases as catalogues: asked for one work by its id, or for the works that a citation may mean."""

from collections.abc import Mapping, Sequence

from wellsourced.sources.base import IdKind, Source
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Query, Reference

ID_PREFIXES: dict[IdKind, str] = {"doi": "doi:", "pmid": "pubmed:", "pmcid": "pmc:"}
"""What stands before an id in the id of a document."""

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
