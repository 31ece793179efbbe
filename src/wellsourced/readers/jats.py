"""PMC full text in JATS and its forerunner, the NLM tag set: abstract, body, tables and notices; no references, no
thanks.
"""

from collections.abc import Callable, Container, Iterator
from itertools import chain

from wellsourced.citations.identifiers import plain_doi
from wellsourced.citations.links import work_url
from wellsourced.citations.people import format_group, format_person
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder, heading_path, list_label
from wellsourced.readers.medline import build_retraction, most_precise_date
from wellsourced.readers.table_rows import table_lines
from wellsourced.types import Document, Notice, NoticeKind, Reference, Retraction, SourceKind

ROOTS = ("article", "articles", "pmc-articleset")
SKIPPED_ABSTRACT_TYPES = {"graphical", "teaser", "toc"}
"""Abstracts that repeat the abstract as a picture or as a line for a table of contents."""


@salvage_documents
def read_jats(path: File, kind: SourceKind) -> DocumentStream:
    """A document an article; a file holds one article or a set of them."""
    remedy = "Download the full text from PMC as XML (.nxml)."
    xml.require_root(path, ROOTS, "a PMC article", remedy)
    for number, article in enumerate(xml.iter_records(path, ("article",)), 1):
        yield _read_article(article, number, kind)


def _read_article(article: xml.Element, number: int, kind: SourceKind) -> Document | UnreadablePart:
    front = article.find("front")
    meta = None if front is None else front.find("article-meta")
    if front is None or meta is None:
        return UnreadablePart(f"article {number}", "it has no <article-meta>", "Download it again.")
    ids = JatsIds(meta)
    # Without an id nothing that is quoted of it could be cited, or found again.
    if not ids.document_id:
        return UnreadablePart(f"article {number}", "it has no PMC id, PMID or DOI", "Add an <article-id> to it.")
    page = DocumentBuilder()
    title = xml.find_text(meta, "title-group/article-title")
    page.add_heading(title)
    write_abstracts(meta, page)
    for place in ("body", "back/app-group", "back/app", "floats-group", "floats-wrap"):
        for part in article.findall(place):
            write_blocks(part, "", page)
    _write_notes(article, page)
    if not page.text:
        return UnreadablePart(f"article {number}", f"{ids.document_id} has no title, abstract or body", "Leave it out.")
    return page.build(_build_reference(article, front, meta, ids, kind))


class JatsIds:
    """The ids that an article gives itself; "" for those that it does not give."""

    def __init__(self, meta: xml.Element) -> None:
        given = {id.get("pub-id-type", ""): xml.element_text(id) for id in reversed(meta.findall("article-id"))}
        number = (given.get("pmcid") or given.get("pmc") or "").upper().removeprefix("PMC").partition(".")[0]
        pmid = given.get("pmid", "")
        self.pmc = f"PMC{number}" if number.isdecimal() else ""
        self.pmid = pmid if pmid.isdecimal() else ""
        self.doi = plain_doi(given.get("doi", ""))

    @property
    def document_id(self) -> str:
        known = (("pmc", self.pmc), ("pubmed", self.pmid), ("doi", self.doi))
        return next((f"{name}:{id}" for name, id in known if id), "")


NOTICE_KINDS: dict[str, NoticeKind] = {
    "retraction-forward": "retraction",
    "retraction": "retraction",
    "object-of-concern-forward": "concern",
    "concern-forward": "concern",
    "expression-of-concern": "concern",
    "correction-forward": "correction",
    "corrigendum": "correction",
    "republication-forward": "republication",
    "republished-article-forward": "republication",
}
"""What a link from an article to its notice says. Those from the notice ("retracted-article") say nothing about it."""


def find_retraction(article: xml.Element, meta: xml.Element) -> Retraction:
    """ "true" when the article names its retraction. Its silence proves nothing: files of PMC are seldom renewed."""
    links = [*meta.findall("related-article"), *article.findall("back//related-article")]
    # A notice of retraction links to what it retracts, and is itself in force.
    told = [] if article.get("article-type") in ("retraction", "correction") else links
    notices = [notice for link in told if (notice := _build_notice(link))]
    # Its type, its properties or a note of its publisher may say that it was retracted.
    properties = [
        xml.find_text(one, "meta-value").lower() in ("yes", "true", "1")
        for one in meta.iter("custom-meta")
        if "retract" in xml.find_text(one, "meta-name").lower()
    ]
    notes = [one for one in article.iter("notes") if "retract" in one.get("notes-type", "").lower()]
    is_marked = article.get("article-type") in ("retracted-article", "retracted") or any(properties) or bool(notes)
    return build_retraction("PMC", notices, is_marked=is_marked)


def _build_notice(link: xml.Element) -> Notice | None:
    kind = NOTICE_KINDS.get(link.get("related-article-type", "").lower())
    if not kind:
        return None
    href = link.get("{http://www.w3.org/1999/xlink}href", "").strip()
    id = ""
    if doi := plain_doi(href):
        id = f"doi:{doi}"
    elif href.startswith("PMC") and href[3:].isdecimal():
        id = f"pmc:{href}"
    elif link.get("ext-link-type") in ("pmid", "pubmed") and href.isdecimal():
        id = f"pubmed:{href}"
    return Notice(kind=kind, source="PMC", id=id)


