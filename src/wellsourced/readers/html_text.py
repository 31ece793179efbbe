"""The tree of a page → its blocks as they are shown, in order: headings, paragraphs, lists, tables; no menus."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape, unescape
from typing import NamedTuple

from lxml import html
from lxml.html.defs import tags as known_tags

from wellsourced.lazy import lazy_regex
from wellsourced.readers.document_builder import DocumentBuilder, list_label
from wellsourced.readers.inline_text import collapse_whitespace
from wellsourced.readers.table_rows import table_lines
from wellsourced.readers.xml_records import Element, InlineText, markup_rows, parse_markup, strip_markup
from wellsourced.text.sanitization import remove_hidden_markup
from wellsourced.text.sentences import CELL_SEPARATOR
from wellsourced.types import Section

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
LISTS = {"ul", "ol", "menu", "dir"}
CELLS = {"td", "th"}
BLOCKS = HEADINGS | LISTS | CELLS
BLOCKS |= {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"}
BLOCKS |= {"fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "legend", "li", "main", "p", "pre"}
BLOCKS |= {"section", "summary", "table", "tbody", "tfoot", "thead", "tr"}

HIDDEN_XPATH = """//*[@hidden or self::template or self::script or self::style or self::noscript or self::title
    or self::button or self::select or self::textarea or self::input or self::datalist or self::iframe or self::svg
    or contains(translate(@style, ' ', ''), 'display:none') or contains(translate(@style, ' ', ''), 'visibility:hidden')
    or contains(@class, 'visually-hidden') or contains(@class, 'sr-only') or contains(@class, 'screen-reader')
    or contains(@class, 'editsection')]"""
"""What nobody who reads the page sees is not among its words, nor what is there to be pressed or filled in."""

AROUND_XPATH = """//nav | //dialog | //*[@role='navigation' or @role='search' or @role='menu' or @role='menubar'
    or @role='dialog' or @role='alertdialog' or @role='banner' or @role='contentinfo']
    | //*[self::header or self::footer][not(ancestor::article or ancestor::main or ancestor::section)]"""
"""What a page says of itself, by the elements and roles of the standard, that surrounds its text."""

AROUND_NAMES = re.compile(
    r"(?<![a-z])(nav|navbar|menu|breadcrumbs?|sidebar|footer|header|banner|share|social|related|cookies?|newsletter"
    r"|comments|pager|pagination|toolbar|tags)(?![a-z])"
)
MAX_LINKED = 0.5
"""Share of letters in links up to which an element of such a class or id is text all the same."""

LINE_BREAK = "\u2028"
_PARAGRAPH_BREAK = re.compile(rf"{LINE_BREAK}[\s{LINE_BREAK}]*{LINE_BREAK}")
MAX_CELL_CHARS, MAX_ROW_CHARS = 1_000, 200
"""Characters of a cell, and of a table of one row, from which on a table without names of columns is a layout."""


class HtmlBlock(NamedTuple):
    """A block of lines.

    level   of a heading, 1 the highest; 0 for all others
    """

    text: str
    level: int = 0


def render_blocks(blocks: list[HtmlBlock], page: DocumentBuilder) -> None:
    """Put blocks on a page. A single heading of the first level is the title, which the reference carries."""
    is_titled = sum(block.level == 1 for block in blocks) == 1
    for block in blocks:
        if block.level:
            page.open_section(block.text, block.level, "" if block.level == 1 and is_titled else None)
        else:
            page.add_block(block.text)


_HIDDEN_ELEMENTS = ("script", "style")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)[^<>]*>")


def escape_unknown_tags(markup: str) -> str:
    """The markup in which what only looks like a tag ("<LOD>") is words."""
    return _TAG.sub(lambda tag: tag[0] if tag[1].lower() in known_tags or "-" in tag[1] else escape(tag[0]), markup)


def fragment_blocks(markup: str) -> list[HtmlBlock]:
    """The blocks of a piece of HTML within another format."""
    seen = remove_hidden_markup(escape_unknown_tags(markup), _HIDDEN_ELEMENTS)
    # What is left of these is never closed, and would hide everything behind it.
    seen = re.sub(r"<(?=!--)|<(?=(?:script|style)\b)", "&lt;", seen, flags=re.IGNORECASE)
    return [block for part in read_pieces([seen]) for block in part]


