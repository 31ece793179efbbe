"""Dumps of Wikipedia (pages-articles.xml, also as .bz2): a document an article, its headings as sections."""

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from wellsourced.errors import SettingsError, Unreadable
from wellsourced.readers.base import Faulty, File, Read, plain, published, salvaging
from wellsourced.readers.page import Page
from wellsourced.readers.page import path as path_of
from wellsourced.readers.xml import Element, local, one_line, records, root_of
from wellsourced.types import Document, Kind, Reference

ROOTS = ("mediawiki",)
DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:[\w -]+[ _])?(?:disambiguation|disambig|dab|hndis|begriffsklärung)\b", re.IGNORECASE
)
BEHIND = {
    "references",
    "external links",
    "see also",
    "further reading",
    "notes",
    "sources",
    "citations",
    "bibliography",
}
BEHIND |= {"weblinks", "einzelnachweise", "literatur", "siehe auch"}
"""Headings of what stands behind an article and is none of it."""

LONGEST = 2_000_000
"""Characters of wiki text in an article: the software itself takes no more bytes than that."""


class Site(NamedTuple):
    """The wiki that a dump is of; `spaces` are the names that stand before ":" in titles that are no articles."""

    language: str = "en"
    base: str = "https://en.wikipedia.org/wiki/"
    spaces: frozenset[str] = frozenset({"file", "image", "category"})


@salvaging
def read_wikipedia(path: File, kind: Kind) -> Read:
    """An article a document; redirects, disambiguation pages and pages of other name spaces are passed over.

    Templates, tables, references, pictures and categories are left out. One page is held at a time.
    Raises SettingsError without the extra `documents`.
    """
    if (root := root_of(path)) not in ROOTS:
        raise Unreadable(str(path), f"it is <{root}>, not a dump of Wikipedia", "Add a pages-articles dump.")
    parse = _parser()
    site = Site()
    for element in records(path, ("siteinfo", "page")):
        if local(element) == "siteinfo":
            site = _site(element)
        elif read := _read(element, site, kind, parse):
            yield read


def _parser() -> Callable[[str], Any]:
    try:
        import mwparserfromhell
    except ImportError as error:
        remedy = "Install what reads Wikipedia: pip install 'wellsourced[documents]'"
        raise SettingsError(f"Dumps of Wikipedia need the package mwparserfromhell. {remedy}") from error
    return functools.partial(mwparserfromhell.parse, skip_style_tags=True)


def _site(siteinfo: Element) -> Site:
    base = siteinfo.findtext("{*}base") or Site().base
    spaces = frozenset((space.text or "").lower() for space in siteinfo.iter("{*}namespace")) - {""}
    return Site((urlsplit(base).hostname or "en").partition(".")[0], base.rpartition("/")[0] + "/", spaces)


def _read(page: Element, site: Site, kind: Kind, parse: Callable[[str], Any]) -> Document | Faulty | None:
    title, number = page.findtext("{*}title") or "", page.findtext("{*}id") or ""
    text = page.findtext("{*}revision/{*}text") or ""
    model = page.findtext("{*}revision/{*}model") or "wikitext"
    if page.findtext("{*}ns") != "0" or page.find("{*}redirect") is not None or model != "wikitext":
        return None
    if not number.isdecimal():
        return Faulty(f"the page “{title}”", "it has no id", "Fetch the dump again.")
    if len(text) > LONGEST:
        return Faulty(f"the page “{title}”", "it is longer than Wikipedia allows a page to be", "Leave it out.")
    if DISAMBIGUATION.search(text):
        return None
    article = Article(title, site.spaces)
    article.write(parse(plain(text)))
    if not article.page.sections or article.page.text == title:
        return None
    reference = Reference(
        id=f"wiki:{site.language}:{number}",
        title=title,
        url=site.base + quote(title.replace(" ", "_")),
        kind=kind,
        organisation="Wikipedia",
        published=published(page.findtext("{*}revision/{*}timestamp")),
        depth="full text",
    )
    return Document(reference=reference, text=article.page.text, sections=article.page.sections)


NOTES = re.compile(
    r"(cite|citation|refn?|sfn|efn|harv|rp|r|cn|fact|clarify|who|when|by whom|dubious|better source|page needed|update"
    r"|medical citation|verify|unreliable|anchor|short description|use |main|further|see also|about|infobox)\b"
)
"""Templates that add nothing to a sentence, by the beginnings of their names."""

