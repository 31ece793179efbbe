"""PMC full text in JATS and its forerunner, the NLM tag set: abstract and body; no references, no thanks."""

from collections.abc import Callable, Iterator

from wellsourced.citations.links import work_url
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder, heading_path
from wellsourced.readers.jats.notices import find_retraction
from wellsourced.readers.jats.tables import table_lines
from wellsourced.readers.reference_fields import bare_doi
from wellsourced.readers.xml_records import (
    Element,
    InlineText,
    element_text,
    find_text,
    iso_date,
    iter_records,
    local_name,
    require_root,
)
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("article", "articles", "pmc-articleset")
SKIPPED_ABSTRACT_TYPES = {"graphical", "teaser", "toc"}
"""Abstracts that repeat the abstract as a picture or as a line for a table of contents."""


@salvage_documents
def read_jats(path: File, kind: SourceKind) -> DocumentStream:
    """A document an article; a file holds one article or a set of them."""
    remedy = "Fetch the full text: efetch with db=pmc and retmode=xml, or the .nxml file of the article."
    require_root(path, ROOTS, "a PMC article", remedy)
    for number, article in enumerate(iter_records(path, ("article",)), 1):
        yield _read_article(article, number, kind)


def _read_article(article: Element, number: int, kind: SourceKind) -> Document | UnreadablePart:
    front = article.find("front")
    meta = None if front is None else front.find("article-meta")
    if front is None or meta is None:
        return UnreadablePart(f"article {number}", "it has no <article-meta>", "Fetch it again.")
    ids = JatsIds(meta)
    # Without an id nothing that is quoted of it could be cited, or found again.
    if not ids.document_id:
        return UnreadablePart(f"article {number}", "it names no PMC id, PMID or DOI", "Add an <article-id> to it.")
    page = DocumentBuilder()
    title = find_text(meta, "title-group/article-title")
    page.add_heading(title)
    write_abstracts(meta, page)
    _write_body(article, page)
    if not page.text:
        return UnreadablePart(f"article {number}", f"{ids.document_id} has no title, abstract or body", "Leave it out.")
    return page.build(_build_reference(article, front, meta, ids, kind))


class JatsIds:
    """The ids that an article gives itself; "" for those that it does not give."""

    def __init__(self, meta: Element) -> None:
        given = {id.get("pub-id-type", ""): element_text(id) for id in reversed(meta.findall("article-id"))}
        number = (given.get("pmcid") or given.get("pmc") or "").upper().removeprefix("PMC").partition(".")[0]
        pmid = given.get("pmid", "")
        self.pmc = f"PMC{number}" if number.isdecimal() else ""
        self.pmid = pmid if pmid.isdecimal() else ""
        self.doi = bare_doi(given.get("doi", ""))

    @property
    def document_id(self) -> str:
        """What the document is known by."""
        known = (("pmc", self.pmc), ("pubmed", self.pmid), ("doi", self.doi))
        return next((f"{name}:{id}" for name, id in known if id), "")


def _build_reference(article: Element, front: Element, meta: Element, ids: JatsIds, kind: SourceKind) -> Reference:
    article_type = article.get("article-type", "")
    return Reference(
        id=ids.document_id,
        title=find_text(meta, "title-group/article-title"),
        url=work_url(ids.pmc, ids.pmid, ids.doi),
        kind=kind,
        published=_published_date(meta),
        authors=tuple(author_names(meta)),
        journal=find_text(front, "journal-meta/journal-title-group/journal-title", "journal-meta/journal-title"),
        volume=find_text(meta, "volume"),
        issue=find_text(meta, "issue"),
        pages=_page_range(meta),
        doi=ids.doi,
        pmid=ids.pmid,
        pmcid=ids.pmc,
        publication_types=(article_type,) if article_type else (),
        retraction=find_retraction(article, meta),
        depth="full text",
    )


def _page_range(meta: Element) -> str:
    first, last = find_text(meta, "fpage"), find_text(meta, "lpage")
    if first and last and first != last:
        return f"{first}-{last}"
    return first or find_text(meta, "elocation-id")


DATE_KINDS = ("epub", "epub-ppub", "ppub", "collection", "pub")


def _published_date(meta: Element) -> str:
    """The most precise date of publication, the electronic one first; when PMC released it does not count."""
    dates = [(_date_kind(date), date) for date in meta.findall("pub-date")]
    ranked = sorted((item for item in dates if item[0] in DATE_KINDS), key=lambda item: DATE_KINDS.index(item[0]))
    # The longest is the most precise; of equally long ones the first, which is the electronic.
    return max((element_date(date) for _, date in ranked), key=len, default="")


def element_date(date: Element) -> str:
    """The date that an element spells out in a year, a month and a day, as precise as they are."""
    return iso_date(find_text(date, "year"), find_text(date, "month"), find_text(date, "day"))


def _date_kind(date: Element) -> str:
    """ "epub", "ppub", "collection"; an undated kind (JATS allows it) is a publication."""
    kind = date.get("pub-type") or date.get("date-type") or "pub"
    medium = date.get("publication-format", "")
    return {"electronic": "epub", "print": "ppub"}.get(medium, kind) if kind == "pub" else kind


