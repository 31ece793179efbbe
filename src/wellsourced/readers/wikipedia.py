"""Dumps of Wikipedia (pages-articles.xml, also as .bz2): a document an article, its headings as sections."""

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from wellsourced.errors import NextStep, SettingsError
from wellsourced.readers.base import (
    DocumentStream,
    File,
    UnreadablePart,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.document_builder import DocumentBuilder, parse_iso_date
from wellsourced.readers.inline_text import collapse_whitespace
from wellsourced.readers.table_rows import Cell, TableRow, span_count, table_lines
from wellsourced.readers.xml_records import Element, iter_records, local_name
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("mediawiki",)
DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:[\w -]+[ _])?(?:disambiguation|disambig|dab|hndis|begriffsklärung)\b", re.IGNORECASE
)
BACK_MATTER = {"references", "external links", "see also", "further reading", "notes", "sources", "citations"}
BACK_MATTER |= {"bibliography", "weblinks", "einzelnachweise", "literatur", "siehe auch"}
"""Headings of what stands behind an article and is none of it."""

MAX_ARTICLE_CHARS = 2_000_000
"""Characters of wiki text in an article: the software itself takes no more bytes than that."""


class WikiSite(NamedTuple):
    """The wiki that a dump is of; `spaces` are the names that stand before ":" in titles that are no articles."""

    language: str = "en"
    base: str = "https://en.wikipedia.org/wiki/"
    spaces: frozenset[str] = frozenset({"file", "image", "category"})


@salvage_documents
def read_wikipedia(path: File, kind: SourceKind) -> DocumentStream:
    """An article a document; redirects, disambiguation pages and pages of other name spaces are passed over.

    Templates, references, pictures and categories are left out. One page is held at a time.
    Raises SettingsError without the extra `documents`.
    """
    try:
        import mwparserfromhell
    except ImportError as error:
        step = NextStep("install extra", "documents")
        raise SettingsError("Reading Wikipedia dumps needs the extra “documents”.", next_step=step) from error
    parse = functools.partial(mwparserfromhell.parse, skip_style_tags=True)
    site = WikiSite()
    for element in iter_records(path, ("siteinfo", "page")):
        if local_name(element) == "siteinfo":
            base = element.findtext("{*}base") or WikiSite().base
            spaces = frozenset((space.text or "").lower() for space in element.iter("{*}namespace")) - {""}
            site = WikiSite((urlsplit(base).hostname or "en").partition(".")[0], base.rpartition("/")[0] + "/", spaces)
        elif read := _read_page(element, site, kind, parse):
            yield read


def _read_page(
    page: Element, site: WikiSite, kind: SourceKind, parse: Callable[[str], Any]
) -> Document | UnreadablePart | None:
    title, number = page.findtext("{*}title") or "", page.findtext("{*}id") or ""
    text = page.findtext("{*}revision/{*}text") or ""
    model = page.findtext("{*}revision/{*}model") or "wikitext"
    if page.findtext("{*}ns") != "0" or page.find("{*}redirect") is not None or model != "wikitext":
        return None
    if not number.isdecimal():
        return UnreadablePart(f"the page “{title}”", "it has no id", "Download the dump again.")
    if len(text) > MAX_ARTICLE_CHARS:
        return UnreadablePart(f"the page “{title}”", "it is longer than Wikipedia allows", "Leave it out.")
    if DISAMBIGUATION.search(text):
        return None
    article = WikiArticle(title, site.spaces)
    article.write_page(parse(normalize_line_ends(text)))
    if not article.page.sections or article.page.text == title:
        return None
    reference = Reference(
        id=f"wiki:{site.language}:{number}",
        title=title,
        url=site.base + quote(title.replace(" ", "_")),
        kind=kind,
        organisation="Wikipedia",
        published=parse_iso_date(page.findtext("{*}revision/{*}timestamp")),
        depth="full text",
    )
    return article.page.build(reference)


NOTE_TEMPLATES = re.compile(
    r"(cite|citation|refn?|sfn|efn|harv|rp|r|cn|fact|clarify|who|when|by whom|dubious|better source|page needed|update"
    r"|medical citation|verify|unreliable|anchor|short description|use |main|further|see also|about|infobox)\b"
)
"""Templates that add nothing to a sentence, by the beginnings of their names."""

SHOWN_PARAMETERS = {"lang": 2, "transl": 2}
SHOWN_PARAMETERS |= dict.fromkeys(("nowrap", "nobold", "abbr", "abbrlink", "tooltip", "em", "strong"), 1)
"""Templates that only show one of their parameters, and its number."""

HIDDEN_ELEMENTS = {"ref", "references", "gallery", "timeline", "score", "imagemap"}
HIDDEN_ELEMENTS |= {"templatestyles", "noinclude"}
NAVIGATION_CLASS = re.compile("navbox|infobox|metadata|ambox|sidebar")
"""Tables that lead to other pages, or speak of the page itself."""

GAP_MARK = "[…]"
"""For a template inside a sentence: a sentence that lacks a number unseen would say something else."""


