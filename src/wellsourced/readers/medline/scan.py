"""A record of PubMed found several times as fast as by the XML parser, in XML as NLM writes it.

NLM writes every record in one way: elements in the order of its DTD, attributes in double quotes, no comments, no
CDATA. Where a record differs from that in anything that is looked at, IrregularRecord is raised and the XML parser
reads it; what nobody reads (the works cited, affiliations, grants) is not looked at. A test holds both ways to the same
result.
"""

import functools
import html
import re
from itertools import chain

from lxml import etree

from wellsourced.citations.people import format_group
from wellsourced.readers.medline import record
from wellsourced.readers.xml_records import (
    SAFE_PARSER,
    InlineText,
    collapse_whitespace,
    decode_entities,
    element_text,
    iso_date,
)

RECORD_START = re.compile(r"\s*<PubmedArticle>\s*<MedlineCitation(?: [^<>]*)?>\s*<PMID(?: [^<>]*)?>([0-9]+)</PMID>")

ABSTRACT_PART = re.compile(r'\s*<AbstractText(?: Label="([^"]*)")?(?: NlmCategory="[^"]*")?>')


class IrregularRecord(ValueError):
    """Not in the form in which NLM writes."""


WORDS_PATTERN = r"([^ \t\n\r<]++(?: [^ \t\n\r<]++)*+)"
"""What stands in an element of words alone: single spaces between them, none around them."""


def find_all(pattern: re.Pattern[str], text: str, opening: str) -> list[tuple[str, ...]]:
    """Every match, characters for entities. Raises IrregularRecord where the tag stands and the pattern fails."""
    found: list[tuple[str, ...]] = pattern.findall(text)
    # The tag stands where the pattern does not fit: something is written otherwise, and only the parser may say what.
    if len(found) != text.count(opening):
        raise IrregularRecord
    return [tuple(map(unescape, parts)) for parts in found] if found and "&" in text else found


ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")


def unescape(text: str) -> str:
    """Characters for the five entities of XML. Raises IrregularRecord where any other "&" stands."""
    if "&" not in text:
        return text
    if len(ENTITY.findall(text)) != text.count("&"):
        raise IrregularRecord
    return decode_entities(html.unescape(text))


def scan_text(text: str) -> str:
    """The words of a title or of a part of an abstract, which may have markup and numbered characters in them."""
    if "<" not in text and "&" not in text:
        return collapse_whitespace(text)
    if "&#" in text:
        return _parse_text(text)
    return _markup_text(text) if "<" in text else collapse_whitespace(unescape(text))


MARKED_SPAN = re.compile(r"<(i|b|u|sup|sub)>([^<]*)</\1>")


def _markup_text(text: str) -> str:
    """Words with markup; by the parser, which takes twice as long, only where one mark stands inside another."""
    pieces = MARKED_SPAN.split(text)
    if "<" in "".join(pieces[::3]):
        return _parse_text(text)
    unmarked, *marked = map(unescape, pieces)
    line = InlineText()
    line.write(unmarked)
    for name, inner, behind in zip(*[iter(marked)] * 3, strict=True):
        line.write_mark(name, inner)
        line.write(behind)
    return line.text()


def _parse_text(text: str) -> str:
    if "<AbstractText" in text:
        raise IrregularRecord
    try:
        return element_text(etree.fromstring(f"<AbstractText>{text}</AbstractText>", SAFE_PARSER))
    except etree.XMLSyntaxError as error:
        raise IrregularRecord from error


def scan_abstract(region: str) -> tuple[record.MedlineAbstractPart, ...]:
    """The parts of an abstract, from what stands in <Abstract>. Raises IrregularRecord."""
    *pieces, behind = region.split("</AbstractText>")
    if "<AbstractText" in behind:
        raise IrregularRecord
    parts = [(piece, piece.find(">") + 1) for piece in pieces]
    return tuple(
        record.MedlineAbstractPart(_scan_label(piece[:start]), scan_text(piece[start:])) for piece, start in parts
    )


@functools.lru_cache(maxsize=1 << 12)
def _scan_label(opening: str) -> str:
    """The label in the tag that opens a part of an abstract. A few hundred make up nearly all that there are."""
    found = ABSTRACT_PART.fullmatch(opening)
    if not found:
        raise IrregularRecord
    return record.normalize_label(unescape(found[1])) if found[1] else ""


ATTRIBUTES = r'((?:[A-Za-z]+="[^"<>]*" ?)*)'
QUALIFIER = re.compile(rf"<QualifierName {ATTRIBUTES}>{WORDS_PATTERN}</QualifierName>\s*")
HEADING = re.compile(
    rf"\s*<MeshHeading>\s*<DescriptorName {ATTRIBUTES}>{WORDS_PATTERN}</DescriptorName>\s*"
    rf"((?:{QUALIFIER.pattern.replace('(?:', '(').replace('(', '(?:')})*)"
)
MAJOR_ATTRIBUTE = 'MajorTopicYN="Y"'