def _build_reference(
    article: xml.Element, front: xml.Element, meta: xml.Element, ids: JatsIds, kind: SourceKind
) -> Reference:
    article_type = article.get("article-type", "")
    first, last = xml.find_text(meta, "fpage"), xml.find_text(meta, "lpage")
    return Reference(
        id=ids.document_id,
        title=xml.find_text(meta, "title-group/article-title"),
        url=work_url(ids.pmc, ids.pmid, ids.doi),
        kind=kind,
        published=_published_date(meta),
        authors=tuple(author_names(meta)),
        journal=xml.find_text(front, "journal-meta/journal-title-group/journal-title", "journal-meta/journal-title"),
        volume=xml.find_text(meta, "volume"),
        issue=xml.find_text(meta, "issue"),
        pages=f"{first}-{last}" if first and last and first != last else first or xml.find_text(meta, "elocation-id"),
        doi=ids.doi,
        pmid=ids.pmid,
        pmcid=ids.pmc,
        publication_types=(article_type,) if article_type else (),
        retraction=find_retraction(article, meta),
        depth="full text",
    )


DATE_KINDS = ("epub", "epub-ppub", "ppub", "collection", "pub")


def _published_date(meta: xml.Element) -> str:
    """The most precise date of publication, the electronic one first; when PMC released it does not count."""
    dates: dict[str, list[str]] = {kind: [] for kind in DATE_KINDS}
    for date in meta.findall("pub-date"):
        # A date of no kind (JATS allows it) is one of publication.
        kind = date.get("pub-type") or date.get("date-type") or "pub"
        if kind == "pub":
            kind = {"electronic": "epub", "print": "ppub"}.get(date.get("publication-format", ""), kind)
        if kind in dates:
            dates[kind].append(xml.element_date(date))
    return most_precise_date(chain.from_iterable(dates.values()))


def author_names(meta: xml.Element) -> Iterator[str]:
    """Those whom an article, or a chapter, names as its authors, a line each."""
    for contributor in meta.findall("contrib-group/contrib"):
        if contributor.get("contrib-type", "author") == "author":
            person = next((one for path in PERSON_PATHS for one in contributor.findall(path)), contributor)
            for note in list(person.iter("xref")):
                note.clear(keep_tail=True)  # type: ignore[call-arg]
            if surname := xml.find_text(person, "surname"):
                yield format_person(surname, xml.find_text(person, "given-names"), xml.find_text(person, "suffix"))
            elif name := _collective_name(contributor) or xml.find_text(person, "."):
                yield format_group(name)


PERSON_PATHS = ("name", "name-alternatives/name", "string-name", "name-alternatives/string-name")
"""Where a contributor's own name is; members of a group stand deeper."""


def _collective_name(contributor: xml.Element) -> str:
    """The name of a group, without the members that are listed in it."""
    for path in ("collab", "collab-alternatives/collab", "collab/institution", "collab/named-content"):
        for collab in contributor.findall(path):
            line = xml.InlineText()
            line.write(collab.text)
            for child in collab:
                if xml.local_name(child) not in ("contrib-group", "contrib", "fn", "xref", "contrib-id"):
                    line.write_element(child)
                line.write(child.tail)
            if name := line.text():
                return name
    return ""


def write_abstracts(meta: xml.Element, page: DocumentBuilder) -> None:
    """Each abstract under its heading."""
    for abstract in meta.findall("abstract"):
        if abstract.get("abstract-type") not in SKIPPED_ABSTRACT_TYPES:
            title = xml.find_text(abstract, "title") or "Abstract"
            page.add_heading(title)
            write_blocks(abstract, title, page)


def write_blocks(parent: xml.Element, path: str, page: DocumentBuilder) -> None:
    """The blocks inside an element, in the order in which they are printed."""
    for child in parent:
        if write := BLOCK_WRITERS.get(xml.local_name(child)):
            write(child, path, page)


BACK_MATTER = {"acknowledgements", "acknowledgments", "author contributions", "authors' contributions"}
BACK_MATTER |= {"competing interests", "pre-publication history", "supporting information", "supplementary material"}
"""Older files have these in the body. No statement about a patient may rest on them."""


def _write_section(section: xml.Element, path: str, page: DocumentBuilder) -> None:
    title = xml.find_text(section, "title", "caption/title")
    if title.lower().replace("’", "'") in BACK_MATTER or section.get("sec-type") == "supplementary-material":
        return
    page.add_heading(title)
    write_blocks(section, heading_path(path, title), page)


def _split_mixed(parent: xml.Element, blocks: Container[str]) -> Iterator[str | xml.Element]:
    """The lines of words in an element, and between them the elements that stand on their own."""
    line = xml.InlineText()
    line.write(parent.text)
    for child in parent:
        if xml.local_name(child) in blocks:
            yield line.text()
            yield child
            line = xml.InlineText()
        else:
            line.write_element(child)
        line.write(child.tail)
    yield line.text()


