"""What the databases of the E-utilities server hold: records as NCBI prints them, and what can be searched in them."""

import gzip
import json
import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree
from lxml.builder import E

Element = Any

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
LABEL = re.compile(r"([A-Z][A-Za-z/ ]{2,40}): (.+)")


class Record(NamedTuple):
    """One record of a database.

    id       its number there: a PMID, or a PMC id without its letters
    xml      the element that efetch prints
    fields   name of a field of NCBI ("TITL", "ABST", "MESH", "PTYP", "AUTH", "JOUR", "TEXT") → its words
    dates    days of publication as yyyymmdd, in print and on screen; a month or day that is not given is the first
    """

    id: str
    xml: bytes
    fields: dict[str, str]
    dates: tuple[int, ...]


def from_pubmed(data: bytes) -> Iterator[Record]:
    """The records of a PubmedArticleSet."""
    for element in etree.fromstring(data):
        if element.tag in ("PubmedArticle", "PubmedBookArticle"):
            yield _pubmed(element)


def from_pmc(data: bytes) -> Iterator[Record]:
    """The articles of a pmc-articleset, or one article."""
    root = etree.fromstring(data)
    yield from (_pmc(article) for article in ([root] if root.tag == "article" else root.iter("article")))


def pubmed_fixtures(shared: Path) -> Iterator[Record]:
    """The real records of fixtures/pubmed_xml.tar.gz."""
    for data in recorded(shared).values():
        if b"<PubmedArticleSet>" in data:
            yield from from_pubmed(data)


def pmc_fixtures(shared: Path) -> Iterator[Record]:
    """The real full texts of fixtures/jats_sample.tar.gz."""
    with tarfile.open(shared / "fixtures" / "jats_sample.tar.gz") as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)):
                yield from from_pmc(file.read())


