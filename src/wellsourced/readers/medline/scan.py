"""The same record found several times as fast, in XML as NLM writes it.

NLM writes every record in one way: elements in the order of its DTD, attributes in double quotes, no comments, no
CDATA. Where a record differs from that in anything that is looked at, IrregularRecord is raised and the XML parser
reads it; what nobody reads (the works cited, affiliations, grants) is not looked at. A test holds both ways to the same
result.
"""

import functools
import html
import re

from lxml import etree

from wellsourced.readers.medline.record import (
    NOTICE_KINDS,
    RETRACTED_TYPE,
    MedlineAbstractPart,
    MedlineHeading,
    MedlineRecord,
    build_iso_date,
    first_doi,
    first_pmcid,
    most_precise_date,
    normalize_label,
    pair_qualifiers,
    rank_headings,
)
from wellsourced.readers.xml_records import SAFE_PARSER, InlineText, collapse_whitespace, element_text


class IrregularRecord(ValueError):
    """Not in the form in which NLM writes."""


WORDS_PATTERN = r"([^ \t\n\r<]+(?: [^ \t\n\r<]+)*)"
"""What stands in an element of words alone: single spaces between them, none around them."""

RECORD_START = re.compile(r"\s*<PubmedArticle>\s*<MedlineCitation(?: [^<>]*)?>\s*<PMID(?: [^<>]*)?>([0-9]+)</PMID>")


