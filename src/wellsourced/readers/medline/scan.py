"""The same record found several times as fast, in XML as NLM writes it.

NLM writes every record in one way: elements in the order of its DTD, attributes in double quotes, no comments, no
CDATA. Where a record differs from that in anything that is looked at, IrregularRecord is raised and the XML parser
reads it; what nobody reads (the works cited, affiliations, grants) is not looked at. A test holds both ways to the same
result.
"""

import functools
import re
from typing import NamedTuple

from wellsourced.readers.medline.record import (
    NOTICE_KINDS,
    RETRACTED_TYPE,
    MedlineRecord,
    build_iso_date,
    first_doi,
    first_pmcid,
    most_precise_date,
)
from wellsourced.readers.medline.scan_content import scan_abstract, scan_mesh
from wellsourced.readers.medline.scan_words import (
    WORDS_PATTERN,
    IrregularRecord,
    find_all,
    match_all,
    scan_text,
    unescape,
)
from wellsourced.readers.xml_records import iso_date

RECORD_START = re.compile(r"\s*<PubmedArticle>\s*<MedlineCitation(?: [^<>]*)?>\s*<PMID(?: [^<>]*)?>([0-9]+)</PMID>")


def scan_record(data: bytes) -> MedlineRecord:
    """The record that lies in these bytes, from <PubmedArticle> to its end. Raises IrregularRecord."""
    # Comments, CDATA and instructions may hide tags from any pattern.
    if _has_tag_start(b"!", data) or _has_tag_start(b"?", data):
        raise IrregularRecord
    front, back = _split_record(data)
    start = RECORD_START.match(front)
    if not start:
        raise IrregularRecord
    article = ElementScanner(front, start.end())
    journal = _scan_journal(article.next_content("<Journal>", "</Journal>"))
    title = article.next_content("<ArticleTitle>", "</ArticleTitle>")
    pages, ids = _scan_pages_and_ids(article.text_until("<Abstract>", "<AuthorList"))
    abstract = scan_abstract(article.next_content("<Abstract>", "</Abstract>"))
    authors = _scan_authors(article.next_content("<AuthorList ", "</AuthorList>"))
    types = _scan_types(article.next_content("<PublicationTypeList>", "</PublicationTypeList>"))
    dates = [journal.published, *_scan_dates(article.content_until("</Article>"))]
    links = article.next_content("<CommentsCorrectionsList>", "</CommentsCorrectionsList>")
    # Retractions are too grave for patterns: a record that may have one is always read by the parser.
    if not title or (links and NOTICE_LINK.search(links)) or RETRACTED_TYPE in types:
        raise IrregularRecord
    behind = ElementScanner(back, 0)
    mesh = scan_mesh(behind.next_content("<MeshHeadingList>", "</MeshHeadingList>"))
    if "<CommentsCorrections" in back or (not abstract and ("<OtherAbstract" in front or "<OtherAbstract" in back)):
        raise IrregularRecord
    ids += find_all(ARTICLE_ID, behind.next_content("<ArticleIdList>", "</ArticleIdList>"), "<ArticleId")
    return MedlineRecord(
        pmid=start[1],
        title=scan_text(title),
        abstract=abstract,
        published=most_precise_date(dates),
        authors=authors,
        journal=journal.name,
        volume=journal.volume,
        issue=journal.issue,
        pages=pages,
        doi=first_doi(ids),
        pmcid=first_pmcid(ids),
        mesh=mesh,
        publication_types=types,
    )


def _has_tag_start(mark: bytes, data: bytes) -> bool:
    """Whether "<" stands before this character, which is found much faster than the two together."""
    at = data.find(mark)
    while at > 0 and data[at - 1 : at] != b"<":
        at = data.find(mark, at + 1)
    return at >= 0


MESH_START, DATA_START, OWN_IDS_END = b"<MeshHeadingList>", b"<PubmedData>", b"</ArticleIdList>"


def _split_record(data: bytes) -> tuple[str, str]:
    """What stands before the headings, and from there to the end of the record's own ids.

    The works that it cites come last and are often the largest part: they are not even decoded.
    """
    # The longer a tag, the faster it is found.
    mesh = data.find(MESH_START)
    behind = data.find(DATA_START, max(mesh, 0))
    if behind < 0 <= data.find(DATA_START):
        raise IrregularRecord
    ids = data.find(OWN_IDS_END, behind) if behind >= 0 else -1
    cut = mesh if mesh >= 0 else behind if behind >= 0 else len(data)
    back = data[cut : ids + len(OWN_IDS_END) if ids >= 0 else None]
    # Ids of works that it cites would be taken for its own.
    if b"<ReferenceList" in back:
        raise IrregularRecord
    return data[:cut].decode(), back.decode()