def scan_mesh(region: str) -> tuple[str, ...]:
    """The headings in a <MeshHeadingList>, first those of what the work is mainly about. Raises IrregularRecord."""
    *pieces, behind = region.split("</MeshHeading>")
    if behind.strip():
        raise IrregularRecord
    if not pieces:
        return ()
    major, minor = zip(*map(_scan_heading, pieces), strict=True)
    return (*chain.from_iterable(major), *chain.from_iterable(minor))


@functools.lru_cache(maxsize=1 << 14)
def _scan_heading(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the work is mainly about, and the rest. A few thousand headings make up nearly all that there are."""
    heading = HEADING.fullmatch(piece)
    if not heading:
        raise IrregularRecord
    attributes, name, qualifiers = heading.groups()
    found = [(attributes, name), *QUALIFIER.findall(qualifiers)]
    parts = [record.MedlineHeading(unescape(name), MAJOR_ATTRIBUTE in attributes) for attributes, name in found]
    paired = record.pair_qualifiers(parts)
    return tuple(name for name, major in paired if major), tuple(name for name, major in paired if not major)


def scan_record(data: bytes) -> record.MedlineRecord:
    """The record that lies in these bytes, from <PubmedArticle> to its end. Raises IrregularRecord."""
    # Comments, CDATA and instructions may hide tags from any pattern.
    if _has_tag_start(b"!", data) or _has_tag_start(b"?", data):
        raise IrregularRecord
    front, back = _split_record(data)
    start = RECORD_START.match(front)
    if not start:
        raise IrregularRecord
    article = ElementScanner(front, start.end())
    journal = JOURNAL.fullmatch(article.next_content("<Journal>", "</Journal>"))
    if not journal:
        raise IrregularRecord
    _, volume, issue, year, month, day, _, loose, name, short = map(unescape, journal.groups(""))
    printed = record.build_iso_date({"MedlineDate": loose}) if loose else iso_date(year, month, day)
    title = article.next_content("<ArticleTitle>", "</ArticleTitle>")
    pages, ids = _scan_pages_and_ids(article.text_until("<Abstract>", "<AuthorList"))
    abstract = scan_abstract(article.next_content("<Abstract>", "</Abstract>"))
    authors = _scan_authors(article.next_content("<AuthorList ", "</AuthorList>"))
    types = _scan_types(article.next_content("<PublicationTypeList>", "</PublicationTypeList>"))
    days = find_all(DATE, article.content_until("</Article>"), "<ArticleDate")
    dates = [printed, *(iso_date(*day) for day in days)]
    links = article.next_content("<CommentsCorrectionsList>", "</CommentsCorrectionsList>")
    # Retractions are too grave for patterns: a record that may have one is always read by the parser.
    if not title or (links and NOTICE_LINK.search(links)) or record.RETRACTED_TYPE in types:
        raise IrregularRecord
    # Another title is looked for.
    if record.MISSING_TITLE.match(title):
        raise IrregularRecord
    behind = ElementScanner(back, 0)
    mesh = scan_mesh(behind.next_content("<MeshHeadingList>", "</MeshHeadingList>"))
    if "<CommentsCorrections" in back or (not abstract and ("<OtherAbstract" in front or "<OtherAbstract" in back)):
        raise IrregularRecord
    ids += find_all(ARTICLE_ID, behind.next_content("<ArticleIdList>", "</ArticleIdList>"), "<ArticleId")
    return record.MedlineRecord(
        pmid=start[1],
        title=scan_text(title),
        abstract=abstract,
        published=record.most_precise_date(dates),
        authors=authors,
        journal=name or short,
        volume=volume,
        issue=issue,
        pages=pages,
        doi=record.first_doi(ids),
        pmcid=record.first_pmcid(ids),
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
    rf"{_optional_leaf('Suffix')}|{_leaf('CollectiveName')})(?:<(?:Identifier|AffiliationInfo)[ >]|</Author>)"
)


def _scan_authors(region: str) -> tuple[str, ...]:
    authors = AUTHOR.findall(region)
    if len(authors) != region.count("</Author>"):
        raise IrregularRecord
    if "&" in region:
        authors = [tuple(map(unescape, parts)) for parts in authors]
    return tuple(
        [
            format_group(group) if group else ", ".join(filter(None, (last, forename or initials, suffix)))
            for last, forename, initials, suffix, group in authors
        ]
    )


TYPE = re.compile(rf"<PublicationType(?: [^<>]*)?>{WORDS_PATTERN}()</")


@functools.lru_cache(maxsize=1 << 12)
def _scan_types(region: str) -> tuple[str, ...]:
    """What a list of types says. A few hundred lists make up nearly all that there are."""
    return tuple([name for name, _ in find_all(TYPE, region, "<PublicationType")])


DATE = re.compile(
    rf"<ArticleDate(?: [^<>]*)?>\s*{_leaf('Year')}{_optional_leaf('Month')}{_optional_leaf('Day')}</ArticleDate>"
)

NOTICE_LINK = re.compile(rf'RefType="(?:{"|".join(record.NOTICE_KINDS)})"')
ARTICLE_ID = re.compile(rf'<ArticleId IdType="([a-z]+)">{WORDS_PATTERN}</')
