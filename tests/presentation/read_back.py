"""What writers print, read back: statements with their numbers, statuses and quoted words, and whatever is not ours.

A reader knows the form (HTML, Markdown, Word …) and nothing of the tree that was written.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

import docx
import lxml.html
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Presentation, arrange_blocks, escape_citation_marks
from wellsourced.presentation.html import write_html, write_html_page
from wellsourced.presentation.layout import Line, lay_out_lines
from wellsourced.presentation.markdown import write_chat_message, write_markdown, write_tool_text
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.presentation.word import write_word_file
from wellsourced.presentation.wording import STATUS_WORDS
from wellsourced.text.sanitization import sanitize_line, sanitize_text

SHORT: tuple[Detail, ...] = ("short",)
QUOTES: tuple[Detail, ...] = ("short", "quotes")
WHOLE: tuple[Detail, ...] = ("short", "quotes", "receipt")

PASSED = ("verbatim", "verified")

Tree = SyntaxTreeNode


class Shown(NamedTuple):
    """A statement as somebody reads it. `status`: in words; "" for one that passed, where that is not said."""

    text: str
    items: tuple[str, ...]
    numbers: tuple[int, ...]
    status: str
    quoted: tuple[str, ...]


def plain(text: str) -> str:
    """A text as writers may print it: harmless, white space apart."""
    return join_words(escape_citation_marks(sanitize_line(text)))


def join_words(text: str) -> str:
    """The words, without what stands for a letter that cannot be printed, or that no text has."""
    return " ".join(re.sub("[�\ufffe]", " ", text).split())


# --- what has to be there ---------------------------------------------------------------------------------------------


def list_statements(presentation: Presentation, form: "Form") -> list[Shown]:
    """The statements of a tree as this form has to show them."""
    return [_to_shown(text, form) for text in _flatten(arrange_blocks(presentation, form.details), form)]


def _to_shown(text: blocks.Text, form: "Form") -> Shown:
    status = "" if text.status is None or (text.status in PASSED and not form.are_all_named) else text.status
    quoted = (_join_touching(quote) if form.is_in_place else quote.words for quote in text.quotes)
    return Shown(
        plain(text.text),
        tuple(_list_items(text.items)),
        text.citations,
        STATUS_WORDS[status] if status else "",
        tuple(" … ".join(map(plain, words)) for words in quoted),
    )


def _flatten(shown: Iterable[blocks.Block], form: "Form") -> Iterator[blocks.Text]:
    for block in shown:
        if isinstance(block, blocks.MarkedText):
            yield from block.statements
        elif isinstance(block, blocks.Text) and block.status:
            yield block
        elif isinstance(block, blocks.List) and form.has_cited_items:
            for item in block.items:
                if item.citations:
                    yield blocks.Text(item.text, items=item.items, citations=item.citations, quotes=item.quotes)


def _list_items(items: Iterable[blocks.Text]) -> Iterator[str]:
    for item in items:
        yield plain(item.text)
        yield from _list_items(item.items)


def _join_touching(quote: blocks.Quote) -> Iterator[str]:
    stretches = blocks.split_marks(quote.text, quote.marks)
    words = ""
    for one in stretches:
        if one.marked:
            words += one.text
        elif words:
            yield words
            words = ""
    if words:
        yield words


def list_other_texts(presentation: Presentation, details: Sequence[Detail]) -> Iterator[str]:
    """Every other text: headings, warnings, gaps, references, what was searched."""
    for block in arrange_blocks(presentation, details):
        match block:
            case blocks.Heading() | blocks.Text(status=None):
                yield plain(block.text)
            case blocks.List():
                yield plain(block.title)
                yield from _list_items(block.items)
            case blocks.Excerpt():
                yield plain(block.title)
                yield from map(plain, list_excerpt_words(block))
            case blocks.References():
                yield from (plain(entry.words) for entry in block.entries)


def list_excerpt_words(block: blocks.Excerpt) -> Iterator[str]:
    """The words of each line, and of each cell, of a section that is shown."""
    for part in lay_out_lines(block).parts:
        yield from [part.words] if isinstance(part, Line) else (cell for row in part.lines for cell in row.cells)


# --- how it is read ---------------------------------------------------------------------------------------------------

_LINE = re.compile(
    r"^(?P<text>.*?) ?(?P<numbers>(?:\[\d+\])+|\[no source\])"
    r"(?: (?:\*\*)?\((?P<remark>.*)\)(?:\*\*)?)??(?: \*?\((?P<state>[a-z ]+)\)\*?)?$"
)
"""A statement, its numbers (foreign text has none), what is doubtful, and its status."""


def _read_line(line: str) -> Shown | None:
    """A statement of one line; None: it is none."""
    found = _LINE.match(line.strip())
    if found is None:
        return None
    remarks = (found["state"] or "").split("; ") + (found["remark"] or "").split("; ")
    status = next((word for word in STATUS_WORDS.values() for one in remarks if one.startswith(word)), "")
    numbers = tuple(map(int, re.findall(r"\d+", found["numbers"])))
    return Shown(plain(found["text"]), (), numbers, status, ())


def read_html(markup: str) -> list[Shown]:
    """The statements of a page."""
    return [
        Shown(
            plain("".join(said.text_content() for said in node.xpath("./span[@class='said']"))),
            tuple(plain(_own_text(item)) for item in node.xpath("./ul//li")),
            tuple(int(number) for number in re.findall(r"\d+", "".join(node.xpath("./a[@class='mark']//text()")))),
            plain("".join(node.xpath("./span[starts-with(@class, 'state ')]/text()"))),
            tuple(" … ".join(map(plain, _list_marks(quote))) for quote in node.xpath("./details//blockquote")),
        )
        for node in lxml.html.fromstring(f"<main>{markup}</main>").xpath("//li[starts-with(@class, 'statement ')]")
    ]


def _own_text(item: lxml.html.HtmlElement) -> str:
    return "".join(item.xpath("./text() | ./strong/text() | ./small/text() | ./mark/text()"))


def _list_marks(quote: lxml.html.HtmlElement) -> list[str]:
    """The marked stretches; two that touch are one."""
    marks: list[str] = []
    is_open = False
    for mark in quote.xpath("./mark"):
        marks[len(marks) - is_open :] = [(marks[-1] if is_open else "") + mark.text_content()]
        is_open = not mark.tail
    return marks


def read_markdown(text: str) -> list[Shown]:
    """The statements of a file of Markdown: items of lists that end with numbers, outside of the references."""
    root = Tree(MarkdownIt("commonmark").enable("table").parse(text))
    return [shown for node in root.walk() if node.type == "list_item" for shown in _read_item(node)]


def _read_item(node: Tree) -> Iterator[Shown]:
    paragraph = next((one for one in node.children if one.type == "paragraph"), None)
    shown = _read_line(_text_of(paragraph)) if paragraph and node.parent and node.parent.type == "bullet_list" else None
    if shown:
        below = [item for inner in node.children if inner.type == "bullet_list" for item in inner.walk()]
        items = tuple(plain(_text_of(one)) for one in below if one.type == "inline")
        quoted = tuple(_cut_quote(_text_of(one)) for one in node.children if one.type == "blockquote")
        yield shown._replace(items=items, quoted=quoted)


def _text_of(node: Tree) -> str:
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(map(_text_of, node.children))


def _cut_quote(line: str) -> str:
    """The words between the outermost quotation marks, before the number or the work."""
    found = re.match(r"“(.*?)” \[\d+\]", line) or re.match(r"“(.*)” ", line)
    return plain(found[1]) if found else line


def read_tools(text: str) -> list[Shown]:
    """The statements of the lines for assistants."""
    found: list[Shown] = []
    depth = 99
    for line in text.split("## References")[0].splitlines():
        indent, bullet, rest = re.match(r"( *)(- |> |)(.*)", line).groups()  # type: ignore[union-attr]
        shown = _read_line(rest) if bullet == "- " else None
        if shown:
            found.append(shown)
            depth = len(indent)
        elif bullet == "- " and len(indent) > depth:
            found[-1] = found[-1]._replace(items=(*found[-1].items, plain(rest)))
        elif bullet == "> " and len(indent) > depth:
            found[-1] = found[-1]._replace(quoted=(*found[-1].quoted, _cut_quote(rest)))
        elif line:
            depth = 99
    return found


def read_word(content: bytes) -> list[Shown]:
    """The statements of a Word file: bullets with a status behind their numbers."""
    found: list[Shown] = []
    depth = 9
    for paragraph in docx.Document(BytesIO(content)).paragraphs:
        style = paragraph.style.name if paragraph.style else ""
        runs = [run.text for run in paragraph.runs]
        state = re.fullmatch(r" [✓✗~?] ([a-z ]+)", runs[-1]) if runs else None
        place = int(style[-1]) if style[-1:].isdigit() else 1
        if style.startswith("List Bullet") and state:
            numbers = tuple(map(int, re.findall(r"\[(\d+)\]", runs[1])))
            found.append(Shown(plain(runs[0]), (), numbers, state[1], ()))
            depth = place
        elif style.startswith("List Bullet") and place > depth:
            found[-1] = found[-1]._replace(items=(*found[-1].items, plain(paragraph.text)))
        elif style == "Quote" and depth < 9:
            words = " … ".join(plain(run.text) for run in paragraph.runs if run.font.highlight_color)
            found[-1] = found[-1]._replace(quoted=(*found[-1].quoted, words))
        else:
            depth = 9
    return found


def read_all_text(name: str, written: str | bytes) -> str:
    """All words of what a writer printed, in order, as somebody reads them."""
    if isinstance(written, bytes):
        file = docx.Document(BytesIO(written))
        cells = (cell.text for table in file.tables for row in table.rows for cell in row.cells)
        return join_words(" ".join([*(one.text for one in file.paragraphs), *cells]))
    if name == "html":
        return join_words(" ".join(lxml.html.fromstring(written).itertext()))
    if name in ("markdown", "chat"):
        root = Tree(MarkdownIt("commonmark").enable("table").parse(written))
        return join_words(" ".join(_text_of(node) for node in root.walk() if node.type == "inline"))
    return join_words(written)


class Form(NamedTuple):
    """A writer and how what it prints is read.

    details         of the blocks that it shows
    are_all_named   it says the status of each statement, not only of those that did not pass
    is_in_place     it marks quotes in their passage, so that two that touch are one
    has_cited_items   items of lists with numbers look like statements
    """

    name: str
    write: Callable[[Presentation], str | bytes]
    read: Callable[..., list[Shown]]
    details: tuple[Detail, ...]
    are_all_named: bool = False
    is_in_place: bool = False
    has_cited_items: bool = False


FORMS = (
    Form("html", write_html, read_html, WHOLE, are_all_named=True, is_in_place=True),
    Form("markdown", write_markdown, read_markdown, QUOTES, has_cited_items=True),
    Form("word", write_word_file, read_word, WHOLE, are_all_named=True),
    Form("chat", write_chat_message, read_markdown, SHORT, has_cited_items=True),
    Form("tools", write_tool_text, read_tools, QUOTES, has_cited_items=True),
)


def _without_signs(text: str) -> str:
    """Without what lines for assistants are set with."""
    return re.sub("[*<>]", "", text)


TERMINAL = Form("terminal", lambda shown: "", lambda written: [], QUOTES)
"""Is read by looking for each statement: short answers run on in a paragraph."""


def find_losses(presentation: Presentation, form: Form, written: str | bytes) -> list[str]:
    """What of a tree cannot be read in what its writer printed, a sentence each."""
    there, wanted = form.read(written), list_statements(presentation, form)
    losses = [
        f"{form.name}: {one} is read as {other}" for one, other in zip(wanted, there, strict=False) if one != other
    ]
    losses += [f"{form.name}: {len(there)} statements of {len(wanted)}"] if len(there) != len(wanted) else []
    text = _without_signs(read_all_text(form.name, written))
    others = list_other_texts(presentation, form.details)
    losses += [f"{form.name}: lost {one!r}" for one in others if _without_signs(one) not in text]
    return [*losses, *find_harm(form.name, written)]


def find_losses_in_terminal(presentation: Presentation, width: int) -> list[str]:
    """The same for the terminal, where short answers run on in a paragraph: each statement and its numbers."""
    page = TerminalPage(width=width, quotes=True, places=True)
    written = write_terminal(presentation, page, lambda step: "")

    def bare(words: str) -> str:
        # What the terminal itself puts before items and around quotes.
        return " ".join(re.sub(r"[“”•–→]", " ", words).split())

    text = bare(join_words(written))
    losses = []
    for one in list_statements(presentation, TERMINAL):
        numbers = "".join(f"[{number}]" for number in one.numbers) or "[no source]"
        rows = [f"{one.text} {numbers}"] if not one.items else [one.text, *one.items, numbers]
        rows += [one.status] if one.status in ("contradicted", "not verified") else []
        losses += [f"terminal: lost {row!r}" for row in rows if bare(row) not in text]
    for block in _flatten(presentation.blocks, TERMINAL):
        words = [bare(plain(words)) for quote in block.quotes for words in quote.words]
        losses += [f"terminal: lost the quote {each!r}" for each in words if each not in text]
        spans = [f"{start}–{end}" for quote in block.quotes for start, end in quote.spans]
        losses += [f"terminal: lost the place {span}" for span in spans if bare(span) not in text]
    for block in presentation.blocks:
        # Columns of a table stand beside each other: of the narrow ones each word is looked for.
        lines = [bare(plain(words)) for words in list_excerpt_words(block)] if isinstance(block, blocks.Excerpt) else []
        losses += [f"terminal: lost {word!r}" for line in lines for word in line.split() if word not in text]
    return [*losses, *find_harm("terminal", written)]


# --- nothing hostile --------------------------------------------------------------------------------------------------

TAGS = frozenset(
    [
        "html",
        "head",
        "body",
        "meta",
        "title",
        "style",
        "div",
        "section",
        "article",
        "main",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "ul",
        "li",
        "span",
        "a",
        "mark",
        "u",
        "b",
        "strong",
        "small",
        "br",
        "sup",
        "details",
        "summary",
        "figure",
        "blockquote",
        "figcaption",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
ATTRIBUTES = frozenset(
    [
        "class",
        "id",
        "href",
        "rel",
        "role",
        "scope",
        "tabindex",
        "title",
        "lang",
        "charset",
        "name",
        "content",
        "data-quote",
        "data-beside",
        "aria-label",
        "aria-hidden",
        "http-equiv",
        "open",
        "colspan",
    ]
)


def find_harm(name: str, written: str | bytes) -> list[str]:
    """What a writer must never print: a control, what is not seen, markup of others, a link to no page of the web."""
    if isinstance(written, bytes):
        parts = docx.Document(BytesIO(written)).part.rels.values()
        harm = [f"word: a link to {one.target_ref}" for one in parts if one.is_external]
        return harm + _find_controls(name, read_all_text(name, written))
    harm = _find_controls(name, written)
    if name == "html":
        for node in lxml.html.fromstring(f"<main>{written}</main>").iter():
            harm += [f"html: <{node.tag}>"] if node.tag not in TAGS else []
            harm += [f"html: {one}={value!r}" for one, value in node.attrib.items() if one not in ATTRIBUTES]
            link = node.get("href", "#")
            harm += [f"html: a link to {link}"] if not link.startswith(("#", "https://", "http://", "/")) else []
    if name in ("markdown", "chat"):
        tokens = MarkdownIt("commonmark").enable("table").parse(written)
        inner = [child for token in tokens for child in (token, *(token.children or ()))]
        harm += [
            f"{name}: {one.type} {one.content!r}" for one in inner if one.type in ("html_block", "html_inline", "image")
        ]
        links = [str(one.attrGet("href")) for one in inner if one.type == "link_open"]
        harm += [f"{name}: a link to {one}" for one in links if not one.startswith(("https://", "http://"))]
    return harm


def _find_controls(name: str, text: str) -> list[str]:
    return [] if sanitize_text(text) == text else [f"{name}: characters that command or are not seen"]


def list_writings(presentation: Presentation) -> Iterator[tuple[Form, str | bytes]]:
    """What each writer prints."""
    for form in FORMS:
        yield form, form.write(presentation)


__all__ = [
    "FORMS",
    "Form",
    "Shown",
    "find_harm",
    "find_losses",
    "find_losses_in_terminal",
    "list_writings",
    "write_html_page",
]