class ElementScanner:
    """The parts of a text that are read, one after the other in the order of the DTD."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start, self._at = text, start, start

    def next_content(self, opening: str, closing: str) -> str:
        """What stands between the tags; "" where there is none. IrregularRecord where they stand out of order."""
        start = self._text.find(opening, self._at)
        if start < 0:
            # It stands before what was read last: the order is not NLM's, and parts could be missed without anybody
            # noticing.
            if self._text.find(opening, self._start, self._at) >= 0:
                raise IrregularRecord
            return ""
        start += len(opening)
        end = self._text.find(closing, start)
        if end < 0:
            raise IrregularRecord
        self._at = end
        return self._text[start:end]

    def text_until(self, *openings: str) -> str:
        """What stands before the first of these tags that is there, or before the end."""
        for opening in openings:
            if (end := self._text.find(opening, self._at)) >= 0:
                return self._text[self._at : end]
        return self._text[self._at :]

    def content_until(self, closing: str) -> str:
        """What stands before this tag, to which nothing returns. IrregularRecord where it is not there."""
        end = self._text.find(closing, self._at)
        if end < 0:
            raise IrregularRecord
        found, self._at = self._text[self._at : end], end
        return found


class ScannedJournal(NamedTuple):
    """What a record says of its journal and of the issue in print."""

    name: str
    volume: str
    issue: str
    published: str


def _leaf(name: str) -> str:
    return rf"<{name}>{WORDS_PATTERN}</{name}>\s*+"


def _optional_leaf(name: str) -> str:
    return f"(?:{_leaf(name)})?"


JOURNAL = re.compile(
    rf"\s*(?:<ISSN(?: [^<>]*)?>{WORDS_PATTERN}</ISSN>\s*)?<JournalIssue(?: [^<>]*)?>\s*{_optional_leaf('Volume')}"
    rf"{_optional_leaf('Issue')}<PubDate>\s*{_optional_leaf('Year')}{_optional_leaf('Month')}{_optional_leaf('Day')}"
    rf"{_optional_leaf('Season')}{_optional_leaf('MedlineDate')}</PubDate>\s*</JournalIssue>\s*"
    rf"{_optional_leaf('Title')}{_optional_leaf('ISOAbbreviation')}"
)


def _scan_journal(region: str) -> ScannedJournal:
    _, volume, issue, year, month, day, _, loose, title, short = match_all(JOURNAL, region)
    published = build_iso_date({"MedlineDate": loose}) if loose else iso_date(year, month, day)
    return ScannedJournal(title or short, volume, issue, published)


PAGES_AND_IDS = re.compile(
    rf"</ArticleTitle>\s*(?:<Pagination>\s*{_optional_leaf('StartPage')}{_optional_leaf('EndPage')}"
    rf"{_optional_leaf('MedlinePgn')}</Pagination>\s*)?((?:<ELocationID [^<>]*>[^<]*</ELocationID>\s*)*)"
)
ELOCATION_ID = re.compile(rf'<ELocationID EIdType="([a-z]+)"(?: [^<>]*)?>{WORDS_PATTERN}</')


def _scan_pages_and_ids(region: str) -> tuple[str, list[tuple[str, ...]]]:
    found = PAGES_AND_IDS.fullmatch(region)
    if not found:
        raise IrregularRecord
    first, last, whole, ids = found.groups("")
    pages = unescape(whole or (f"{first}-{last}" if first and last else first or last))
    return pages, find_all(ELOCATION_ID, ids, "<ELocationID") if ids else []


AUTHOR = re.compile(
    rf"<Author [^<>]*+>\s*+(?:{_leaf('LastName')}{_optional_leaf('ForeName')}{_optional_leaf('Initials')}"
    rf"|{_leaf('CollectiveName')})(?:<(?:Suffix|Identifier|AffiliationInfo)[ >]|</Author>)"
)


def _scan_authors(region: str) -> tuple[str, ...]:
    authors = AUTHOR.findall(region)
    if len(authors) != region.count("</Author>"):
        raise IrregularRecord
    names = [group or f"{last} {initials or forename}".rstrip() for last, forename, initials, group in authors]
    return tuple(map(unescape, names)) if "&" in region else tuple(names)


TYPE = re.compile(rf"<PublicationType(?: [^<>]*)?>{WORDS_PATTERN}()</")


@functools.lru_cache(maxsize=1 << 12)
def _scan_types(region: str) -> tuple[str, ...]:
    """What a list of types says. A few hundred lists make up nearly all that there are."""
    return tuple([name for name, _ in find_all(TYPE, region, "<PublicationType")])


DATE = re.compile(
    rf"<ArticleDate(?: [^<>]*)?>\s*{_leaf('Year')}{_optional_leaf('Month')}{_optional_leaf('Day')}</ArticleDate>"
)


def _scan_dates(region: str) -> list[str]:
    return [iso_date(*parts) for parts in find_all(DATE, region, "<ArticleDate")]


NOTICE_LINK = re.compile(rf'RefType="(?:{"|".join(NOTICE_KINDS)})"')
ARTICLE_ID = re.compile(rf'<ArticleId IdType="([a-z]+)">{WORDS_PATTERN}</')
