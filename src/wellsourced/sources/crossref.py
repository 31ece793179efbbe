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
from typing import Any, NamedTuple
from urllib.parse import quote

from wellsourced.citations.deduplication import REINSTATEMENT_PREFIX, merge_retractions, title_retraction
from wellsourced.citations.identifiers import normalize_doi, reference_ids
from wellsourced.citations.people import format_csl_name
from wellsourced.errors import NotFoundError, SourceUnavailable
from wellsourced.http import Client, Response
from wellsourced.readers.xml_records import strip_markup
from wellsourced.sources.base import IdKind
from wellsourced.sources.service_answers import HOUR, MAX_QUERY_CHARACTERS, AnswerPart, parse_records
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


def format_authors(work: AnswerPart) -> tuple[str, ...]:
    """The authors, people and groups, each as a record keeps it; a group has a `name` here, and a `literal` in CSL."""
    lines = (format_csl_name({"literal": one.text("name"), **one.value}) for one in work.parts("author"))
    return tuple(filter(None, lines))


def _list_dois(update: AnswerPart) -> list[str]:
    """The DOIs that a field gives: one, which may have commas in it, several in one string, or a list of such.

    Under updated-by it is the notice's, under update-to those of works.
    """
    fields = update.texts("DOI") or update.texts("doi")
    parts = (part for field in fields for part in re.split(r"[,;\s]+(?=\S*?10\.\d{4,9}/)", field))
    return [doi for part in parts if (doi := normalize_doi(part))]


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
            return (await self._fetch_work(doi)).reference
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
        return [work.reference for work in works]

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
            *(work.own._replace(is_whole=True) for work in works),
            *(told for notice in notices for told in notice.on_others),
        ]

    async def _fetch_single_notices(self, doi: str) -> Sequence["WorkNotices"]:
        """What the work itself says, and notices that have the words of its title: others may name it, too."""
        own: list[CrossrefWork] = []
        with suppress(NotFoundError):
            own.append(await self._fetch_work(doi))
        words = " ".join(work.reference.title for work in own) or doi
        asked = {"query.bibliographic": words[:MAX_QUERY_CHARACTERS], "filter": "is-update:true"}
        notices, _ = await self._fetch_works({**asked, "rows": MAX_NOTICES, "select": NOTICE_FIELDS})
        others = (told for notice in notices for told in notice.on_others)
        return [*(work.own for work in own), *(told for told in others if told.doi == doi)]

    async def _fetch_filtered_works(self, name: str, dois: Sequence[str]) -> Sequence["CrossrefWork"]:
        filter = ",".join(f"{name}:{doi}" for doi in dois)
        works, total = await self._fetch_works({"filter": filter, "rows": MAX_ROWS, "select": NOTICE_FIELDS})
        if total > len(works):
            raise SourceUnavailable(f"{SERVICE} returned {len(works)} of {total} records. Try again later.")
        return works

    async def _fetch_works(self, asked: Mapping[str, str | int]) -> tuple[Sequence["CrossrefWork"], int]:
        def read(reply: Response) -> tuple[list[Any], int]:
            answer = AnswerPart.of(reply, SERVICE)
            return answer.records("message.items", must=True), answer.number("message.total-results")

        asked = {**asked, **self._contact}
        records, total = read(await self._client.get(f"{self._url}/works", asked, fresh=HOUR, check=read))
        works, faults = parse_records(records, self._read_work, SERVICE)
        if faults:
            raise SourceUnavailable(f"{SERVICE} returned an unreadable record ({faults[0]}). Try again later.")
        return works, total

    async def _fetch_work(self, doi: str) -> "CrossrefWork":
        def read(reply: Response) -> CrossrefWork:
            return self._read_work(AnswerPart(AnswerPart.of(reply, SERVICE).find("message", must=True), SERVICE))

        address = f"{self._url}/works/{quote(doi, safe='')}"
        return read(await self._client.get(address, self._contact, fresh=HOUR, check=read))

    def _build_retraction(self, told: Sequence["WorkNotices"]) -> Retraction:
        notices = tuple(notice for one in told for notice in one.notices)
        retracted = any(notice.kind == "retraction" for notice in notices)
        silence = "false" if any(one.is_whole for one in told) else "unknown"
        word = Retraction(status="true" if retracted else silence, as_of=self._today(), notices=notices)
        return merge_retractions([word])

    def _read_work(self, work: AnswerPart) -> "CrossrefWork":
        doi, type_, own = work.text("DOI", must=True), work.text("type"), extract_own_notices(work)
        reference = Reference(
            id=f"doi:{doi}",
            title=strip_markup(" ".join(work.texts("title"))),
            url=f"https://doi.org/{quote(doi, safe='/():;')}",
            kind="research",
            organisation=work.text("publisher"),
            published=work.date("issued.date-parts"),
            authors=format_authors(work),
            journal=strip_markup(" ".join(work.texts("container-title")[:1])),
            volume=work.text("volume"),
            issue=work.text("issue"),
            pages=work.text("page"),
            doi=doi,
            publication_types=(type_,) if type_ else (),
            retraction=self._build_retraction([own]),
            depth="abstract",
        )
        return CrossrefWork(reference, own, list(extract_notices_on_others(work)))


class WorkNotices(NamedTuple):
    """A work that is known, by its DOI in small letters, and the notices on it.

    is_whole   its own record was read and every notice that names it: without one it was not retracted
    """

    doi: str
    notices: Sequence[Notice]
    is_whole: bool = False


class CrossrefWork(NamedTuple):
    """A work as the service answers it, with what it says of itself, and of others where it is a notice."""

    reference: Reference
    own: WorkNotices
    on_others: Sequence[WorkNotices]


def extract_own_notices(work: AnswerPart) -> WorkNotices:
    """What a work's own record says of it. Where it updates itself, its publisher put the notice in its place."""
    own = normalize_doi(work.text("DOI", must=True))
    itself = [notice for told in extract_notices_on_others(work) if told.doi == own for notice in told.notices]
    notices = [_build_notice(one, next(iter(_list_dois(one)), "")) for one in work.parts("updated-by")] + itself
    # A notice may be called "Retracted: …" after the work that it names.
    if not notices and not work.parts("update-to"):
        notices += title_retraction(strip_markup(" ".join(work.texts("title"))), SERVICE).notices
    return WorkNotices(own, notices)


def extract_notices_on_others(notice: AnswerPart) -> Iterator[WorkNotices]:
    """What a notice says of other works. Of itself it says nothing: it is not what was retracted."""
    for update in notice.parts("update-to"):
        for doi in _list_dois(update):
            yield WorkNotices(doi, [_build_notice(update, normalize_doi(notice.text("DOI")))])


def _build_notice(update: AnswerPart, doi: str) -> Notice:
    type_ = re.sub(r"[\s-]+", "_", (update.text("type") or update.text("label")).strip().lower())
    other: tuple[NoticeKind, str] = ("correction", type_.replace("_", " "))
    kind, reason = next((told for name, told in NOTICE_KINDS.items() if name in type_), other)
    by = "reported by Retraction Watch" if update.text("source") == "retraction-watch" else ""
    return Notice(
        kind=kind,
        source=SERVICE,
        id=f"doi:{doi}" if doi else "",
        published=update.date("updated.date-parts"),
        reason=", ".join(filter(None, (reason, by))),
    )