_PART = "part"
"""An element that HTML does not have: nothing in a piece of it can end one."""


def read_pieces(pieces: Sequence[str]) -> list[list[HtmlBlock]]:
    """The blocks of each of several pieces of HTML without unknown tags, which are parsed at once."""
    markup = "".join(f"<{_PART}>{piece}</{_PART}>" for piece in pieces)
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    tree: html.HtmlElement = html.document_fromstring(f"<body>{markup}</body>".encode("utf-8", "replace"), parser)
    if not any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        with contextlib.suppress(RecursionError):
            drop_hidden(tree)
            text, parts = HtmlText(tree), [*tree.iterfind(f"body/{_PART}")]
            if len(pieces) == 1:
                return [list(text.blocks(tree))]
            # One that ends the page leaves words outside.
            if len(parts) == len(pieces) and element_words(tree) == "".join(map(element_words, parts)):
                return [list(text.blocks(part)) for part in parts]
    if len(pieces) > 1:
        return [read_pieces([piece])[0] for piece in pieces]
    # What is nested too deeply to be read whole is read without its marks.
    return [[HtmlBlock(" ".join(unescape(_TAG.sub(" ", piece)).split()))] for piece in pieces]


_ABSTRACT_NAMES = {"title": "h4", "sec": "div", "abstract": "div", "list": "ul", "list-item": "li", "br": "hr"}
"""JATS → HTML; a break parts paragraphs."""


def parse_abstract(title: str, marked: str) -> tuple[str, tuple[Section, ...]]:
    """The words of an abstract under its title, each labelled part a section; both may be marked up."""
    page, section, tree = DocumentBuilder(), "", parse_markup(marked)
    page.add_heading(strip_markup(title))
    for element in tree.iter(*_ABSTRACT_NAMES):
        element.tag = _ABSTRACT_NAMES[element.tag]
    for text, level in HtmlText(tree).blocks(tree):
        if level:
            section = text.rstrip(":")
            page.add_heading(section)
        else:
            page.add_block(text, section)
    return page.text, page.sections


def prune_tree(tree: html.HtmlElement) -> None:
    """Take from a page what is not shown and what surrounds its text: menus, banners, forms' controls."""
    drop_hidden(tree)
    _drop_elements(tree.xpath(AROUND_XPATH))
    sizes = _measure_text(tree)
    named = (element for element in tree.xpath("//body//*[@class or @id]") if element.tag in BLOCKS - CELLS)
    _drop_elements(
        [
            element
            for element in named
            if sizes[element][1] > MAX_LINKED * sizes[element][0]
            and AROUND_NAMES.search(f"{element.get('class', '')} {element.get('id', '')}".lower())
        ]
    )


def drop_hidden(tree: html.HtmlElement) -> None:
    """Take from a tree what nobody who reads the page sees."""
    _drop_elements(tree.xpath(HIDDEN_XPATH))


def _drop_elements(elements: list[html.HtmlElement]) -> None:
    for element in elements:
        if element.getparent() is not None and element.tag != "body":
            element.drop_tree()


def _measure_text(tree: html.HtmlElement) -> dict[Element, tuple[int, int]]:
    """Element → (its letters, those of them in links)."""
    sizes: dict[Element, tuple[int, int]] = {}
    for element in reversed(list(tree.iter("*"))):
        own = len("".join((element.text or "").split()))
        inside = [sizes[child] for child in element]
        tails = sum(len("".join((child.tail or "").split())) for child in element)
        letters = own + tails + sum(size for size, _ in inside)
        sizes[element] = (letters, letters if element.tag == "a" else sum(linked for _, linked in inside))
    return sizes


_STYLED_CLASS = lazy_regex(r"(?:^|,)\s*(?:span|font|a|i|b|em)?\.([\w-]+)\s*(?=,|$)")
_RAISED_STYLE = lazy_regex(r"vertical-align\s*:\s*(?:super|text-top)|(?<![\w-])(?:top\s*:\s*-|bottom\s*:\s*[.\d])")
_LOWERED_STYLE = lazy_regex(r"vertical-align\s*:\s*(?:sub\b|text-bottom)|(?<![\w-])(?:top\s*:\s*[.\d]|bottom\s*:\s*-)")
_STYLED_ELEMENTS = ("span", "font", "a", "i", "b", "em", "small")


