"""A record of Europe PMC in the form “core”, and the card that it makes.

Fields: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf, appendix 4.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

from pydantic import Field

from wellsourced.readers.abstract import strip_markup
from wellsourced.sources.service_answers import CamelCaseModel, ItemOrList
from wellsourced.text.dates import MONTH_ABBREVIATIONS, month_number
from wellsourced.types import Notice, ReadingDepth, Reference, Retraction, SourceKind

SERVICE = "Europe PMC"

NOTICE_KINDS: dict[str, tuple[str, str]] = {
    "retraction in": ("retraction", ""),
    "retracted and republished in": ("retraction", "republished in a corrected version"),
    "partial retraction in": ("concern", "retracted in part"),
    "expression of concern in": ("concern", ""),
    "erratum in": ("correction", ""),
    "corrected and republished in": ("republication", "corrected"),
    "republished in": ("republication", ""),
}
"""What links to a notice about the work itself say; "… of", "… for" and "… from" stand in the notice."""


class EuropePmcAuthor(CamelCaseModel):
    """An author, or a group of them."""

    full_name: str = ""
    collective_name: str = ""


class EuropePmcAuthorList(CamelCaseModel):
    """The list of authors."""

    author: ItemOrList[EuropePmcAuthor] = ()


class EuropePmcTypeList(CamelCaseModel):
    """The types of publication."""

    pub_type: ItemOrList[str] = ()


class EuropePmcJournal(CamelCaseModel):
    """The journal by its name."""

    title: str = ""


class EuropePmcIssue(CamelCaseModel):
    """Where it was printed."""

    issue: str = ""
    volume: str = ""
    date_of_publication: str = ""
    journal: EuropePmcJournal = EuropePmcJournal()


class EuropePmcNoticeLink(CamelCaseModel):
    """A later or earlier publication on the same work: an erratum, a retraction, a comment."""

    id: str = ""
    source: str = ""
    type: str = ""
    reference: str = ""


class EuropePmcNoticeLinkList(CamelCaseModel):
    """All of them."""

    comment_correction: ItemOrList[EuropePmcNoticeLink] = ()


class EuropePmcHeading(CamelCaseModel):
    """A heading of MeSH."""

    descriptor_name: str = ""
    major: str = Field("", alias="majorTopic_YN")


class EuropePmcHeadingList(CamelCaseModel):
    """All of them."""

    mesh_heading: ItemOrList[EuropePmcHeading] = ()


class EuropePmcRecord(CamelCaseModel):
    """A record in the form “core”; source MED is PubMed, PMC what is there alone, PPR a preprint."""

    id: str
    source: str
    title: str = ""
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    abstract_text: str = ""
    author_string: str = ""
    author_list: EuropePmcAuthorList = EuropePmcAuthorList()
    journal_info: EuropePmcIssue = EuropePmcIssue()
    page_info: str = ""
    pub_year: str = ""
    first_publication_date: str = ""
    electronic_publication_date: str = ""
    date_of_revision: str = ""
    pub_type_list: EuropePmcTypeList = EuropePmcTypeList()
    mesh_heading_list: EuropePmcHeadingList = EuropePmcHeadingList()
    comment_correction_list: EuropePmcNoticeLinkList = EuropePmcNoticeLinkList()
    is_open_access: str = ""


class EuropePmcRecordList(CamelCaseModel):
    """The records of a page, not yet read."""

    result: list[Any]


class EuropePmcPage(CamelCaseModel):
    """One page of an answer; an error comes with status 200 and a message. `hit_count` is -1 where it is not said."""

    hit_count: int = -1
    result_list: EuropePmcRecordList | None = None
    next_cursor_mark: str = ""
    err_msg: str = ""

    @property
    def raw_records(self) -> Sequence[Any]:
        """Its records, not yet read."""
        return self.result_list.result if self.result_list else ()


def document_ids_of(record: EuropePmcRecord) -> set[str]:
    """Everything that a document of this record may be called, in small letters."""
    names = {f"europe_pmc:{record.source}/{record.id}", f"pubmed:{_pmid_of(record)}"}
    return {name.lower() for name in {*names, f"doi:{record.doi}", f"pmc:{record.pmcid}"}}


def _pmid_of(record: EuropePmcRecord) -> str:
    return record.pmid if record.pmid.isdecimal() else record.id if record.source == "MED" else ""


def build_reference(record: EuropePmcRecord, kind: SourceKind, depth: ReadingDepth) -> Reference:
    """The card of a record."""
    pmid = _pmid_of(record)
    printed = record.journal_info
    return Reference(
        id=f"pubmed:{pmid}"
        if pmid
        else f"doi:{record.doi}"
        if record.doi
        else f"europe_pmc:{record.source}/{record.id}",
        title=strip_markup(record.title),
        url=f"https://europepmc.org/article/{record.source}/{record.id}",
        kind=kind,
        published=_publication_date(record),
        authors=_author_names(record),
        journal=printed.journal.title,
        volume=printed.volume,
        issue=printed.issue,
        pages=record.page_info,
        doi=record.doi,
        pmid=pmid,
        pmcid=record.pmcid,
        mesh=_mesh_headings(record.mesh_heading_list.mesh_heading),
        publication_types=tuple(type_ for type_ in record.pub_type_list.pub_type if type_),
        retraction=build_retraction(record),
        depth=depth,
    )


def _author_names(record: EuropePmcRecord) -> tuple[str, ...]:
    # The list keeps groups and full names apart; the string is all that preprints have.
    listed = tuple(name for one in record.author_list.author if (name := one.full_name or one.collective_name))
    return listed or tuple(name.strip(" .") for name in record.author_string.split(",") if name.strip(" ."))


def _mesh_headings(headings: Sequence[EuropePmcHeading]) -> tuple[str, ...]:
    """The main ones first."""
    ranked = sorted(headings, key=lambda heading: heading.major != "Y")
    return tuple(heading.descriptor_name for heading in ranked if heading.descriptor_name)


def _publication_date(record: EuropePmcRecord) -> str:
    """The day on which it first appeared; the month or year in print where a first of the month stands for that."""
    day, printed = record.first_publication_date, parse_printed_date(record.journal_info.date_of_publication)
    if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d", day):
        return record.pub_year if re.fullmatch(r"[12]\d{3}", record.pub_year) else ""
    # A journal dated "2020 May" appears as 2020-05-01: the month is known, and the day was made up.
    made_up = printed and day.startswith(printed) and not record.electronic_publication_date
    return printed if made_up else day


def build_retraction(record: EuropePmcRecord) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    notices = [notice for link in record.comment_correction_list.comment_correction for notice in _build_notices(link)]
    retracted = any(notice.kind == "retraction" for notice in notices)
    # The type alone may say it, when the link to the notice is not in the record yet.
    if not retracted and "retracted publication" in {type_.lower() for type_ in record.pub_type_list.pub_type}:
        notices.insert(0, Notice(kind="retraction", source=SERVICE))
        retracted = True
    status: Literal["true", "unknown"] = "true" if retracted else "unknown"
    return Retraction(status=status, as_of=_parse_day(record.date_of_revision), notices=tuple(notices))


def _build_notices(link: EuropePmcNoticeLink) -> list[Notice]:
    # Comments and other links say nothing about whether the work stands.
    if (told := NOTICE_KINDS.get(link.type.strip().lower())) is None:
        return []
    id = f"pubmed:{link.id}" if link.source == "MED" and link.id else ""
    kind, reason = told
    given = {
        "kind": kind,
        "source": SERVICE,
        "id": id,
        "published": parse_printed_date(link.reference),
        "reason": reason,
    }
    return [Notice.model_validate(given)]


_PRINTED_DATE = re.compile(rf"(?:^|[.:] ?)([12]\d{{3}})\b(?: ({'|'.join(MONTH_ABBREVIATIONS)})\b(?: (\d{{1,2}})\b)?)?")


def parse_printed_date(reference: str) -> str:
    """The date in "J Clin Oncol. 2020 May 3;38(13):1504" or "2020 May", as precise as it is; "" when there is none."""
    found = _PRINTED_DATE.search(reference)
    if not found:
        return ""
    year, month, day = found.groups()
    parts = [year, f"{month_number(month):02}" if month else "", f"{int(day):02}" if day else ""]
    return "-".join(filter(None, parts))


def _parse_day(printed: str) -> date | None:
    try:
        return date.fromisoformat(printed[:10])
    except ValueError:
        return None