SHOWN = {"lang": 2, "transl": 2, "nowrap": 1, "nobold": 1, "abbr": 1, "abbrlink": 1, "tooltip": 1, "em": 1, "strong": 1}
"""Templates that only show one of their parameters, and its number."""

UNSEEN = {"ref", "references", "table", "gallery", "timeline", "score", "imagemap", "templatestyles", "noinclude"}
GAP = "[…]"
"""For a template inside a sentence: a sentence that lacks a number unseen would say something else."""


class Article:
    """The words of an article, as a reader of the page sees them, in the making."""

    def __init__(self, title: str, spaces: frozenset[str]) -> None:
        self.page = Page()
        self.page.heading(title)
        self._spaces = spaces
        self._path: list[tuple[int, str]] = []
        self._passed_over = 0
        self._parts: list[str] = []

    def write(self, code: Any) -> None:
        """A whole page of wiki text."""
        for node in code.nodes:
            if type(node).__name__ == "Heading":
                self._end_section()
                self._begin_section(node.level, one_line(_bare(self._words(node.title))))
            else:
                self._parts.append(self._word(node))
        self._end_section()

    def _begin_section(self, level: int, heading: str) -> None:
        self._path = [(at, words) for at, words in self._path if at < level]
        if self._passed_over and level > self._passed_over:
            return
        self._passed_over = level if heading.lower() in BEHIND else 0
        if not self._passed_over:
            self._path.append((level, heading))
            self.page.heading(heading)

    def _end_section(self) -> None:
        text = _bare("".join(self._parts))
        self._parts = []
        if not self._passed_over:
            path = path_of(*(words for _, words in self._path))
            for paragraph in re.split(r"\n\s*\n", text):
                lines = (one_line(line) for line in paragraph.split("\n"))
                self.page.block("\n".join(line for line in lines if line.strip(" -;,.") and line != GAP), path)

    def _words(self, code: Any) -> str:
        return "".join(map(self._word, code.nodes)) if code is not None else ""

    def _word(self, node: Any) -> str:
        return WRITERS.get(type(node).__name__, _nothing)(self, node)

    def text(self, node: Any) -> str:
        """Words as they are."""
        return str(node)

    def entity(self, node: Any) -> str:
        """The character that an entity stands for."""
        try:
            return str(node.normalize())
        except ValueError:
            return ""

    def wikilink(self, node: Any) -> str:
        """The words of a link to a page; nothing for pictures, categories and other languages."""
        title = str(node.title).strip()
        space = title.partition(":")[0].strip().lower() if ":" in title[1:] else ""
        if space in self._spaces or re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", space):
            return ""
        return self._words(node.text) if node.text is not None else title.removeprefix(":")

    def external(self, node: Any) -> str:
        """The words of a link to another site."""
        return self._words(node.title)

    def tag(self, node: Any) -> str:
        """An element of HTML, or the mark of a list."""
        name = str(node.tag).strip().lower()
        if node.wiki_markup in ("*", "#"):
            return "- "
        if name in UNSEEN or node.contents is None:
            return " " if name == "br" else ""
        if name in ("math", "chem", "ce"):
            return "[formula]"
        inner = self._words(node.contents)
        return f"^{inner}" if name == "sup" and re.fullmatch(r"[−–-]?[0-9]+", inner) else inner

    def template(self, node: Any) -> str:
        """What a template shows, where that is known; nothing for notes; a gap for all others inside a sentence."""
        name = str(node.name).strip().lower().replace("_", " ")
        shown = [self._words(one.value).strip() for one in node.params if not one.showkey]
        if name in ("convert", "cvt") and len(shown) > 1:
            return " ".join(shown[:2])
        if name in SHOWN and len(shown) >= SHOWN[name]:
            return shown[SHOWN[name] - 1]
        return "" if NOTES.match(name) or not shown else GAP


def _nothing(_article: Article, _node: Any) -> str:
    return ""


WRITERS: dict[str, Callable[[Article, Any], str]] = {
    "Text": Article.text,
    "HTMLEntity": Article.entity,
    "Wikilink": Article.wikilink,
    "ExternalLink": Article.external,
    "Tag": Article.tag,
    "Template": Article.template,
}
"""How each kind of node is written; comments and arguments are not."""


def _bare(text: str) -> str:
    """Without the marks of bold and italic letters, and without magic words."""
    return re.sub(r"'{2,}|__[A-Z]+__", "", text)