def raise_styled_text(tree: html.HtmlElement, css: str = "") -> None:
    """Let what a style raises or lowers be <sup> and <sub>, as most programs write it. `css` is of other files.

    To be called before the styles of the page itself are taken out.
    """
    places: dict[str, str] = {}
    for rules in (css, *(style.text or "" for style in tree.iter("style"))):
        for rule in rules.split("}"):
            selectors, _, declarations = rule.rpartition("{")
            if place := _find_place(declarations):
                places |= dict.fromkeys(_STYLED_CLASS.findall(selectors.rpartition("}")[2].strip()), place)
    for element in list(tree.iter(*_STYLED_ELEMENTS)):
        names = (element.get("class") or "").split() if places else ()
        place = _find_place(element.get("style") or "") or next((places[name] for name in names if name in places), "")
        # Small signs within a raised link are raised once.
        if place and next(element.iterancestors("sup", "sub"), None) is None:
            wrapped = html.Element(place)
            wrapped.tail, element.tail = element.tail, None
            element.addprevious(wrapped)
            wrapped.append(element)


def _find_place(declarations: str) -> str:
    """ "sup" or "sub" for what these lines of a style raise or lower; "" for all else."""
    if "relative" not in declarations and "vertical-align" not in declarations:
        return ""
    return "sup" if _RAISED_STYLE.search(declarations) else "sub" if _LOWERED_STYLE.search(declarations) else ""


class HtmlText:
    """The words of a tree as a reader of the page sees them; `new_line` is what its lines are written with."""

    def __init__(self, tree: html.HtmlElement, new_line: "Callable[[], HtmlLine] | None" = None) -> None:
        self._new_line = new_line or HtmlLine
        # Elements that are blocks or contain one: all others are words of a line.
        self._blocks: set[Element] = set()
        for element in tree.iter(*BLOCKS):
            while element is not None and element not in self._blocks:
                self._blocks.add(element)
                element = element.getparent()

    def blocks(self, parent: Element) -> Iterator[HtmlBlock]:
        """The blocks inside an element, in the order in which they are printed."""
        line = self._new_line()
        line.write(parent.text)
        for child in parent:
            if child not in self._blocks:
                line.write_element(child)
                line.write(child.tail)
                continue
            yield from _line_blocks(line)
            line = self._new_line()
            if child.tag in HEADINGS:
                yield HtmlBlock(" ".join(self._lines(child)), int(child.tag[1]))
            elif child.tag in LISTS:
                yield HtmlBlock("\n".join(self._list_lines(child)))
            elif child.tag == "dl":
                yield HtmlBlock("\n".join(self._definition_lines(child)))
            elif child.tag == "pre":
                yield HtmlBlock("\n".join(row.rstrip() for row in element_words(child).strip("\n").split("\n")))
            elif child.tag == "table" and not self._is_layout(child):
                yield from (block for caption in child.iterchildren("caption") for block in self.blocks(caption))
                yield HtmlBlock("\n".join(table_lines(markup_rows(child, self._cell_text))))
            else:
                yield from self.blocks(child)
            line.write(child.tail)
        yield from _line_blocks(line)

    def _lines(self, element: Element) -> list[str]:
        if len(element) == 0:
            return [words] if (words := collapse_whitespace(element.text or "").strip()) else []
        return [line for block in self.blocks(element) for line in block.text.split("\n") if line]

    def _list_lines(self, items: Element) -> Iterator[str]:
        style = items.get("type") or _list_style(items)
        number = _integer(items.get("start"), 1)
        step = 1
        if items.get("reversed") is not None:
            number, step = _integer(items.get("start"), sum(1 for _ in items.iterchildren("li"))), -1
        for item in items:
            mark = ""
            if item.tag == "li":
                number = _integer(item.get("value"), number)
                mark = f"{list_label(number, style)}. " if items.tag == "ol" else "- "
                number += step
            for position, line in enumerate(self._lines(item) if item.tag == "li" else self._outer_lines(item)):
                yield ("  " if position or not mark else mark) + line

    def _outer_lines(self, element: Element) -> list[str]:
        """The lines of what stands in a list and is no item of it: a list in a list, mostly."""
        if element.tag in LISTS:
            return list(self._list_lines(element))
        return self._lines(element)

    def _definition_lines(self, items: Element) -> Iterator[str]:
        """ "Term: meaning", a line a meaning; longer meanings are indented below their term."""
        term = ""
        for item in items.iter("dt", "dd"):
            if next(item.iterancestors("dl")) is not items:
                continue
            words = self._lines(item)
            if item.tag == "dt":
                yield from filter(None, [term])
                term = " ".join(words)
            elif len(words) == 1:
                yield f"{term.rstrip(':')}: {words[0]}" if term else f"  {words[0]}"
                term = ""
            elif words:
                yield from filter(None, [term])
                yield from (f"  {line}" for line in words)
                term = ""
        yield from filter(None, [term])

    def _cell_text(self, cell: Element) -> str:
        """The words of a cell; a table in it as lines of cells with commas, since strokes are for the outer one."""
        lines = self._lines(cell)
        if next(cell.iter("table"), None) is not None:
            lines = [line.replace(CELL_SEPARATOR, ", ") for line in lines]
        # A single "- 5" is what the cell says.
        is_list = len(lines) > 1 or next(cell.iter("li"), None) is not None
        return "\n".join(line.strip().removeprefix("- ") if is_list else line for line in lines)

    def _is_layout(self, table: Element) -> bool:
        """Whether a table only arranges what could as well stand below each other."""
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        cells = [[cell for cell in row if cell.tag in CELLS] for row in rows]
        if table.get("role") in ("presentation", "none") or max(map(len, cells), default=0) < 2:
            return True
        if any(cell.tag == "th" for row in cells for cell in row):
            return False
        if next(table.iterdescendants("table", "hr", *HEADINGS), None) is not None:
            return True
        longest = max(len(element_words(cell)) for row in cells for cell in row)
        return longest > (MAX_CELL_CHARS if len(rows) > 1 else MAX_ROW_CHARS)