def author_names(meta: Element) -> Iterator[str]:
    """Those whom an article, or a chapter, names as its authors."""
    for contributor in meta.findall("contrib-group/contrib"):
        if contributor.get("contrib-type", "author") == "author":
            surname, given = find_text(contributor, ".//surname"), find_text(contributor, ".//given-names")
            collective = find_text(contributor, "collab", "collab-alternatives/collab", "string-name")
            if name := f"{surname} {given}".strip() if surname else collective:
                yield name


def write_abstracts(meta: Element, page: DocumentBuilder) -> None:
    """Each abstract under its heading."""
    for abstract in meta.findall("abstract"):
        if abstract.get("abstract-type") not in SKIPPED_ABSTRACT_TYPES:
            title = find_text(abstract, "title") or "Abstract"
            page.add_heading(title)
            write_blocks(abstract, title, page)


def _write_body(article: Element, page: DocumentBuilder) -> None:
    for place in ("body", "back/app-group", "back/app", "floats-group", "floats-wrap"):
        for part in article.findall(place):
            write_blocks(part, "", page)


def write_blocks(parent: Element, path: str, page: DocumentBuilder) -> None:
    """The blocks inside an element, in the order in which they are printed."""
    for child in parent:
        if write := BLOCK_WRITERS.get(local_name(child)):
            write(child, path, page)


BACK_MATTER = {"acknowledgements", "acknowledgments", "author contributions", "authors' contributions"}
BACK_MATTER |= {"competing interests", "pre-publication history", "supporting information", "supplementary material"}
"""Older files have these in the body. No statement about a patient may rest on them."""


def _write_section(section: Element, path: str, page: DocumentBuilder) -> None:
    title = find_text(section, "title", "caption/title")
    if title.lower().replace("’", "'") in BACK_MATTER or section.get("sec-type") == "supplementary-material":
        return
    page.add_heading(title)
    write_blocks(section, heading_path(path, title), page)


def _write_paragraph(paragraph: Element, path: str, page: DocumentBuilder) -> None:
    """A paragraph; lists, tables and figures inside it stand on their own and it goes on behind them."""
    line = InlineText()
    line.write(paragraph.text)
    for child in paragraph:
        # A formula inside a paragraph belongs to its sentence, though it is printed on a line of its own.
        if (write := BLOCK_WRITERS.get(local_name(child))) and local_name(child) != "disp-formula":
            page.add_block(line.text(), path)
            write(child, path, page)
            line = InlineText()
        else:
            line.write_element(child)
        line.write(child.tail)
    page.add_block(line.text(), path)


def _write_formula(formula: Element, path: str, page: DocumentBuilder) -> None:
    line = InlineText()
    line.write_element(formula)
    page.add_block(line.text(), path)


def _write_list(items: Element, path: str, page: DocumentBuilder) -> None:
    page.add_block("\n".join(_list_lines(items)), path)


def _list_lines(items: Element) -> Iterator[str]:
    numbered = items.get("list-type") == "order"
    for number, item in enumerate(items.findall("list-item"), 1):
        mark = f"{number}. " if numbered else "- "
        for position, line in enumerate(line for child in item for line in _item_lines(child)):
            yield ("  " if position else mark) + line


def _item_lines(child: Element) -> Iterator[str]:
    """The lines of a part of a list item; its printed label is left to the mark."""
    if local_name(child) == "list":
        yield from _list_lines(child)
    elif local_name(child) != "label":
        if text := element_text(child):
            yield text
        for inner in child.findall("list"):
            yield from _list_lines(inner)


def _write_definitions(items: Element, path: str, page: DocumentBuilder) -> None:
    pairs = ((find_text(item, "term"), find_text(item, "def")) for item in items.findall("def-item"))
    page.add_block("\n".join(f"{term}: {meaning}" for term, meaning in pairs if term or meaning), path)


def _write_exhibit(exhibit: Element, path: str, page: DocumentBuilder) -> None:
    """A table or a figure, under a heading of its own: its caption, rows as "a | b", and notes."""
    kind = "Table" if local_name(exhibit) == "table-wrap" else "Figure"
    label = find_text(exhibit, "label").rstrip(".: ") or kind
    path = heading_path(path, label)
    captions = [*exhibit.findall("caption/title"), *exhibit.findall("caption/p")]
    caption = " ".join(map(element_text, captions))
    rows = "\n".join(line for table in exhibit.iter("table") for line in table_lines(table))
    notes = "\n".join(element_text(note) for note in exhibit.findall("table-wrap-foot//p"))
    # A figure without a caption is a picture: its label alone would be a passage that says nothing.
    if caption or rows:
        page.add_heading(label)
        for block in (caption, rows, notes):
            page.add_block(block, path)


BLOCK_WRITERS: dict[str, Callable[[Element, str, DocumentBuilder], None]] = {
    **dict.fromkeys(("sec", "app", "boxed-text"), _write_section),
    "p": _write_paragraph,
    "disp-formula": _write_formula,
    "list": _write_list,
    "def-list": _write_definitions,
    **dict.fromkeys(("table-wrap", "fig"), _write_exhibit),
    **dict.fromkeys(("table-wrap-group", "fig-group", "disp-quote", "statement"), write_blocks),
}
"""How each kind of block is written; any other is not part of the article's text."""
