"""PMC full text in JATS and its forerunner, the NLM tag set: abstract and body; no references, no thanks."""

from collections.abc import Callable, Iterator

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Faulty, File, Read, bare_doi, salvaging
from wellsourced.readers.grid import lines_of
from wellsourced.readers.jats_notices import retraction_of
from wellsourced.readers.page import Page
from wellsourced.readers.page import path as path_of
from wellsourced.readers.xml import Element, Line, found, iso, local, records, root_of, words
from wellsourced.types import Document, Kind, Reference

ROOTS = ("article", "articles", "pmc-articleset")
PASSED_OVER = {"graphical", "teaser", "toc"}
"""Abstracts that repeat the abstract as a picture or as a line for a table of contents."""


@salvaging
def read_jats(path: File, kind: Kind) -> Read:
    """A document an article; a file holds one article or a set of them."""
    root = root_of(path)
    if root not in ROOTS:
        remedy = "Fetch the full text: efetch with db=pmc and retmode=xml, or the .nxml file of the article."
        raise Unreadable(str(path), f"it is <{root}>, not a PMC article", remedy)
    for number, article in enumerate(records(path, ("article",)), 1):
        yield _read(article, number, kind)


def _read(article: Element, number: int, kind: Kind) -> Document | Faulty:
    front = article.find("front")
    meta = None if front is None else front.find("article-meta")
    if front is None or meta is None:
        return Faulty(f"article {number}", "it has no <article-meta>", "Fetch it again.")
    ids = Ids(meta)
    if not ids.best:
        return Faulty(f"article {number}", "it names no PMC id, PMID or DOI", "Add an <article-id> to it.")
    page = Page()
    title = found(meta, "title-group/article-title")
    page.heading(title)
    write_abstracts(meta, page)
    _write_body(article, page)
    if not page.text:
        return Faulty(f"article {number}", f"{ids.best} has no title, abstract or body", "Leave it out.")
    reference = _reference(article, front, meta, ids, kind)
    return Document(reference=reference, text=page.text, sections=page.sections)


class Ids:
    """The ids that an article gives itself; "" for those that it does not give."""

    def __init__(self, meta: Element) -> None:
        given = {id.get("pub-id-type", ""): words(id) for id in reversed(meta.findall("article-id"))}
        number = (given.get("pmcid") or given.get("pmc") or "").upper().removeprefix("PMC").partition(".")[0]
        pmid = given.get("pmid", "")
        self.pmc = f"PMC{number}" if number.isdecimal() else ""
        self.pmid = pmid if pmid.isdecimal() else ""
        self.doi = bare_doi(given.get("doi", ""))

    @property
    def best(self) -> str:
        """What the document is known by."""
        known = (("pmc", self.pmc), ("pubmed", self.pmid), ("doi", self.doi))
        return next((f"{name}:{id}" for name, id in known if id), "")

    @property
    def url(self) -> str:
        """Where it can be read."""
        if self.pmc:
            return f"https://pmc.ncbi.nlm.nih.gov/articles/{self.pmc}/"
        return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/" if self.pmid else f"https://doi.org/{self.doi}"


def _reference(article: Element, front: Element, meta: Element, ids: Ids, kind: Kind) -> Reference:
    article_type = article.get("article-type", "")
    return Reference(
        id=ids.best,
        title=found(meta, "title-group/article-title"),
        url=ids.url,
        kind=kind,
        published=_published(meta),
        authors=tuple(authors_of(meta)),
        journal=found(front, "journal-meta/journal-title-group/journal-title", "journal-meta/journal-title"),
        volume=found(meta, "volume"),
        issue=found(meta, "issue"),
        pages=_pages(meta),
        doi=ids.doi,
        pmid=ids.pmid,
        pmcid=ids.pmc,
        publication_types=(article_type,) if article_type else (),
        retraction=retraction_of(article, meta),
        depth="full text",
    )


def _pages(meta: Element) -> str:
    first, last = found(meta, "fpage"), found(meta, "lpage")
    return "-".join(filter(None, (first, last))) if first and first != last else first or found(meta, "elocation-id")


PUBLISHED = ("epub", "epub-ppub", "ppub", "collection", "pub")


def _published(meta: Element) -> str:
    """The most precise date of publication, the electronic one first; when PMC released it does not count."""
    dates = [(_kind_of_date(date), date) for date in meta.findall("pub-date")]
    ranked = sorted((item for item in dates if item[0] in PUBLISHED), key=lambda item: PUBLISHED.index(item[0]))
    known = [iso(found(date, "year"), found(date, "month"), found(date, "day")) for _, date in ranked]
    return max(known, key=len, default="")


def _kind_of_date(date: Element) -> str:
    """ "epub", "ppub", "collection"; an undated kind (JATS allows it) is a publication."""
    kind = date.get("pub-type") or date.get("date-type") or "pub"
    return (
        {"electronic": "epub", "print": "ppub"}.get(date.get("publication-format", ""), kind) if kind == "pub" else kind
    )