class HtmlLine(InlineText):
    """Running text as a browser shows it: forced breaks are kept, links to notes stand in brackets."""

    def write_element(self, element: Element) -> None:
        name = element.tag
        if name == "br":
            self.write(LINE_BREAK)
        elif name == "sup" and (element.find(".//a") is not None or next(element.iterancestors()).tag == "a"):
            self._write_mark(name, element_words(element), is_note=True)
        elif name == "a" and "#" in element.get("href", "") and element_words(element).strip().isdecimal():
            # A number that leads elsewhere on the page is the mark of a note, raised or not.
            self._write_mark("xref", element_words(element).strip(), is_note=False)
        elif name in ("q", "del", "s", "strike"):
            before, behind = ("“", "”") if name == "q" else ("~~", "~~")
            self.write(before)
            self.write_children(element)
            self.write(behind)
        elif name == "img":
            # A sign that is a picture ("≥") is a word of its sentence; a picture with a description is none.
            sign = (element.get("alt") or "").strip()
            self.write(sign if len(sign) <= 3 and not sign.isalnum() else "")
        # "↩" leads from a note back to its place.
        elif name != "a" or element.get("href", "")[:1] != "#" or re.search(r"\w|[*†‡§]", element_words(element)):
            super().write_element(element)


def element_words(element: Element) -> str:
    """All words in an element, as they stand in the file."""
    return "".join(map(str, element.itertext()))


def _line_blocks(line: HtmlLine) -> Iterator[HtmlBlock]:
    for paragraph in _PARAGRAPH_BREAK.split(line.text()):
        if words := "\n".join(filter(None, (part.strip() for part in paragraph.split(LINE_BREAK)))):
            yield HtmlBlock(words)


def _integer(given: str | None, otherwise: int) -> int:
    digits = (given or "").strip().removeprefix("-")
    return int(given or "") if digits.isdecimal() and len(digits) < 7 else otherwise


def _list_style(items: Element) -> str:
    """The type of a list by its style: "a", "A", "i", "I", else "1"."""
    found = re.search(r"(lower|upper)-(alpha|latin|roman)", items.get("style", ""))
    if not found:
        return "1"
    letter = "i" if found[2] == "roman" else "a"
    return letter.upper() if found[1] == "upper" else letter
