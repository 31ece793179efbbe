"""PubMed, live, through NCBI's E-utilities: abstracts, and chapters of GeneReviews and StatPearls."""

from collections.abc import Callable, Sequence
from datetime import date

from wellsourced.readers.base import DocumentStream, File
from wellsourced.readers.medline.documents import read_medline
from wellsourced.sources.base import IdMatches
from wellsourced.sources.ncbi.entrez import NcbiSource, build_expression
from wellsourced.types import Query, Reference, Retraction

MAX_IDS_A_REQUEST = 1_000
"""PMIDs that one query asks for."""


class PubMed(NcbiSource):
    """PubMed as a source of abstracts, whose records can also be asked for by their PMIDs."""

    name, title, prefix, batch = "pubmed", "PubMed", "pubmed:", 200
    about = "abstracts of biomedical literature, and chapters of GeneReviews and StatPearls"

    def read_records(self, answer: File) -> DocumentStream:
        return read_medline(answer, "research")

    async def match_ids(self, query: Query, ids: Sequence[str]) -> IdMatches:
        """How many records the query finds, and which of these PMIDs are among them: a request for each thousand."""
        term = build_expression(query)
        total = (await self._eutils.search(self.name, term, 0)).total
        found: set[str] = set()
        for start in range(0, len(ids), MAX_IDS_A_REQUEST):
            some = ids[start : start + MAX_IDS_A_REQUEST]
            among = " OR ".join(f"{id}[uid]" for id in some)
            found.update((await self._eutils.search(self.name, f"({term}) AND ({among})", len(some))).ids)
        return IdMatches(total, frozenset(found))


class PubMedRegistry:
    """A registry of retractions: what the records of works with a PMID say today."""

    name = "PubMed"

    def __init__(self, pubmed: PubMed, today: Callable[[], date] = date.today) -> None:
        self._pubmed, self._today = pubmed, today

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        """By the id of each reference whose record PubMed gives: "true" with its notices, or "false" as of today."""
        named = {
            reference.id: f"pubmed:{reference.pmid}" if reference.pmid else reference.id for reference in references
        }
        wanted = [id for id in named.values() if id.startswith("pubmed:")]
        documents = (await self._pubmed.fetch_records(wanted)).documents
        return {
            id: self._date_today(documents[record].reference.retraction)
            for id, record in named.items()
            if record in documents
        }

    def _date_today(self, said: Retraction) -> Retraction:
        # PubMed's record of today says of every notice that it knows: its silence counts, unlike that of an old copy.
        status = "true" if said.status == "true" else "false"
        return said.model_copy(update={"status": status, "as_of": self._today()})
