"""The same record found several times as fast, in XML as NLM writes it.

NLM writes every record in one way: elements in the order of its DTD, attributes in double quotes, no comments, no
CDATA. Where a record differs from that in anything that is looked at, Irregular is raised and the XML parser reads
it; what nobody reads (the works cited, affiliations, grants) is not looked at. A test holds both ways to the same
result.
"""

import functools
import re

from lxml import etree

from wellsourced.readers.medline_record import (
    NOTICES,
    RETRACTED,
    Heading,
    Part,
    Record,
    date_of,
    first_doi,
    first_pmcid,
    label,
    most_precise,
    pairs,
)
from wellsourced.readers.xml import PARSER, Line, one_line, words


class Irregular(ValueError):
    """Not in the form in which NLM writes."""


WORDS = r"([^ \t\n\r<]+(?: [^ \t\n\r<]+)*)"
"""What stands in an element of words alone: single spaces between them, none around them."""

START = re.compile(r"\s*<PubmedArticle>\s*<MedlineCitation(?: [^<>]*)?>\s*<PMID(?: [^<>]*)?>([0-9]+)</PMID>")


def record_in(data: bytes) -> Record:
    """The record that lies in these bytes, from <PubmedArticle> to its end. Raises Irregular."""
    if _has_tag_of(b"!", data) or _has_tag_of(b"?", data):
        raise Irregular
    front, back = _read_of(data)
    start = START.match(front)
    if not start:
        raise Irregular
    article = Regions(front, start.end())
    journal = _journal(article.next("Journal"))
    title = article.next("ArticleTitle")
    pages, ids = _pages_and_ids(article.until("<Abstract>", "<AuthorList"))
    abstract = _abstract(article.next("Abstract"))
    authors = _authors(article.next("AuthorList", has_attributes=True))
    types = _types(article.next("PublicationTypeList"))
    dates = [date_of(journal), *_dates(article.until())]
    behind = Regions(back, 0)
    if not title or _has_notices(behind.next("CommentsCorrectionsList")) or RETRACTED in types:
        raise Irregular
    mesh = _mesh(behind.next("MeshHeadingList"))
    if not abstract and "<OtherAbstract" in back:
        raise Irregular
    ids += _all(ARTICLE_ID, behind.next("ArticleIdList"), "<ArticleId")
    return Record(
        pmid=start[1],
        title=_text(title),
        abstract=abstract,
        published=most_precise(dates),
        authors=authors,
        journal=journal.get("Title") or journal.get("ISOAbbreviation", ""),
        volume=journal.get("Volume", ""),
        issue=journal.get("Issue", ""),
        pages=pages,
        doi=first_doi(ids),
        pmcid=first_pmcid(ids),
        mesh=mesh,
        types=types,
    )


def _has_tag_of(mark: bytes, data: bytes) -> bool:
    """Whether "<" stands before this character, which is found much faster than the two together."""
    at = data.find(mark)
    while at > 0 and data[at - 1 : at] != b"<":
        at = data.find(mark, at + 1)
    return at >= 0


OWN_IDS = b"</ArticleIdList>"


def _read_of(data: bytes) -> tuple[str, str]:
    """What stands before the end of the article, and from there to the end of its own ids.

    The works that it cites come last and are often the largest part: they are not even decoded.
    """
    # The longer a tag, the faster it is found; hardly anything stands between the two.
    end = data.find(b"</Article>", data.find(b"</PublicationTypeList>"))
    ids = data.find(OWN_IDS, end)
    back = data[end : ids + len(OWN_IDS) if ids >= 0 else None]
    if end < 0 or b"<ReferenceList" in back:
        raise Irregular
    return data[:end].decode(), back.decode()