def scan_record(data: bytes) -> MedlineRecord:
    """The record that lies in these bytes, from <PubmedArticle> to its end. Raises IrregularRecord."""
    if _has_tag_start(b"!", data) or _has_tag_start(b"?", data):
        raise IrregularRecord
    front, back = _split_record(data)
    start = RECORD_START.match(front)
    if not start:
        raise IrregularRecord
    article = ElementScanner(front, start.end())
    journal = _scan_journal(article.next_content("Journal"))
    title = article.next_content("ArticleTitle")
    pages, ids = _scan_pages_and_ids(article.text_until("<Abstract>", "<AuthorList"))
    abstract = _scan_abstract(article.next_content("Abstract"))
    authors = _scan_authors(article.next_content("AuthorList", has_attributes=True))
    types = _scan_types(article.next_content("PublicationTypeList"))
    dates = [build_iso_date(journal), *_scan_dates(article.text_until())]
    behind = ElementScanner(back, 0)
    if not title or NOTICE_LINK.search(behind.next_content("CommentsCorrectionsList")) or RETRACTED_TYPE in types:
        raise IrregularRecord
    mesh = _scan_mesh(behind.next_content("MeshHeadingList"))
    if not abstract and "<OtherAbstract" in back:
        raise IrregularRecord
    ids += _find_all(ARTICLE_ID, behind.next_content("ArticleIdList"), "<ArticleId")
    return MedlineRecord(
        pmid=start[1],
        title=_element_text(title),
        abstract=abstract,
        published=most_precise_date(dates),
        authors=authors,
        journal=journal.get("Title") or journal.get("ISOAbbreviation", ""),
        volume=journal.get("Volume", ""),
        issue=journal.get("Issue", ""),
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


OWN_IDS_END = b"</ArticleIdList>"


def _split_record(data: bytes) -> tuple[str, str]:
    """What stands before the end of the article, and from there to the end of its own ids.

    The works that it cites come last and are often the largest part: they are not even decoded.
    """
    # The longer a tag, the faster it is found; hardly anything stands between the two.
    end = data.find(b"</Article>", data.find(b"</PublicationTypeList>"))
    ids = data.find(OWN_IDS_END, end)
    back = data[end : ids + len(OWN_IDS_END) if ids >= 0 else None]
    if end < 0 or b"<ReferenceList" in back:
        raise IrregularRecord
    return data[:end].decode(), back.decode()


class ElementScanner:
    """The parts of a text that are read, one after the other in the order of the DTD."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start, self._at = text, start, start

    def next_content(self, name: str, has_attributes: bool = False) -> str:
        """What stands inside the element; "" where there is none. IrregularRecord where it stands out of order."""
        opening = f"<{name} " if has_attributes else f"<{name}>"
        start = self._text.find(opening, self._at)
        if start < 0:
            if self._text.find(opening, self._start, self._at) >= 0:
                raise IrregularRecord
            return ""
        start += len(opening)
        end = self._text.find(f"</{name}>", start)
        if end < 0:
            raise IrregularRecord
        self._at = end
        return self._text[start:end]

    def text_until(self, *openings: str) -> str:
        """What stands before the first of these tags that is there, or before the end."""
        found = (self._text.find(opening, self._at) for opening in openings)
        return self._text[self._at : next((at for at in found if at >= 0), None)]


def _find_all(pattern: re.Pattern[str], text: str, opening: str, others: int = 0) -> list[tuple[str, ...]]:
    """Every match, characters for entities. Raises IrregularRecord where the tag stands and the pattern fails."""
    found: list[tuple[str, ...]] = pattern.findall(text)
    if len(found) + others != text.count(opening):
        raise IrregularRecord
    return [tuple(map(_unescape, parts)) for parts in found] if found and "&" in text else found


ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")


def _unescape(text: str) -> str:
    if "&" not in text:
        return text
    if len(ENTITY.findall(text)) != text.count("&"):
        raise IrregularRecord
    return html.unescape(text)


def _element_text(text: str) -> str:
    """The words of a title or of a part of an abstract, which may have markup and numbered characters in them."""
    if "&" in text and "&#" in text:
        return _parse_text(text)
    return _markup_text(text) if "<" in text else collapse_whitespace(_unescape(text))


MARKED_SPAN = re.compile(r"<(i|b|u|sup|sub)>([^<]*)</\1>")


def _markup_text(text: str) -> str:
    """Words with markup; by the parser, which takes twice as long, only where one mark stands inside another."""
    unmarked, *marked = map(_unescape, MARKED_SPAN.split(text))
    if "<" in MARKED_SPAN.sub("", text):
        return _parse_text(text)
    line = InlineText()
    line.write(unmarked)
    for name, inner, behind in zip(*[iter(marked)] * 3, strict=True):
        line.write_mark(name, inner)
        line.write(behind)
    return line.text()


def _parse_text(text: str) -> str:
    try:
        return element_text(etree.fromstring(f"<AbstractText>{text}</AbstractText>", SAFE_PARSER))
    except etree.XMLSyntaxError as error:
        raise IrregularRecord from error


LEAF = re.compile(rf"<([A-Za-z]+)(?: [^<>]*)?>{WORDS_PATTERN}</\1>")


def _scan_journal(region: str) -> dict[str, str]:
    """Words by the name of their element. IrregularRecord where a name stands twice."""
    leaves = _find_all(LEAF, region, "</", others=region.count("</JournalIssue>") + region.count("</PubDate>"))
    named: dict[str, str] = dict(leaves)  # type: ignore[arg-type]
    if len(named) != len(leaves):
        raise IrregularRecord
    return named


PAGE_OR_ID = re.compile(
    rf'<(MedlinePgn|StartPage|EndPage|ELocationID)(?: EIdType="([a-z]+)"(?: [^<>]*)?)?>{WORDS_PATTERN}</\1>'
)


def _scan_pages_and_ids(region: str) -> tuple[str, list[tuple[str, ...]]]:
    others = region.count("</Pagination>") + region.count("</ArticleTitle>")
    leaves = _find_all(PAGE_OR_ID, region, "</", others)
    pages = {name: text for name, _, text in leaves}
    first_and_last = filter(None, (pages.get("StartPage"), pages.get("EndPage")))
    return pages.get("MedlinePgn") or "-".join(first_and_last), [(kind, id) for _, kind, id in leaves if kind]


ABSTRACT_PART = re.compile(r'<AbstractText(?: Label="([^"]*)")?(?: NlmCategory="[^"]*")?>([^<]*)</AbstractText>')
ABSTRACT_PART_WITH_MARKUP = re.compile(ABSTRACT_PART.pattern.replace("([^<]*)", "([^<]*(?:<(?!/AbstractText>)[^<]*)*)"))


def _scan_abstract(region: str) -> tuple[MedlineAbstractPart, ...]:
    parts = ABSTRACT_PART.findall(region)
    if len(parts) != region.count("<AbstractText"):
        parts = ABSTRACT_PART_WITH_MARKUP.findall(region)
        if len(parts) != region.count("<AbstractText"):
            raise IrregularRecord
    labels = [normalize_label(_unescape(given)) if given else "" for given, _ in parts]
    texts = [_element_text(text) for _, text in parts]
    return tuple(map(MedlineAbstractPart, labels, texts))


AUTHOR = re.compile(
    rf"<Author(?: [^<>]*)?>\s*(?:<LastName>{WORDS_PATTERN}</LastName>\s*(?:<ForeName>{WORDS_PATTERN}</ForeName>\s*)?"
    rf"(?:<Initials>{WORDS_PATTERN}</Initials>\s*)?|<CollectiveName>{WORDS_PATTERN}</CollectiveName>\s*)"
    r"(?:<(?:Suffix|Identifier|AffiliationInfo)[ >]|</Author>)"
)


def _scan_authors(region: str) -> tuple[str, ...]:
    authors = AUTHOR.findall(region)
    if len(authors) != region.count("</Author>"):
        raise IrregularRecord
    names = [group or f"{last} {initials or forename}".rstrip() for last, forename, initials, group in authors]
    return tuple(map(_unescape, names)) if "&" in region else tuple(names)


TYPE = re.compile(rf"<PublicationType(?: [^<>]*)?>{WORDS_PATTERN}()</")


def _scan_types(region: str) -> tuple[str, ...]:
    return tuple([name for name, _ in _find_all(TYPE, region, "<PublicationType")])


DATE = re.compile(
    rf"<ArticleDate(?: [^<>]*)?>\s*<Year>{WORDS_PATTERN}</Year>\s*"
    rf"(?:<Month>{WORDS_PATTERN}</Month>\s*)?(?:<Day>{WORDS_PATTERN}</Day>\s*)?</ArticleDate>"
)


def _scan_dates(region: str) -> list[str]:
    dates = _find_all(DATE, region, "<ArticleDate")
    return [build_iso_date({"Year": year, "Month": month, "Day": day}) for year, month, day in dates]


NOTICE_LINK = re.compile(rf'RefType="(?:{"|".join(NOTICE_KINDS)})"')
QUALIFIER = re.compile(rf"<QualifierName ([^<>']*)>{WORDS_PATTERN}</QualifierName>\s*")
HEADING = re.compile(
    rf"\s*<MeshHeading>\s*<DescriptorName ([^<>']*)>{WORDS_PATTERN}</DescriptorName>\s*"
    rf"((?:{QUALIFIER.pattern.replace('(?:', '(').replace('(', '(?:')})*)"
)
MAJOR_ATTRIBUTE = 'MajorTopicYN="Y"'


def _scan_mesh(region: str) -> tuple[str, ...]:
    *pieces, behind = region.split("</MeshHeading>")
    if behind.strip():
        raise IrregularRecord
    return rank_headings(heading for piece in pieces for heading in _scan_heading(piece))


@functools.lru_cache(maxsize=1 << 14)
def _scan_heading(piece: str) -> list[MedlineHeading]:
    """What one <MeshHeading> says. A few thousand of them make up nearly all that there are."""
    heading = HEADING.fullmatch(piece)
    if not heading:
        raise IrregularRecord
    attributes, name, qualifiers = heading.groups()
    found = [(attributes, name), *QUALIFIER.findall(qualifiers)]
    parts = [MedlineHeading(_unescape(name), MAJOR_ATTRIBUTE in attributes) for attributes, name in found]
    return pair_qualifiers(parts)


ARTICLE_ID = re.compile(rf'<ArticleId IdType="([a-z]+)">{WORDS_PATTERN}</')
