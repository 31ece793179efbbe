"""Markdown, read as a person reads it, without the marks, each heading a section."""

import html
import re
from collections.abc import Callable, Iterator, Sequence

from lxml.html.defs import tags as html_tags
from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.digests import with_digest
from wellsourced.readers.document_builder import DocumentBuilder, bare_doi, build_reference
from wellsourced.readers.html_text import HtmlBlock, HtmlText, drop_hidden, render_blocks
from wellsourced.readers.html_tree import parse_fragment
from wellsourced.readers.table_rows import plain_rows, table_lines
from wellsourced.text.sanitization import remove_hidden_markup
from wellsourced.types import SourceKind

# Deeper nesting than this is not read: the preset stops at 20, which a careful outline can reach.
COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
HIDDEN_ELEMENTS = ("script", "style")
TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)[^<>]*>")
FOOTNOTE = re.compile(r"^( {0,3})(?=\[\^[^\]\s]{1,50}\]:)", re.MULTILINE)
"""Where a footnote begins, which CommonMark would take for the address of a link if it is one word."""

STEP_MARK = re.compile(r"(?:[A-Za-z]|[ivx]{1,5})[.)] |\([A-Za-z0-9]{1,3}\) |[•◦▪] ")
"""How an item begins that is none in CommonMark: it keeps the line on which it stands."""