class Regions:
    """The parts of a text that are read, one after the other in the order of the DTD."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start, self._at = text, start, start

    def next(self, name: str, has_attributes: bool = False) -> str:
        """What stands inside the element; "" where there is none. Irregular where it stands out of order."""
        opening = f"<{name} " if has_attributes else f"<{name}>"
        start = self._text.find(opening, self._at)
        if start < 0:
            if self._text.find(opening, self._start, self._at) >= 0:
                raise Irregular
            return ""
        start += len(opening)
        end = self._text.find(f"</{name}>", start)
        if end < 0:
            raise Irregular
        self._at = end
        return self._text[start:end]

    def until(self, *openings: str) -> str:
        """What stands before the first of these tags that is there, or before the end."""
        found = (self._text.find(opening, self._at) for opening in openings)
        return self._text[self._at : next((at for at in found if at >= 0), None)]


def _all(pattern: re.Pattern[str], text: str, opening: str, others: int = 0) -> list[tuple[str, ...]]:
    """Every match, characters for entities. Irregular where the pattern does not match as often as the tag stands."""
    found: list[tuple[str, ...]] = pattern.findall(text)
    if len(found) + others != text.count(opening):
        raise Irregular
    return [tuple(map(_unescaped, parts)) for parts in found] if found and "&" in text else found


ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    if len(ENTITY.findall(text)) != text.count("&"):
        raise Irregular
    return ENTITY.sub(_character, text)


def _character(entity: re.Match[str]) -> str:
    return CHARACTERS[entity[1]]


def _text(text: str) -> str:
    """The words of a title or of a part of an abstract, which may have markup and numbered characters in them."""
    if "&" in text and "&#" in text:
        return _parsed(text)
    return _marked(text) if "<" in text else one_line(_unescaped(text))


MARKED = re.compile(r"<(i|b|u|sup|sub)>([^<]*)</\1>")


def _marked(text: str) -> str:
    """Words with markup; by the parser, which takes twice as long, only where one mark stands inside another."""
    unmarked, *marked = map(_unescaped, MARKED.split(text))
    if "<" in MARKED.sub("", text):
        return _parsed(text)
    line = Line()
    line.write(unmarked)
    for name, inner, behind in zip(*[iter(marked)] * 3, strict=True):
        line.mark(name, inner)
        line.write(behind)
    return line.text()


def _parsed(text: str) -> str:
    try:
        return words(etree.fromstring(f"<AbstractText>{text}</AbstractText>", PARSER))
    except etree.XMLSyntaxError as error:
        raise Irregular from error


LEAF = re.compile(rf"<([A-Za-z]+)(?: [^<>]*)?>{WORDS}</\1>")


def _journal(region: str) -> dict[str, str]:
    """Words by the name of their element. Irregular where a name stands twice."""
    leaves = _all(LEAF, region, "</", others=region.count("</JournalIssue>") + region.count("</PubDate>"))
    named: dict[str, str] = dict(leaves)  # type: ignore[arg-type]
    if len(named) != len(leaves):
        raise Irregular
    return named


PAGE_OR_ID = re.compile(
    rf'<(MedlinePgn|StartPage|EndPage|ELocationID)(?: EIdType="([a-z]+)"(?: [^<>]*)?)?>{WORDS}</\1>'
)


def _pages_and_ids(region: str) -> tuple[str, list[tuple[str, ...]]]:
    others = region.count("</Pagination>") + region.count("</ArticleTitle>")
    leaves = _all(PAGE_OR_ID, region, "</", others)
    pages = {name: text for name, _, text in leaves}
    first_and_last = filter(None, (pages.get("StartPage"), pages.get("EndPage")))
    return pages.get("MedlinePgn") or "-".join(first_and_last), [(kind, id) for _, kind, id in leaves if kind]


PART = re.compile(r'<AbstractText(?: Label="([^"]*)")?(?: NlmCategory="[^"]*")?>([^<]*)</AbstractText>')
PART_WITH_MARKUP = re.compile(PART.pattern.replace("([^<]*)", "([^<]*(?:<(?!/AbstractText>)[^<]*)*)"))


def _abstract(region: str) -> tuple[Part, ...]:
    parts = PART.findall(region)
    if len(parts) != region.count("<AbstractText"):
        parts = PART_WITH_MARKUP.findall(region)
        if len(parts) != region.count("<AbstractText"):
            raise Irregular
    return tuple([Part(label(_unescaped(given)) if given else "", _text(text)) for given, text in parts])


AUTHOR = re.compile(
    rf"<Author(?: [^<>]*)?>\s*(?:<LastName>{WORDS}</LastName>\s*(?:<ForeName>{WORDS}</ForeName>\s*)?"
    rf"(?:<Initials>{WORDS}</Initials>\s*)?|<CollectiveName>{WORDS}</CollectiveName>\s*)"
    r"(?:<(?:Suffix|Identifier|AffiliationInfo)[ >]|</Author>)"
)


def _authors(region: str) -> tuple[str, ...]:
    authors = AUTHOR.findall(region)
    if len(authors) != region.count("</Author>"):
        raise Irregular
    names = [group or f"{last} {initials or forename}".rstrip() for last, forename, initials, group in authors]
    return tuple(map(_unescaped, names)) if "&" in region else tuple(names)


TYPE = re.compile(rf"<PublicationType(?: [^<>]*)?>{WORDS}()</")


def _types(region: str) -> tuple[str, ...]:
    return tuple([name for name, _ in _all(TYPE, region, "<PublicationType")])


DATE = re.compile(
    rf"<ArticleDate(?: [^<>]*)?>\s*<Year>{WORDS}</Year>\s*"
    rf"(?:<Month>{WORDS}</Month>\s*)?(?:<Day>{WORDS}</Day>\s*)?</ArticleDate>"
)


def _dates(region: str) -> list[str]:
    dates = _all(DATE, region, "<ArticleDate")
    return [date_of({"Year": year, "Month": month, "Day": day}) for year, month, day in dates]


LATER = re.compile(rf'RefType="(?:{"|".join(NOTICES)})"')


def _has_notices(region: str) -> bool:
    return bool(region and LATER.search(region))


QUALIFIER = re.compile(rf"<QualifierName ([^<>']*)>{WORDS}</QualifierName>\s*")
HEADING = re.compile(
    rf"\s*<MeshHeading>\s*<DescriptorName ([^<>']*)>{WORDS}</DescriptorName>\s*"
    rf"((?:{QUALIFIER.pattern.replace('(?:', '(').replace('(', '(?:')})*)"
)
MAJOR = 'MajorTopicYN="Y"'


def _mesh(region: str) -> tuple[str, ...]:
    *pieces, behind = region.split("</MeshHeading>")
    if behind.strip():
        raise Irregular
    main: list[str] = []
    others: list[str] = []
    for piece in pieces:
        for name, is_major in _heading(piece):
            (main if is_major else others).append(name)
    return (*main, *others)


@functools.lru_cache(maxsize=1 << 14)
def _heading(piece: str) -> list[Heading]:
    """What one <MeshHeading> says. A few thousand of them make up nearly all that there are."""
    heading = HEADING.fullmatch(piece)
    if not heading:
        raise Irregular
    attributes, name, qualifiers = heading.groups()
    parts = [(attributes, name), *QUALIFIER.findall(qualifiers)]
    return pairs([Heading(_unescaped(name), MAJOR in attributes) for attributes, name in parts])


ARTICLE_ID = re.compile(rf'<ArticleId IdType="([a-z]+)">{WORDS}</')
