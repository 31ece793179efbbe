"""Crossref, live: where publishers enter their works, and what they and Retraction Watch say of them afterwards.

API: https://api.crossref.org/swagger-ui. A work lists under `updated-by` what was said of it, a notice under
`update-to` of what it speaks; both are read, since a publisher may have entered either.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import quote

from pydantic import Field

from wellsourced.citations.deduplication import REINSTATEMENT_PREFIX, merge_retractions, normalize_doi, reference_ids
from wellsourced.citations.people import format_group, format_person
from wellsourced.errors import NotFoundError, SourceUnavailable
from wellsourced.http import Client
from wellsourced.readers.xml_records import strip_markup
from wellsourced.sources.base import IdKind
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    KebabCaseModel,
    answer_check,
    parse_records,
    within,
)
from wellsourced.types import Notice, NoticeKind, Reference, Retraction

SERVICE = "Crossref"

MAX_BATCH_DOIS = 25
"""DOIs in one request: the address stays shorter than any server minds."""

MAX_ROWS = 1_000
"""Notices on one batch, at most: the service gives no more at once."""

NOTICE_FIELDS = "DOI,updated-by,update-to"

NOTICE_KINDS: dict[str, tuple[NoticeKind, str]] = {
    "retraction": ("retraction", ""),
    "removal": ("retraction", "removed"),
    "withdrawal": ("retraction", "withdrawn"),
    "partial_retraction": ("concern", "retracted in part"),
    "expression_of_concern": ("concern", ""),
    "reinstatement": ("republication", REINSTATEMENT_PREFIX),
    "new_version": ("republication", "new version"),
    "new_edition": ("republication", "new edition"),
    "correction": ("correction", ""),
    "corrigendum": ("correction", ""),
    "erratum": ("correction", ""),
}
"""Types of updates; any other (addendum, clarification) is shown like a correction, under its own name."""


class CrossrefDate(KebabCaseModel):
    """A date as precise as it is known: [[2020, 6, 5]]; [[null]] when it is not."""

    date_parts: tuple[tuple[int | None, ...], ...] = ()

    @property
    def iso(self) -> str:
        """In ISO 8601; "" when unknown."""
        parts = [part for part in (self.date_parts[0] if self.date_parts else ()) if part]
        return "-".join([f"{part:04}" if place == 0 else f"{part:02}" for place, part in enumerate(parts[:3])])


class CrossrefUpdate(KebabCaseModel):
    """What was said of a work. `doi` is the notice's under updated-by, and the work's under update-to."""

    doi: str = Field("", alias="DOI")
    type: str = ""
    source: str = ""
    updated: CrossrefDate = CrossrefDate()


class CrossrefPerson(KebabCaseModel):
    """An author, or a group of them."""

    given: str = ""
    family: str = ""
    suffix: str = ""
    name: str = ""

    @property
    def line(self) -> str:
        """As a record keeps it; "" for one without a name."""
        return format_person(self.family, self.given, self.suffix) if self.family else format_group(self.name)


class CrossrefWork(KebabCaseModel):
    """A work as the service answers it."""

    doi: str = Field(alias="DOI")
    type: str = ""
    title: tuple[str, ...] = ()
    author: tuple[CrossrefPerson, ...] = ()
    publisher: str = ""
    container_title: tuple[str, ...] = ()
    volume: str = ""
    issue: str = ""
    page: str = ""
    issued: CrossrefDate = CrossrefDate()
    updated_by: tuple[CrossrefUpdate, ...] = ()
    update_to: tuple[CrossrefUpdate, ...] = ()


class WorkListAnswer(KebabCaseModel):
    """An answer with works, not yet read."""

    works: tuple[Any, ...] = within("message.items", ...)
    total: int = within("message.total-results", 0)


class WorkAnswer(KebabCaseModel):
    """An answer with one work."""

    message: CrossrefWork


class Crossref:
    """A registry of retractions, and a catalogue of works: by DOI, and by a citation in words, however roughly printed.

    email   sent as `mailto`: who gives one is served from a better pool, and told before he is blocked
    today   the day that what it says now is known as of
    """

    name = SERVICE
    ids: Mapping[IdKind, bool] = {"doi": False}
    has_title_search = True

    def __init__(self, client: Client, url: str, email: str = "", *, today: Callable[[], date] = date.today) -> None:
        self._client, self._url, self._today = client, url.rstrip("/"), today
        self._contact = {"mailto": email} if email else {}

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        """By the id of each reference whose DOI it knows: "true" with the notices, or "false", as of today."""
        dois = {one.id: doi for one in references if (doi := reference_ids(one).doi)}
        known = await self._fetch_notices(sorted(set(dois.values())))
        return {id: self._build_retraction(known[doi]) for id, doi in dois.items() if doi in known}

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card of the work with this DOI, in any spelling. Raises NotFoundError."""
        if kind != "doi":
            raise NotFoundError(f"{self.name} looks up DOIs only, not a {kind}")
        unknown = NotFoundError(f"{SERVICE} has no work with the DOI {id!r}. Check its spelling.")
        if not (plain := normalize_doi(id)):
            raise unknown
        try:
            return self._build_reference(await self._fetch_work(plain))
        except NotFoundError as error:
            raise unknown from error

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """The works that a citation may mean, the likeliest first, at most `limit`."""
        words = " ".join(" ".join((title, *authors[:1], journal, year)).split())[:MAX_QUERY_CHARACTERS]
        if not words or limit < 1:
            return []
        works, _ = await self._fetch_works({"query.bibliographic": words, "rows": min(limit, MAX_ROWS)})
        return [self._build_reference(work) for work in works]

    async def _fetch_notices(self, dois: Sequence[str]) -> Mapping[str, Sequence[Notice]]:
        """What was said of each work that is known, by its DOI in small letters."""
        # A comma parts the filters of a request: the few DOIs that contain one are asked for by themselves.
        plain, odd = [doi for doi in dois if "," not in doi], [doi for doi in dois if "," in doi]
        batches = [plain[start : start + MAX_BATCH_DOIS] for start in range(0, len(plain), MAX_BATCH_DOIS)]
        answers = await asyncio.gather(*map(self._fetch_batch_notices, batches), *map(self._fetch_single_notices, odd))
        known: dict[str, list[Notice]] = defaultdict(list)
        for doi, notices in (told for answer in answers for told in answer):
            known[doi] += notices
        return known

    async def _fetch_batch_notices(self, dois: Sequence[str]) -> Sequence["WorkNotices"]:
        """What the works themselves say, and what the notices say that name them."""
        works, notices = await asyncio.gather(
            self._fetch_filtered_works("doi", dois), self._fetch_filtered_works("updates", dois)
        )
        return [
            *map(extract_own_notices, works),
            *(told for notice in notices for told in extract_notices_on_others(notice)),
        ]

    async def _fetch_single_notices(self, doi: str) -> Sequence["WorkNotices"]:
        try:
            return [extract_own_notices(await self._fetch_work(doi))]
        except NotFoundError:
            return []

    async def _fetch_filtered_works(self, name: str, dois: Sequence[str]) -> Sequence[CrossrefWork]:
        filter = ",".join(f"{name}:{doi}" for doi in dois)
        works, total = await self._fetch_works({"filter": filter, "rows": MAX_ROWS, "select": NOTICE_FIELDS})
        if total > len(works):
            raise SourceUnavailable(f"{SERVICE} returned {len(works)} of {total} records. Try again later.")
        return works

    async def _fetch_works(self, asked: Mapping[str, str | int]) -> tuple[Sequence[CrossrefWork], int]:
        read, asked = answer_check(WorkListAnswer, SERVICE), {**asked, **self._contact}
        answer = read(await self._client.get(f"{self._url}/works", asked, fresh=HOUR, check=read))
        works, faults = parse_records(answer.works, CrossrefWork)
        if faults:
            raise SourceUnavailable(f"{SERVICE} returned an unreadable record ({faults[0]}). Try again later.")
        return works, answer.total

    async def _fetch_work(self, doi: str) -> CrossrefWork:
        read, address = answer_check(WorkAnswer, SERVICE), f"{self._url}/works/{quote(doi, safe='')}"
        return read(await self._client.get(address, self._contact, fresh=HOUR, check=read)).message

    def _build_retraction(self, notices: Sequence[Notice]) -> Retraction:
        retracted = any(notice.kind == "retraction" for notice in notices)
        word = Retraction(status="true" if retracted else "false", as_of=self._today(), notices=tuple(notices))
        return merge_retractions([word])

    def _build_reference(self, work: CrossrefWork) -> Reference:
        return Reference(
            id=f"doi:{work.doi}",
            title=strip_markup(" ".join(work.title)),
            url=f"https://doi.org/{quote(work.doi, safe='/():;')}",
            kind="research",
            organisation=work.publisher,
            published=work.issued.iso,
            authors=tuple(name for one in work.author if (name := one.line)),
            journal=strip_markup(" ".join(work.container_title[:1])),
            volume=work.volume,
            issue=work.issue,
            pages=work.page,
            doi=work.doi,
            publication_types=(work.type,) if work.type else (),
            retraction=self._build_retraction(extract_own_notices(work).notices),
            depth="abstract",
        )