def authors_of(meta: Element) -> Iterator[str]:
    """Those whom an article, or a chapter, names as its authors."""
    for contributor in meta.findall("contrib-group/contrib"):
        if contributor.get("contrib-type", "author") == "author":
            surname, given = found(contributor, ".//surname"), found(contributor, ".//given-names")
            collective = found(contributor, "collab", "collab-alternatives/collab", "string-name")
            if name := f"{surname} {given}".strip() if surname else collective:
                yield name


def write_abstracts(meta: Element, page: Page) -> None:
    """Each abstract under its heading."""
    for abstract in meta.findall("abstract"):
        if abstract.get("abstract-type") not in PASSED_OVER:
            title = found(abstract, "title") or "Abstract"
            page.heading(title)
            write_blocks(abstract, title, page)


def _write_body(article: Element, page: Page) -> None:
    for place in ("body", "back/app-group", "back/app", "floats-group", "floats-wrap"):
        for part in article.findall(place):
            write_blocks(part, "", page)


def write_blocks(parent: Element, path: str, page: Page) -> None:
    """The blocks inside an element, in the order in which they are printed."""
    for child in parent:
        if write := BLOCKS.get(local(child)):
            write(child, path, page)


BACK_MATTER = {"acknowledgements", "acknowledgments", "author contributions", "authors' contributions"}
BACK_MATTER |= {"competing interests", "pre-publication history", "supporting information", "supplementary material"}
"""Older files have these in the body. No statement about a patient may rest on them."""


def _section(section: Element, path: str, page: Page) -> None:
    title = found(section, "title", "caption/title")
    if title.lower().replace("’", "'") in BACK_MATTER or section.get("sec-type") == "supplementary-material":
        return
    page.heading(title)
    write_blocks(section, path_of(path, title), page)


def _paragraph(paragraph: Element, path: str, page: Page) -> None:
    """A paragraph; lists, tables and figures inside it stand on their own and it goes on behind them."""
    line = Line()
    line.write(paragraph.text)
    for child in paragraph:
        if (write := BLOCKS.get(local(child))) and local(child) != "disp-formula":
            page.block(line.text(), path)
            write(child, path, page)
            line = Line()
        else:
            line.element(child)
        line.write(child.tail)
    page.block(line.text(), path)


def _formula(formula: Element, path: str, page: Page) -> None:
    line = Line()
    line.element(formula)
    page.block(line.text(), path)


def _list(items: Element, path: str, page: Page) -> None:
    page.block("\n".join(_items(items)), path)


def _items(items: Element) -> Iterator[str]:
    numbered = items.get("list-type") == "order"
    for number, item in enumerate(items.findall("list-item"), 1):
        mark = f"{number}. " if numbered else "- "
        for position, line in enumerate(line for child in item for line in _lines(child)):
            yield ("  " if position else mark) + line


def _lines(child: Element) -> Iterator[str]:
    """The lines of a part of a list item; its printed label is left to the mark."""
    if local(child) == "list":
        yield from _items(child)
    elif local(child) != "label":
        if text := words(child):
            yield text
        for inner in child.findall("list"):
            yield from _items(inner)


def _definitions(items: Element, path: str, page: Page) -> None:
    pairs = ((found(item, "term"), found(item, "def")) for item in items.findall("def-item"))
    page.block("\n".join(f"{term}: {meaning}" for term, meaning in pairs if term or meaning), path)


def _exhibit(exhibit: Element, path: str, page: Page) -> None:
    """A table or a figure, under a heading of its own: its caption, rows as "a | b", and notes."""
    label = found(exhibit, "label").rstrip(".: ") or ("Table" if local(exhibit) == "table-wrap" else "Figure")
    path = path_of(path, label)
    caption = " ".join(words(part) for place in ("caption/title", "caption/p") for part in exhibit.findall(place))
    rows = "\n".join(line for table in exhibit.iter("table") for line in lines_of(table))
    notes = "\n".join(words(note) for note in exhibit.findall("table-wrap-foot//p"))
    if caption or rows:
        page.heading(label)
        for block in (caption, rows, notes):
            page.block(block, path)


BLOCKS: dict[str, Callable[[Element, str, Page], None]] = {
    "sec": _section,
    "app": _section,
    "boxed-text": _section,
    "p": _paragraph,
    "disp-formula": _formula,
    "list": _list,
    "def-list": _definitions,
    "table-wrap": _exhibit,
    "fig": _exhibit,
    "table-wrap-group": write_blocks,
    "fig-group": write_blocks,
    "disp-quote": write_blocks,
    "statement": write_blocks,
}
"""How each kind of block is written; any other is not part of the article's text."""
