"""A record of Europe PMC in the form “core”, and the card that it makes.

Fields: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf, appendix 4.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

from pydantic import Field

from wellsourced.readers import unmarked
from wellsourced.sources.wire import Camel, Listed
from wellsourced.types import Depth, Kind, Notice, Reference, Retraction

SERVICE = "Europe PMC"

RELATIONS: dict[str, tuple[str, str]] = {
    "retraction in": ("retraction", ""),
    "retracted and republished in": ("retraction", "republished in a corrected version"),
    "partial retraction in": ("concern", "retracted in part"),
    "expression of concern in": ("concern", ""),
    "erratum in": ("correction", ""),
    "corrected and republished in": ("republication", "corrected"),
    "republished in": ("republication", ""),
}
"""What links to a notice about the work itself say; "… of", "… for" and "… from" stand in the notice."""


class Person(Camel):
    """An author, or a group of them."""

    full_name: str = ""
    collective_name: str = ""


class People(Camel):
    """The list of authors."""

    author: Listed[Person] = ()


class Types(Camel):
    """The types of publication."""

    pub_type: Listed[str] = ()


class Journal(Camel):
    """The journal by its name."""

    title: str = ""


class Issue(Camel):
    """Where it was printed."""

    issue: str = ""
    volume: str = ""
    date_of_publication: str = ""
    journal: Journal = Journal()


class Link(Camel):
    """A later or earlier publication on the same work: an erratum, a retraction, a comment."""

    id: str = ""
    source: str = ""
    type: str = ""
    reference: str = ""


class Links(Camel):
    """All of them."""

    comment_correction: Listed[Link] = ()


class Heading(Camel):
    """A heading of MeSH."""

    descriptor_name: str = ""
    major: str = Field("", alias="majorTopic_YN")


class Headings(Camel):
    """All of them."""

    mesh_heading: Listed[Heading] = ()


class Record(Camel):
    """A record in the form “core”; source MED is PubMed, PMC what is there alone, PPR a preprint."""

    id: str
    source: str
    title: str = ""
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    abstract_text: str = ""
    author_string: str = ""
    author_list: People = People()
    journal_info: Issue = Issue()
    page_info: str = ""
    pub_year: str = ""
    first_publication_date: str = ""
    electronic_publication_date: str = ""
    date_of_revision: str = ""
    pub_type_list: Types = Types()
    mesh_heading_list: Headings = Headings()
    comment_correction_list: Links = Links()
    is_open_access: str = ""


class Results(Camel):
    """The records of a page, not yet read."""

    result: list[Any]


class Found(Camel):
    """One page of an answer; an error comes with status 200 and a message. `hit_count` is -1 where it is not said."""

    hit_count: int = -1
    result_list: Results | None = None
    next_cursor_mark: str = ""
    err_msg: str = ""

    @property
    def given(self) -> Sequence[Any]:
        """Its records, not yet read."""
        return self.result_list.result if self.result_list else ()


def ids_of(record: Record) -> set[str]:
    """Everything that a document of this record may be called, in small letters."""
    names = {f"europe_pmc:{record.source}/{record.id}", f"pubmed:{_pmid(record)}"}
    return {name.lower() for name in {*names, f"doi:{record.doi}", f"pmc:{record.pmcid}"}}


def _pmid(record: Record) -> str:
    return record.pmid if record.pmid.isdecimal() else record.id if record.source == "MED" else ""


def reference_of(record: Record, kind: Kind, depth: Depth) -> Reference:
    """The card of a record."""
    pmid = _pmid(record)
    printed = record.journal_info
    return Reference(
        id=f"pubmed:{pmid}"
        if pmid
        else f"doi:{record.doi}"
        if record.doi
        else f"europe_pmc:{record.source}/{record.id}",
        title=unmarked(record.title),
        url=f"https://europepmc.org/article/{record.source}/{record.id}",
        kind=kind,
        published=_published(record),
        authors=_authors(record),
        journal=printed.journal.title,
        volume=printed.volume,
        issue=printed.issue,
        pages=record.page_info,
        doi=record.doi,
        pmid=pmid,
        pmcid=record.pmcid,
        mesh=_mesh(record.mesh_heading_list.mesh_heading),
        publication_types=tuple(type_ for type_ in record.pub_type_list.pub_type if type_),
        retraction=retraction_of(record),
        depth=depth,
    )


def _authors(record: Record) -> tuple[str, ...]:
    listed = tuple(name for one in record.author_list.author if (name := one.full_name or one.collective_name))
    return listed or tuple(name.strip(" .") for name in record.author_string.split(",") if name.strip(" ."))


def _mesh(headings: Sequence[Heading]) -> tuple[str, ...]:
    """The main ones first."""
    ranked = sorted(headings, key=lambda heading: heading.major != "Y")
    return tuple(heading.descriptor_name for heading in ranked if heading.descriptor_name)


def _published(record: Record) -> str:
    """The day on which it first appeared; the month or year in print where a first of the month stands for that."""
    day, printed = record.first_publication_date, printed_date(record.journal_info.date_of_publication)
    if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d", day):
        return record.pub_year if re.fullmatch(r"[12]\d{3}", record.pub_year) else ""
    made_up = printed and day.startswith(printed) and not record.electronic_publication_date
    return printed if made_up else day


def retraction_of(record: Record) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    notices = [notice for link in record.comment_correction_list.comment_correction for notice in _notices(link)]
    retracted = any(notice.kind == "retraction" for notice in notices)
    if not retracted and "retracted publication" in {type_.lower() for type_ in record.pub_type_list.pub_type}:
        notices.insert(0, Notice(kind="retraction", source=SERVICE))
        retracted = True
    status: Literal["true", "unknown"] = "true" if retracted else "unknown"
    return Retraction(status=status, as_of=_day(record.date_of_revision), notices=tuple(notices))


def _notices(link: Link) -> list[Notice]:
    if (told := RELATIONS.get(link.type.strip().lower())) is None:
        return []
    id = f"pubmed:{link.id}" if link.source == "MED" and link.id else ""
    kind, reason = told
    given = {"kind": kind, "source": SERVICE, "id": id, "published": printed_date(link.reference), "reason": reason}
    return [Notice.model_validate(given)]


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def printed_date(reference: str) -> str:
    """The date in "J Clin Oncol. 2020 May 3;38(13):1504" or "2020 May", as precise as it is; "" when there is none."""
    found = re.search(rf"(?:^|[.:] ?)([12]\d{{3}})\b(?: ({'|'.join(MONTHS)})\b(?: (\d{{1,2}})\b)?)?", reference)
    if not found:
        return ""
    year, month, day = found.groups()
    parts = [year, f"{MONTHS.index(month) + 1:02}" if month else "", f"{int(day):02}" if day else ""]
    return "-".join(filter(None, parts))


def _day(printed: str) -> date | None:
    try:
        return date.fromisoformat(printed[:10])
    except ValueError:
        return None