def corpus(shared: Path) -> Iterator[Record]:
    """corpora/research as PubMed records, by their PMIDs; rows without one are left out."""
    with gzip.open(shared / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["metadata"]["pmid"]:
                yield _pubmed(_article_of(row))


def recorded(shared: Path) -> dict[str, bytes]:
    """File name → real answers of the E-utilities, from fixtures/pubmed_xml.tar.gz."""
    with tarfile.open(shared / "fixtures" / "pubmed_xml.tar.gz") as archive:
        files = {Path(m.name).name: archive.extractfile(m) for m in archive if m.isfile()}
        return {name: file.read() for name, file in sorted(files.items()) if file}


def article(
    pmid: str,
    title: str = "",
    parts: Iterable[tuple[str, str]] = (),
    *,
    published: str = "",
    journal: str = "Journal of Invented Trials",
    doi: str = "",
    pmcid: str = "",
    mesh: Sequence[str] = (),
    types: Sequence[str] = ("Journal Article",),
    notices: Sequence[tuple[str, str]] = (),
    authors: Sequence[str] = (),
) -> Record:
    """A record of one's own.

    parts      (label or "", text) of the abstract
    published  ISO 8601, as precise as one likes
    notices    (RefType, PMID): ("RetractionIn", "99")
    authors    "Doe J"
    """
    made = _article(pmid, title, parts, published, journal, doi, pmcid, mesh, types, notices)
    if authors:
        listed = (
            E.Author(E.LastName(family), E.Initials(rest)) for family, _, rest in (a.partition(" ") for a in authors)
        )
        made.find(".//PublicationTypeList").addprevious(E.AuthorList(*listed, CompleteYN="Y"))
    return _pubmed(made)


def full_text(
    number: str,
    title: str = "",
    parts: Iterable[tuple[str, str]] = (),
    *,
    abstract: str = "",
    published: str = "",
    journal: str = "Journal of Invented Trials",
    doi: str = "",
    pmid: str = "",
) -> Record:
    """An article of one's own, as PMC prints it; without parts, as it prints one that it may not give in full.

    parts   (heading, text) of the body
    """
    given = zip(("year", "month", "day"), filter(None, published.split("-")), strict=False)
    dates = [E(name, value) for name, value in given]
    ids = [("pmcid", f"PMC{number}"), ("pmid", pmid), ("doi", doi)]
    meta = E(
        "article-meta",
        *(E("article-id", id, {"pub-id-type": kind}) for kind, id in ids if id),
        E("title-group", E("article-title", title)),
        *([E("pub-date", *reversed(dates), {"pub-type": "epub"})] if dates else []),
        *([E.abstract(E.p(abstract))] if abstract else []),
    )
    names = E("journal-meta", E("journal-title-group", E("journal-title", journal)))
    body = [E.sec(E.title(heading), E.p(text)) for heading, text in parts]
    return _pmc(E.article(E.front(names, meta), *([E.body(*body)] if body else [])))


def _article_of(row: dict[str, Any]) -> Element:
    about = row["metadata"]
    labelled = [LABEL.fullmatch(line) for line in row["text"].split("\n") if line]
    parts = [(m[1].upper(), m[2]) for m in labelled if m] if all(labelled) else [("", row["text"])]
    return _article(
        about["pmid"],
        row["title"],
        parts,
        str(about.get("year") or ""),
        about.get("journal") or "",
        about.get("doi") or "",
        about.get("pmcid") or "",
        about.get("mesh") or (),
        ("Journal Article",),
        (),
    )


def _article(
    pmid: str,
    title: str,
    parts: Iterable[tuple[str, str]],
    published: str,
    journal: str,
    doi: str,
    pmcid: str,
    mesh: Sequence[str],
    types: Sequence[str],
    notices: Sequence[tuple[str, str]],
) -> Element:
    texts = [E.AbstractText(text, **({"Label": label} if label else {})) for label, text in parts if text]
    dates = zip(("Year", "Month", "Day"), filter(None, published.split("-")), strict=False)
    citation = E.MedlineCitation(
        E.PMID(pmid, Version="1"),
        E.Article(
            E.Journal(E.JournalIssue(E.PubDate(*(E(name, value) for name, value in dates))), E.Title(journal)),
            E.ArticleTitle(title),
            *([E.ELocationID(doi, EIdType="doi", ValidYN="Y")] if doi else []),
            *([E.Abstract(*texts)] if texts else []),
            E.PublicationTypeList(*(E.PublicationType(type_) for type_ in types)),
            PubModel="Print",
        ),
        *([_notices(notices)] if notices else []),
        E.MeshHeadingList(*(E.MeshHeading(E.DescriptorName(name, MajorTopicYN="N")) for name in mesh)),
        Status="MEDLINE",
        Owner="NLM",
    )
    return E.PubmedArticle(citation, _data(pmid, doi, pmcid))


def _notices(notices: Sequence[tuple[str, str]]) -> Element:
    return E.CommentsCorrectionsList(
        *(
            E.CommentsCorrections(
                E.RefSource("J Invent Trials. 2021 May 3;1(1):1"), E.PMID(pmid, Version="1"), RefType=kind
            )
            for kind, pmid in notices
        )
    )


def _data(pmid: str, doi: str, pmcid: str) -> Element:
    ids = [("pubmed", pmid), ("doi", doi), ("pmc", pmcid)]
    return E.PubmedData(
        E.ArticleIdList(*(E.ArticleId(id, IdType=kind) for kind, id in ids if id)),
    )


def _pubmed(element: Element) -> Record:
    fields = {
        "TITL": _words(element, ".//ArticleTitle", ".//BookTitle"),
        "ABST": _words(element, ".//Abstract/AbstractText"),
        "MESH": _words(element, ".//MeshHeading/DescriptorName"),
        "PTYP": _words(element, ".//PublicationType"),
        "AUTH": _words(element, ".//Author/LastName", ".//Author/CollectiveName"),
        "JOUR": _words(element, ".//Journal/Title", ".//Journal/ISOAbbreviation"),
    }
    pmid = element.findtext(".//PMID")
    places = (".//Journal//PubDate", ".//ArticleDate", ".//Book/PubDate", ".//ContributionDate")
    return Record(pmid, _printed(element), fields, _dates(element, *places))


def _pmc(element: Element) -> Record:
    ids = {id.get("pub-id-type"): "".join(id.itertext()) for id in element.iterfind("front/article-meta/article-id")}
    number = ids.get("pmc") or ids["pmcid"]
    fields = {
        "TITL": _words(element, "front/article-meta/title-group/article-title"),
        "ABST": _words(element, "front/article-meta/abstract"),
        "TEXT": _words(element, "body"),
        "AUTH": _words(element, "front/article-meta//surname"),
        "JOUR": _words(element, "front//journal-title"),
    }
    dates = _dates(element, "front/article-meta/pub-date")
    return Record(number.removeprefix("PMC"), _printed(element), fields, dates)


def _printed(element: Element) -> bytes:
    return etree.tostring(element, encoding="utf-8", with_tail=False).removeprefix(
        b"<?xml version='1.0' encoding='utf-8'?>\n"
    )


def _words(element: Element, *places: str) -> str:
    return " | ".join(" ".join(" ".join(e.itertext()).split()) for place in places for e in element.iterfind(place))


def _dates(element: Element, *places: str) -> tuple[int, ...]:
    found = (_day(date) for place in places for date in element.iterfind(place))
    return tuple(sorted({day for day in found if day}))


def _day(date: Element) -> int:
    parts = {
        etree.QName(part).localname.lower(): (part.text or "").strip() for part in date if isinstance(part.tag, str)
    }
    year = parts.get("year") or (re.findall(r"\b[12]\d{3}\b", parts.get("medlinedate", "")) or [""])[0]
    month = parts.get("month", "1").lower()[:3]
    number = MONTHS.index(month) + 1 if month in MONTHS else int(month) if month.isdigit() else 1
    day = parts.get("day", "1")
    return int(year) * 10_000 + number * 100 + (int(day) if day.isdigit() else 1) if year.isdigit() else 0
