"""ClinicalTrials.gov, live: registered trials, planned, running and done, with their results where they are posted.

API: https://clinicaltrials.gov/data-api/api
"""

import re
from collections.abc import Mapping

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http import Response
from wellsourced.query_language.query_writers import TranslatedQuery
from wellsourced.sources.clinical_trials.essie_queries import build_date_filter, translate_for_clinical_trials
from wellsourced.sources.clinical_trials.trial_documents import build_document
from wellsourced.sources.clinical_trials.trial_records import FIELDS, SERVICE, TrialPage, TrialRecord
from wellsourced.sources.live_search import RelaxingSource
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPage,
    answer_check,
    describe_unreadable_records,
    fetch_records,
    parse_answer,
)
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query


class ClinicalTrials(RelaxingSource):
    """A source. A trial is known by its NCT id ("nct:NCT01234567"); queries are written in Essie.

    A document is a record put into sentences by us: `Reference.depth` is "record". A trial without posted results is a
    protocol, and its `publication_types` say so.
    """

    name, service, noun, any_word = "clinical_trials", SERVICE, "trials", '"{}"'
    about = "registered clinical trials: design, eligibility, outcomes, status, and results where they are posted"
    kind = "trial"

    def translate(self, expression: str) -> TranslatedQuery:
        return translate_for_clinical_trials(expression)

    def build_expression(self, query: Query) -> str:
        if query.kind == "boolean":
            return self.translate(query.text).text
        terms = query.terms
        # A single term is a question in words: as one phrase it would be found nowhere.
        phrases = self.content_words(query.text) if len(terms) == 1 else [" ".join(tokenize(one)) for one in terms]
        return " AND ".join(f'"{phrase}"' for phrase in phrases if phrase)

    def content_words(self, text: str) -> list[str]:
        """As many as an address holds."""
        return super().content_words(text[: MAX_QUERY_CHARACTERS // 2])[:100]

    async def count(self, query: Query) -> int:
        if not (expression := self.build_expression(query)):
            return 0
        page = await self._fetch_page(expression, query, 1, {"fields": "NCTId", "countTotal": "true"})
        # -1 says that the field was missing; taken for a number it would end as "no trials".
        if page.total_count < 0:
            raise SourceRefused(f"{SERVICE} did not say how many trials there are: its answer has another form.")
        return page.total_count

    async def fetch_document(self, document_id: str) -> Document:
        """The trial of an id "nct:NCT01234567". Raises NotFoundError."""
        if not (id := re.fullmatch(r"nct:(NCT[0-9]{8})", document_id)):
            raise NotFoundError(f"{SERVICE} has no trial {document_id!r}. Its ids are like nct:NCT01234567.")
        check = answer_check(TrialRecord, SERVICE)
        fields = {"fields": FIELDS, "format": "json"}
        reply = await self._client.get(f"{self._url}/studies/{id[1]}", fields, fresh=HOUR, check=check)
        record = parse_answer(reply, TrialRecord, SERVICE)
        names = record.protocol_section.identification_module
        # The service leads from an old id to the trial that took its place, which is the same; any other is not what
        # was asked.
        if id[1] not in (names.nct_id, *names.nct_id_aliases):
            raise NotFoundError(f"{SERVICE} gave {names.nct_id} for {id[1]}.")
        return build_document(record, self.kind)

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        if not expression:
            return 0, []

        async def fetch_page(token: str, size: int) -> AnswerPage:
            more = {"pageToken": token} if token else {"countTotal": "true"}
            page = await self._fetch_page(expression, query, size, more)
            return AnswerPage(page.total_count, page.studies, page.next_page_token)

        total, records, faults = await fetch_records(fetch_page, "", limit + len(query.exclude), TrialRecord)
        notes += describe_unreadable_records(SERVICE, faults, records, "trial")
        return total, [build_document(record, self.kind) for record in records]

    async def _fetch_page(self, expression: str, query: Query, size: int, more: Mapping[str, str]) -> TrialPage:
        if len(expression) > MAX_QUERY_CHARACTERS:
            raise SourceRefused(f"{SERVICE} takes no query of {len(expression):,} characters: shorten it.")
        dates = build_date_filter(query)
        fields = {"query.term": expression, "pageSize": str(size), "fields": FIELDS, "format": "json", **more}
        fields |= {"filter.advanced": dates} if dates else {}
        reply: Response = await self._client.get(
            f"{self._url}/studies", fields, fresh=HOUR, check=answer_check(TrialPage, SERVICE)
        )
        return parse_answer(reply, TrialPage, SERVICE)
