"""Systematic reviews in PubMed with the works that they cite, for whoever makes questions of them."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from pydantic import SecretStr

from wellsourced.errors import NotFoundError, SourceError
from wellsourced.http import Client
from wellsourced.readers.reader_thread import run_in_reader_thread
from wellsourced.readers.reviewed_works import CitedWorkLists, ReviewRecord, read_cited_works, read_review_records
from wellsourced.sources.ncbi.eutils import Eutils
from wellsourced.sources.service_answers import DAY

REVIEWS = '("systematic review"[pt] OR "meta-analysis"[pt]) AND fha[filter] AND english[filter]'
"""What every search is narrowed to, in PubMed's language; "fha" is its filter for records with an abstract."""


class FetchedReviews(NamedTuple):
    """What came of asking for records.

    reviews   by their PMIDs; a reference list that PubMed lacks is that of PMC, where PMC has one
    missing   PMID → why it was not given
    notes     what went wrong with reference lists, a sentence each without a full stop
    """

    reviews: dict[str, ReviewRecord]
    missing: dict[str, str]
    notes: tuple[str, ...] = ()


class ReviewSearch:
    """PubMed, asked for reviews. Raises as a live source does."""

    name = "PubMed"

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None, email: str = "") -> None:
        self._eutils = Eutils(client, url, key=key, email=email)

    async def find_reviews(self, term: str, most: int, since: date | None, until: date | None) -> tuple[str, ...]:
        """PMIDs of the first reviews for an expression, as PubMed ranks them; "" for any. Kept for a day."""
        narrowed = f"({term}) AND {REVIEWS}" if term else REVIEWS
        return (await self._eutils.search("pubmed", narrowed, most, since=since, as_of=until, fresh=DAY)).ids

    async def fetch_reviews(self, pmids: Sequence[str]) -> FetchedReviews:
        """Their records. What an answer that was cut off lacks is asked for once more."""
        found, fault = await self._fetch_records(pmids)
        if fault and (lost := [pmid for pmid in pmids if pmid not in found]):
            again, fault = await self._fetch_records(lost)
            found |= again
        why = f"PubMed's answer cannot be read ({fault})" if fault else "PubMed does not give its record"
        missing = {pmid: why for pmid in pmids if pmid not in found}
        # PubMed has the reference lists of some publishers alone; PMC has those of its own articles.
        bare = {one.record.pmcid: pmid for pmid, one in found.items() if one.record.pmcid and not one.cited.entries}
        try:
            listed = await self._fetch_cited_works(list(bare)) if bare else CitedWorkLists({})
        except SourceError as error:
            return FetchedReviews(found, missing, (f"reference lists of PMC: {error.phrase}",))
        found |= {bare[id]: found[bare[id]]._replace(cited=cited) for id, cited in listed.works.items() if id in bare}
        notes = (f"reference lists of PMC: {listed.fault}",) if listed.fault else ()
        return FetchedReviews(found, missing, notes)

    async def _fetch_records(self, pmids: Sequence[str]) -> tuple[dict[str, ReviewRecord], str]:
        try:
            data = await self._eutils.fetch("pubmed", pmids)
        except NotFoundError:
            return {}, ""
        read = await run_in_reader_thread(read_review_records, data)
        return {one.record.pmid: one for one in read.reviews}, read.fault

    async def _fetch_cited_works(self, pmcids: Sequence[str]) -> CitedWorkLists:
        try:
            data = await self._eutils.fetch("pmc", [id.removeprefix("PMC") for id in pmcids])
        except NotFoundError:
            return CitedWorkLists({})
        return await run_in_reader_thread(read_cited_works, data)