@with_digest
@salvage_documents
def read_markdown(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a Markdown file is.

    Front matter may give title, date or year, url, doi, id, organisation, authors (separated by semicolons), and a
    digest in one line. Without an id or a DOI there, the id comes from the file's path.
    """
    text, fault = read_text_told(path)
    fields, body = split_front_matter(text)
    tree = parse_markdown(body)
    # Several headings of the first level are parts of a text, and none of them is its title.
    titles = [node_text(node) for node in tree.children if node.type == "heading" and node.tag == "h1"]
    title = titles[0] if len(titles) == 1 else ""
    page = DocumentBuilder()
    render_markdown(tree, page, lambda heading, level: "" if level == 1 and heading == title else heading)
    if not page.text:
        return
    doi = bare_doi(fields.get("doi", ""))
    reference = build_reference(
        fields,
        id=fields.get("id", "") or (f"doi:{doi}" if doi else file_id(path)),
        title=fields.get("title", "") or title or file_title(path),
        kind=kind,
        depth="full text",
    )
    yield page.build(reference, fields.get("digest", ""))
    if fault:
        yield fault


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """(the `key: value` lines between two `---` at the top, the rest). Without a closing `---` there is none."""
    match = re.match(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", text, re.DOTALL)
    if not match:
        return {}, text
    pairs = (line.partition(":") for line in (match[1] or "").splitlines() if re.match(r"\w+\s*:", line))
    return {key.strip().lower(): _unquote(value.strip()) for key, _, value in pairs}, text[match.end() :]


def _unquote(value: str) -> str:
    if value[:1] == "[" and value[-1:] == "]":
        return "; ".join(_unquote(part.strip()) for part in value[1:-1].split(","))
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def parse_markdown(markdown: str) -> SyntaxTreeNode:
    """CommonMark and its tables, as a tree.

    What a row has beyond the header is kept, and a table in HTML is one block up to its end.
    """
    lines = FOOTNOTE.sub(r"\1\\", markdown).split("\n")
    tokens: list[Token] = []
    skipped = 0  # up to this line, everything belongs to a table in HTML
    columns = 0
    for token in COMMONMARK.parse("\n".join(lines)):
        if token.map and token.map[0] < skipped:
            continue
        if token.type == "html_block" and token.map and not token.level:
            skipped = _table_end(lines, token.map[1], token.content)
            token.content = "\n".join(lines[token.map[0] : skipped])
        elif token.type == "tr_open":
            columns, row = 0, token
        elif token.type in ("th_open", "td_open"):
            columns += 1
        elif token.type == "tr_close" and row.map:
            tokens += _surplus_cells(lines[row.map[0]], columns)
        tokens.append(token)
    return SyntaxTreeNode(tokens)


def _table_end(lines: Sequence[str], end: int, markup: str) -> int:
    """The line behind the tables that a block of HTML opens; CommonMark ends it at the first blank line."""
    left = len(re.findall(r"<table\b", markup, re.IGNORECASE)) - len(re.findall(r"</table\b", markup, re.IGNORECASE))
    for place in range(end, len(lines) if left > 0 else end):
        left -= len(re.findall(r"</table\b", lines[place], re.IGNORECASE))
        if left <= 0:
            return place + 1
    return end


def _surplus_cells(line: str, columns: int) -> Iterator[Token]:
    """The cells of a row beyond those that the header has; the parser leaves them out."""
    cells = escapedSplit(line.lstrip(" \t>").rstrip())
    for cell in cells[1 if cells and not cells[0].strip() else 0 : -1 if cells and not cells[-1].strip() else None][
        columns:
    ]:
        yield Token("td_open", "td", 1)
        yield from COMMONMARK.parseInline(cell.strip())
        yield Token("td_close", "td", -1)


def render_markdown(
    tree: SyntaxTreeNode,
    page: DocumentBuilder,
    label: Callable[[str, int], str],
    unquotable: Callable[[str], bool] = lambda _: False,
) -> None:
    """Put the blocks of a tree on a page.

    label        what a heading of a level (1 to 6) is called in the paths of sections; "" leaves it out
    unquotable   says of a block that it stays in the text and outside the sections
    """
    page.close_sections()
    for node in tree.children:
        if node.type == "heading":
            words, level = node_text(node), int(node.tag[1:])
            page.open_section(words, level, label(words, level))
        elif node.type == "html_block":
            render_blocks(_read_html(node.content), page)
        # What must not be quoted stays in the text, so that the offsets of everything else are those of the file.
        elif unquotable(block := "\n".join(block_lines(node))):
            page.add_heading(block)
        else:
            page.add_block(block)


def node_text(node: SyntaxTreeNode) -> str:
    """What stands in a paragraph, a heading or a cell, in one line and without marks."""
    return " ".join(_node_lines(node))


def _node_lines(node: SyntaxTreeNode) -> list[str]:
    """What stands in a paragraph; forced breaks end its lines, and steps with letters begin them."""
    parts = list(_inline_parts(node))
    if any(part.startswith("<") for part in parts):
        return [line for block in _read_html("".join(parts)) for line in block.text.split("\n")]
    lines = html.unescape("".join(parts)).split("\n")
    return [line for line in map(str.strip, lines) if line]


def _inline_parts(node: SyntaxTreeNode) -> Iterator[str]:
    """The words of a node as HTML: a part is a tag, or words in which what looks like one is escaped."""
    if node.type in ("text", "code_inline"):
        yield html.escape(node.content, quote=False)
    elif node.type in ("softbreak", "hardbreak"):
        following = node.next_sibling
        is_step = following is not None and following.type == "text" and STEP_MARK.match(following.content)
        yield "\n" if node.type == "hardbreak" or is_step else " "
    elif node.type == "html_inline":
        yield _known_tags(node.content)
    else:
        for child in node.children:
            yield from _inline_parts(child)


def _known_tags(markup: str) -> str:
    """The markup in which what only looks like a tag ("<LOD>") is words."""
    return TAG.sub(lambda tag: tag[0] if tag[1].lower() in html_tags or "-" in tag[1] else html.escape(tag[0]), markup)


def _read_html(markup: str) -> list[HtmlBlock]:
    """The blocks of a piece of HTML, as the reader of HTML reads them."""
    seen = remove_hidden_markup(_known_tags(markup), HIDDEN_ELEMENTS)
    # What is left of these is never closed, and would hide everything behind it.
    seen = re.sub(r"<(?=!--)|<(?=(?:script|style)\b)", "&lt;", seen, flags=re.IGNORECASE)
    tree = parse_fragment(seen)
    if tree is None:
        return [HtmlBlock(" ".join(html.unescape(TAG.sub(" ", seen)).split()))]
    drop_hidden(tree)
    return list(HtmlText(tree).blocks(tree))


def block_lines(node: SyntaxTreeNode) -> Iterator[str]:
    """The lines of one block; blocks inside it (a list in a list) follow each other without a blank line."""
    if node.type in ("paragraph", "heading"):
        yield from _node_lines(node)
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _list_lines(node)
    elif node.type == "table":
        rows = [row for part in node.children for row in part.children]
        yield from table_lines(plain_rows([["\n".join(_node_lines(cell)) for cell in row.children] for row in rows], 1))
    elif node.type in ("fence", "code_block"):
        yield from node.content.rstrip().splitlines()
    elif node.type == "html_block":
        yield from (line for block in _read_html(node.content) for line in block.text.split("\n"))
    else:
        for child in node.children:
            yield from block_lines(child)


def _list_lines(node: SyntaxTreeNode) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        mark = "- " if node.type == "bullet_list" else f"{number}. "
        for position, line in enumerate(line for child in item.children for line in block_lines(child)):
            yield ("  " if position else mark) + line