def _write_paragraph(paragraph: xml.Element, path: str, page: DocumentBuilder) -> None:
    """A paragraph; lists, tables and figures inside it stand on their own and it goes on behind them."""
    # A formula inside a paragraph belongs to its sentence, though it is printed on a line of its own.
    for part in _split_mixed(paragraph, BLOCK_WRITERS.keys() - {"disp-formula"}):
        if isinstance(part, str):
            page.add_block(part, path)
        else:
            BLOCK_WRITERS[xml.local_name(part)](part, path, page)


def _write_formula(formula: xml.Element, path: str, page: DocumentBuilder) -> None:
    line = xml.InlineText()
    line.write_element(formula)
    page.add_block(line.text(), path)


def _write_list(items: xml.Element, path: str, page: DocumentBuilder) -> None:
    page.add_block("\n".join(_list_lines(items)), path)


LIST_STYLES = {"order": "1", "alpha-lower": "a", "alpha-upper": "A", "roman-lower": "i", "roman-upper": "I"}


def _list_lines(items: xml.Element) -> Iterator[str]:
    style = LIST_STYLES.get(items.get("list-type", ""))
    for number, item in enumerate(items.findall("list-item"), 1):
        label = xml.find_text(item, "label")
        mark = f"{label} " if any(map(str.isalnum, label)) else f"{list_label(number, style)}. " if style else "- "
        parts = _split_mixed(item, BLOCK_WRITERS.keys() | {"label", "title"})
        for position, line in enumerate(line for part in parts for line in _item_lines(part)):
            yield ("  " if position else mark) + line


def _item_lines(part: str | xml.Element) -> Iterator[str]:
    """The lines of a part of a list item; its label is its mark."""
    if isinstance(part, str):
        yield from filter(None, [part])
    elif xml.local_name(part) == "list":
        yield from _list_lines(part)
    elif xml.local_name(part) != "label":
        if text := xml.element_text(part):
            yield text
        for inner in part.findall("list"):
            yield from _list_lines(inner)


def _write_definitions(items: xml.Element, path: str, page: DocumentBuilder) -> None:
    pairs = ((xml.find_text(item, "term"), xml.find_text(item, "def")) for item in items.findall("def-item"))
    page.add_block("\n".join(f"{term}: {meaning}" for term, meaning in pairs if term or meaning), path)


def _note_text(note: xml.Element) -> str:
    """A note behind its label, which stands as where it is referred to: "[a] Halved above 75 years."."""
    if xml.local_name(note) != "fn":
        return xml.element_text(note)
    label = xml.find_text(note, "label")
    words = " ".join(xml.element_text(part) for part in note if xml.local_name(part) != "label")
    return f"{f'[{label}]' if label.isalnum() else label} {words}".strip()


def _write_notes(article: xml.Element, page: DocumentBuilder) -> None:
    """The footnotes of the text, which stand inside it or behind it; not those about its authors."""
    body = article.find("body")
    if body is None:
        return
    cited = {link.get("rid") for link in body.iter("xref") if link.get("ref-type") == "fn"}
    notes = [note for note in article.iterfind("back//fn") if note.get("id") in cited]
    notes += [note for note in body.iter("fn") if next(note.iterancestors("table-wrap-foot"), None) is None]
    page.add_block("\n".join(map(_note_text, notes)), "")


def _write_exhibit(exhibit: xml.Element, path: str, page: DocumentBuilder) -> None:
    """A table or a figure, under a heading of its own: its caption, rows as "a | b", and notes."""
    kind = "Figure" if xml.local_name(exhibit) == "fig" else "Table"
    label = xml.find_text(exhibit, "label").rstrip(".: ") or kind
    path = heading_path(path, label)
    captions = [*exhibit.findall("caption/title"), *exhibit.findall("caption/p")] or exhibit.findall("caption")
    caption = " ".join(map(xml.element_text, captions))
    rows = "\n".join(line for table in exhibit.iter("table") for line in table_lines(xml.markup_rows(table)))
    notes = "\n".join(_note_text(note) for foot in exhibit.findall("table-wrap-foot") for note in foot)
    # A figure without a caption is a picture: its label alone would be a passage that says nothing.
    if caption or rows:
        page.add_heading(label)
        for block in (caption, rows, notes):
            page.add_block(block, path)


BLOCK_WRITERS: dict[str, Callable[[xml.Element, str, DocumentBuilder], None]] = {
    **dict.fromkeys(("sec", "app", "boxed-text"), _write_section),
    "p": _write_paragraph,
    "disp-formula": _write_formula,
    "list": _write_list,
    "def-list": _write_definitions,
    **dict.fromkeys(("table-wrap", "table", "fig"), _write_exhibit),
    **dict.fromkeys(("table-wrap-group", "fig-group", "disp-quote", "statement"), write_blocks),
}
"""How each kind of block is written; any other is not part of the article's text."""
