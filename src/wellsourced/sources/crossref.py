"""Crossref, live: where publishers enter their works, and what they and Retraction Watch say of them afterwards.

API: https://api.crossref.org/swagger-ui. A work lists under `updated-by` what was said of it, a notice under
`update-to` of what it speaks; both are read, since a publisher may have entered either.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from pydantic import AliasChoices, BeforeValidator, Field

from wellsourced.citations.deduplication import REINSTATEMENT_PREFIX, merge_retractions, title_retraction
from wellsourced.citations.identifiers import normalize_doi, reference_ids
from wellsourced.citations.people import format_csl_name
from wellsourced.errors import NotFoundError, SourceUnavailable
from wellsourced.http import Client
from wellsourced.readers.xml_records import strip_markup
from wellsourced.sources.base import IdKind
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    ItemOrList,
    KebabCaseModel,
    answer_check,
    parse_records,
    within,
)
from wellsourced.types import Notice, NoticeKind, Reference, Retraction

SERVICE = "Crossref"

MAX_BATCH_DOIS = 25
"""DOIs in one request: the address stays shorter than any server minds."""

MAX_NOTICES = 50
"""Notices that are looked at for one work, where the service cannot be asked for those that name it."""

MAX_ROWS = 1_000
"""Notices on one batch, at most: the service gives no more at once."""

NOTICE_FIELDS = "DOI,title,updated-by,update-to"

NOTICE_KINDS: dict[str, tuple[NoticeKind, str]] = {
    "partial_retract": ("concern", "retracted in part"),
    "concern": ("concern", ""),
    "reinstate": ("republication", REINSTATEMENT_PREFIX),
    "retract": ("retraction", ""),
    "remov": ("retraction", "removed"),
    "withdraw": ("retraction", "withdrawn"),
    "new_version": ("republication", "new version"),
    "new_edition": ("republication", "new edition"),
    "correct": ("correction", ""),
    "corrigend": ("correction", ""),
    "errat": ("correction", ""),
}
"""What is in the name of a type of update, the first that is; any other (addendum, clarification) is shown like a
correction, under its own name."""


class CrossrefDate(KebabCaseModel):
    """A date as precise as it is known: [[2020, 6, 5]]; [[null]] when it is not."""

    date_parts: tuple[tuple[int | None, ...], ...] = ()

    @property
    def iso(self) -> str:
        """In ISO 8601; "" when unknown."""
        parts = [part for part in (self.date_parts[0] if self.date_parts else ()) if part]
        return "-".join([f"{part:04}" if place == 0 else f"{part:02}" for place, part in enumerate(parts[:3])])


def _list_dois(given: Any) -> list[str]:
    """The DOIs that a field gives: one, which may have commas in it, several in one string, or a list of such."""
    fields = given if isinstance(given, list) else [given]
    parts = (part for field in fields for part in re.split(r"[,;\s]+(?=\S*?10\.\d{4,9}/)", str(field)))
    return [doi for part in parts if (doi := normalize_doi(part))]


class CrossrefUpdate(KebabCaseModel):
    """What was said of a work. `dois` are the notice's under updated-by, and those of works under update-to."""

    dois: Annotated[tuple[str, ...], BeforeValidator(_list_dois)] = Field(
        (), validation_alias=AliasChoices("DOI", "doi")
    )
    type: str = Field("", validation_alias=AliasChoices("type", "label"))
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
        return format_csl_name({**self.model_dump(), "literal": self.name})


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
    updated_by: ItemOrList[CrossrefUpdate] = ()
    update_to: ItemOrList[CrossrefUpdate] = ()


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
        """By the id of each reference whose DOI it knows: "true" with the notices, or "false", as of today.

        "false" takes both the work's own record and the notices that name it; where one could not be asked for, it is
        "unknown".
        """
        dois = {one.id: doi for one in references if (doi := reference_ids(one).doi)}
        known = await self._fetch_notices(sorted(set(dois.values())))
        return {id: self._build_retraction(known[doi]) for id, doi in dois.items() if doi in known}

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card of the work with this DOI, in any spelling. Raises NotFoundError."""
        if kind != "doi":
            raise NotFoundError(f"{self.name} looks up DOIs only, not a {kind}")
        unknown = NotFoundError(f"{SERVICE} has no work with the DOI {id!r}. Check its spelling.")
        # A bare one is asked for as it is: some are registered with the signs that others misprint.
        if not (doi := id if id.startswith("10.") else normalize_doi(id)):
            raise unknown
        try:
            return self._build_reference(await self._fetch_work(doi))
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

    async def _fetch_notices(self, dois: Sequence[str]) -> Mapping[str, Sequence["WorkNotices"]]:
        """What was said of each work that is known, by its DOI in small letters."""
        # A comma parts the filters of a request: the few DOIs that contain one are asked for by themselves.
        plain, odd = [doi for doi in dois if "," not in doi], [doi for doi in dois if "," in doi]
        batches = [plain[start : start + MAX_BATCH_DOIS] for start in range(0, len(plain), MAX_BATCH_DOIS)]
        answers = await asyncio.gather(*map(self._fetch_batch_notices, batches), *map(self._fetch_single_notices, odd))
        known: dict[str, list[WorkNotices]] = defaultdict(list)
        for told in (told for answer in answers for told in answer):
            known[told.doi].append(told)
        return known

    async def _fetch_batch_notices(self, dois: Sequence[str]) -> Sequence["WorkNotices"]:
        """What the works themselves say, and what the notices say that name them."""
        works, notices = await asyncio.gather(
            self._fetch_filtered_works("doi", dois), self._fetch_filtered_works("updates", dois)
        )
        return [
            *(extract_own_notices(work)._replace(is_whole=True) for work in works),
            *(told for notice in notices for told in extract_notices_on_others(notice)),
        ]

    async def _fetch_single_notices(self, doi: str) -> Sequence["WorkNotices"]:
        """What the work itself says, and notices that have the words of its title: others may name it, too."""
        own: list[CrossrefWork] = []
        with suppress(NotFoundError):
            own.append(await self._fetch_work(doi))
        words = " ".join(title for work in own for title in work.title) or doi
        asked = {"query.bibliographic": words[:MAX_QUERY_CHARACTERS], "filter": "is-update:true"}
        notices, _ = await self._fetch_works({**asked, "rows": MAX_NOTICES, "select": NOTICE_FIELDS})
        others = (told for notice in notices for told in extract_notices_on_others(notice))
        return [*map(extract_own_notices, own), *(told for told in others if told.doi == doi)]

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

    def _build_retraction(self, told: Sequence["WorkNotices"]) -> Retraction:
        notices = tuple(notice for one in told for notice in one.notices)
        retracted = any(notice.kind == "retraction" for notice in notices)
        silence = "false" if any(one.is_whole for one in told) else "unknown"
        word = Retraction(status="true" if retracted else silence, as_of=self._today(), notices=notices)
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
            retraction=self._build_retraction([extract_own_notices(work)]),
            depth="abstract",
        )


class WorkNotices(NamedTuple):
    """A work that is known, by its DOI in small letters, and the notices on it.

    is_whole   its own record was read and every notice that names it: without one it was not retracted
    """

    doi: str
    notices: Sequence[Notice]
    is_whole: bool = False


def extract_own_notices(work: CrossrefWork) -> WorkNotices:
    """What a work's own record says of it. Where it updates itself, its publisher put the notice in its place."""
    own = normalize_doi(work.doi)
    itself = [notice for told in extract_notices_on_others(work) if told.doi == own for notice in told.notices]
    notices = [_build_notice(update, next(iter(update.dois), "")) for update in work.updated_by] + itself
    # A notice may be called "Retracted: …" after the work that it names.
    if not notices and not work.update_to:
        notices += title_retraction(strip_markup(" ".join(work.title)), SERVICE).notices
    return WorkNotices(own, notices)


def extract_notices_on_others(notice: CrossrefWork) -> Iterator[WorkNotices]:
    """What a notice says of other works. Of itself it says nothing: it is not what was retracted."""
    for update in notice.update_to:
        for doi in update.dois:
            yield WorkNotices(doi, [_build_notice(update, normalize_doi(notice.doi))])


def _build_notice(update: CrossrefUpdate, doi: str) -> Notice:
    type_ = re.sub(r"[\s-]+", "_", update.type.strip().lower())
    other: tuple[NoticeKind, str] = ("correction", type_.replace("_", " "))
    kind, reason = next((told for name, told in NOTICE_KINDS.items() if name in type_), other)
    by = "reported by Retraction Watch" if update.source == "retraction-watch" else ""
    return Notice(
        kind=kind,
        source=SERVICE,
        id=f"doi:{doi}" if doi else "",
        published=update.updated.iso,
        reason=", ".join(filter(None, (reason, by))),
    )