class WorkNotices(NamedTuple):
    """A work that is known, by its DOI in small letters, and the notices on it."""

    doi: str
    notices: Sequence[Notice]


def extract_own_notices(work: CrossrefWork) -> WorkNotices:
    """What a work's own record says of it. Where it updates itself, its publisher put the notice in its place."""
    own = normalize_doi(work.doi)
    itself = [notice for told in extract_notices_on_others(work) if told.doi == own for notice in told.notices]
    return WorkNotices(
        own, [*(_build_notice(update, normalize_doi(update.doi)) for update in work.updated_by), *itself]
    )


def extract_notices_on_others(notice: CrossrefWork) -> Iterator[WorkNotices]:
    """What a notice says of other works. Of itself it says nothing: it is not what was retracted."""
    for update in notice.update_to:
        if doi := normalize_doi(update.doi):
            yield WorkNotices(doi, [_build_notice(update, normalize_doi(notice.doi))])


def _build_notice(update: CrossrefUpdate, doi: str) -> Notice:
    type_ = re.sub(r"[\s-]+", "_", update.type.strip().lower())
    kind, reason = NOTICE_KINDS.get(type_, ("correction", type_.replace("_", " ")))
    by = "reported by Retraction Watch" if update.source == "retraction-watch" else ""
    return Notice(
        kind=kind,
        source=SERVICE,
        id=f"doi:{doi}" if doi else "",
        published=update.updated.iso,
        reason=", ".join(filter(None, (reason, by))),
    )