class WikiArticle:
    """The words of an article, as a reader of the page sees them, in the making."""

    def __init__(self, title: str, spaces: frozenset[str]) -> None:
        self.page = DocumentBuilder()
        self.page.add_heading(title)
        self._spaces = spaces
        self._skipped_level = 0
        self._parts: list[str] = []

    def write_page(self, code: Any) -> None:
        for node in code.nodes:
            if type(node).__name__ == "Heading":
                self._end_section()
                self._begin_section(node.level, collapse_whitespace(_strip_marks(self.code_text(node.title))))
            else:
                self._parts.append(self._node_text(node))
        self._end_section()

    def _begin_section(self, level: int, heading: str) -> None:
        if self._skipped_level and level > self._skipped_level:
            return
        self._skipped_level = level if heading.lower() in BACK_MATTER else 0
        if not self._skipped_level:
            self.page.open_section(heading, level)

    def _end_section(self) -> None:
        text = _strip_marks("".join(self._parts))
        self._parts = []
        if not self._skipped_level:
            for paragraph in re.split(r"\n\s*\n", text):
                lines = (collapse_whitespace(line) for line in paragraph.split("\n"))
                self.page.add_block("\n".join(line for line in lines if line.strip(" -;,.") and line != GAP_MARK))

    def code_text(self, code: Any) -> str:
        """The words of a piece of wiki text."""
        return "".join(map(self._node_text, code.nodes)) if code is not None else ""

    def _node_text(self, node: Any) -> str:
        render = NODE_RENDERERS.get(type(node).__name__)
        return render(self, node) if render else ""

    def render_entity(self, node: Any) -> str:
        try:
            return str(node.normalize())
        except ValueError:
            return ""

    def render_wikilink(self, node: Any) -> str:
        """The words of a link to a page; nothing for pictures, categories and other languages."""
        title = str(node.title).strip()
        space = title.partition(":")[0].strip().lower() if ":" in title[1:] else ""
        if space in self._spaces or re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", space):
            return ""
        return self.code_text(node.text) if node.text is not None else title.removeprefix(":")

    def render_tag(self, node: Any) -> str:
        """An element of HTML, or the mark of a list."""
        name = str(node.tag).strip().lower()
        if node.wiki_markup in ("*", "#"):
            return "- "
        if name == "br":
            return "\n"
        if name == "table":
            return self._table_text(node)
        if name in HIDDEN_ELEMENTS or node.contents is None:
            return ""
        if name in ("math", "chem", "ce"):
            return "[formula]"
        inner = self.code_text(node.contents)
        return f"^{inner}" if name == "sup" and inner.lstrip("−–-").isdecimal() else inner

    def _table_text(self, table: Any) -> str:
        """A table as lines of its own; none for boxes that lead to other pages."""
        kind = str(table.get("class").value) if table.has("class") else ""
        if NAVIGATION_CLASS.search(kind):
            return ""
        tags = [node for node in table.contents.nodes if type(node).__name__ == "Tag"]
        # "|+ Doses" is the caption. Cells before the first mark of a row are a row as well.
        captions = [self.code_text(tag.contents).strip() for tag in tags if str(tag.contents).startswith("+")]
        first = [tag for tag in tags if str(tag.tag) in ("td", "th") and not str(tag.contents).startswith("+")]
        rows = [first, *(list(tag.contents.nodes) for tag in tags if str(tag.tag) == "tr")]
        cells = [[cell for cell in row if str(getattr(cell, "tag", "")) in ("td", "th")] for row in rows]
        named = (TableRow([*map(self._cell, row)], {str(cell.tag) for cell in row} == {"th"}) for row in cells if row)
        return "\n\n".join(("", *(words[1:] for words in captions), "\n".join(table_lines([*named])), ""))

    def _cell(self, cell: Any) -> Cell:
        spans = (str(cell.get(name).value) if cell.has(name) else "" for name in ("rowspan", "colspan"))
        lines = _strip_marks(self.code_text(cell.contents)).split("\n")
        return Cell("\n".join(line.strip().removeprefix("- ") for line in lines), *map(span_count, spans))

    def render_template(self, node: Any) -> str:
        """What a template shows, where that is known; nothing for notes; a gap for all others inside a sentence."""
        name = str(node.name).strip().lower().replace("_", " ")
        shown = [self.code_text(one.value).strip() for one in node.params if not one.showkey]
        if name in ("convert", "cvt") and len(shown) > 1:
            return " ".join(shown[:2])
        if name in SHOWN_PARAMETERS and len(shown) >= SHOWN_PARAMETERS[name]:
            return shown[SHOWN_PARAMETERS[name] - 1]
        return "" if NOTE_TEMPLATES.match(name) or not shown else GAP_MARK


NODE_RENDERERS: dict[str, Callable[[WikiArticle, Any], str]] = {
    "Text": lambda _, node: str(node),
    "HTMLEntity": WikiArticle.render_entity,
    "Wikilink": WikiArticle.render_wikilink,
    "ExternalLink": lambda article, node: article.code_text(node.title),
    "Tag": WikiArticle.render_tag,
    "Template": WikiArticle.render_template,
}
"""How each kind of node is written; comments and arguments are not."""


def _strip_marks(text: str) -> str:
    """Without the marks of bold and italic letters, and without magic words."""
    return re.sub(r"'{2,}|__[A-Z]+__", "", text)
