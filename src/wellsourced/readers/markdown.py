"""Markdown, read as a person reads it, without the marks, each heading a section."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block, reference, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from wellsourced.citations.identifiers import plain_doi
from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.document_builder import DocumentBuilder, build_reference
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.table_rows import plain_rows, table_lines
from wellsourced.types import SourceKind

if TYPE_CHECKING:
    from wellsourced.readers.html_text import HtmlBlock

# Deeper nesting than this is not read: the preset stops at 20, which a careful outline can reach.
COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")


def _read_link_address(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """CommonMark's rule "[name]: address", but for footnotes ("[^1]: Aspirin"), whose words it would swallow."""
    if state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
        return False
    return reference(state, start, end, silent)


def _read_html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """CommonMark's rule for HTML, which ends at a blank line; a table in it goes on to its own end."""
    if silent:
        return html_block(state, start, end, silent)
    if not html_block(state, start, end, silent):
        return False
    token = state.tokens[-1]
    left = _count_tables(token.content)
    for line in range(state.line, end if left > 0 else state.line):
        left += _count_tables(state.src[state.bMarks[line] : state.eMarks[line]])
        if left <= 0:
            state.line = line + 1
            token.map = [start, state.line]
            token.content = state.getLines(start, state.line, state.blkIndent, True)
            break
    return True


def _count_tables(markup: str) -> int:
    """How many tables are opened more than closed."""
    return sum(-1 if tag[0][1] == "/" else 1 for tag in TABLE_TAG.finditer(markup))


def _read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rule for tables, and what their rows have beyond the header, which it leaves out."""
    before = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    tokens, state.tokens[before:] = state.tokens[before:], []
    columns = line = 0
    for token in tokens:
        if token.type == "tr_open" and token.map:
            columns, line = 0, token.map[0]
        columns += token.type == "td_open"
        if token.type == "tr_close" and columns:
            cells = escapedSplit(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip())
            first, last = not cells[0].strip(), len(cells) - (not cells[-1].strip())
            for cell in cells[first + columns : last]:
                words = Token("inline", "", 0, content=cell.strip(), children=[])
                state.tokens += [Token("td_open", "td", 1), words, Token("td_close", "td", -1)]
        state.tokens.append(token)
    return True


COMMONMARK.block.ruler.at("reference", _read_link_address)
COMMONMARK.block.ruler.at("html_block", _read_html_block, {"alt": ["paragraph", "reference", "blockquote"]})
COMMONMARK.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})

TABLE_TAG = re.compile(r"</?table\b", re.IGNORECASE)
SOFT_BREAK = "\r"
STEP_BREAK = re.compile(SOFT_BREAK + r"(?=(?:[A-Za-z]|[ivx]{1,5})[.)] |\([A-Za-z0-9]{1,3}\) |[•◦▪] |\[\^\S{1,50}\]:)")
"""Before an item or a note that is none in CommonMark, such as "a. Look": it keeps the line on which it stands."""


@with_digest
@salvage_documents
def read_markdown(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a Markdown file is.

    Front matter may give title, date or year, url, doi, id, organisation, authors (separated by semicolons), and a
    digest in one line. Without an id or a DOI there, the id comes from the file's path.
    """
    text, faults = read_text_told(path)
    fields, body = split_front_matter(text)
    tree = parse_markdown(body)
    # Several headings of the first level are parts of a text, and none of them is its title.
    titles = [node_text(node) for node in tree.children if node.type == "heading" and node.tag == "h1"]
    title = titles[0] if len(titles) == 1 else ""
    page = DocumentBuilder()
    render_markdown(tree, page, lambda heading, level: "" if level == 1 and heading == title else heading)
    if not page.text:
        return
    doi = plain_doi(fields.get("doi", ""))
    reference = build_reference(
        fields,
        id=fields.get("id", "") or (f"doi:{doi}" if doi else file_id(path)),
        title=fields.get("title", "") or title or file_title(path),
        kind=kind,
        depth="full text",
    )
    yield page.build(reference, fields.get("digest", ""))
    yield from faults


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
    """CommonMark and its tables, as a tree."""
    return SyntaxTreeNode(COMMONMARK.parse(markdown))


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
            from wellsourced.readers.html_text import render_blocks

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
    if any("<" in child.content for child in node.children):
        parts = _inline_parts(node.children, html.escape)
        if any(part.startswith("<") for part in parts):
            markup = STEP_BREAK.sub("<br>", "".join(parts)).replace("\n", "<br>")
            return [line for block in _read_html(markup) for line in block.text.split("\n")]
    words = "".join(_inline_parts(node.children, str))
    if SOFT_BREAK in words:
        words = STEP_BREAK.sub("\n", words).replace(SOFT_BREAK, " ")
    return [line for line in map(str.strip, words.split("\n")) if line]


def _cell_text(cell: SyntaxTreeNode) -> str:
    lines = _node_lines(cell)
    # The marks of a list are for lines; a single "- 5" is what the cell says.
    return "\n".join(line.removeprefix("- ") for line in lines) if len(lines) > 1 else "".join(lines)


def _inline_parts(nodes: Iterable[SyntaxTreeNode], write: Callable[[str], str]) -> list[str]:
    """The words of nodes, each as `write` writes it, and their tags."""
    parts: list[str] = []
    for node in nodes:
        kind = node.type
        if kind in ("text", "code_inline"):
            parts.append(write(node.content))
        elif kind == "softbreak":
            parts.append(SOFT_BREAK)
        elif kind == "hardbreak":
            parts.append("\n")
        elif kind == "html_inline":
            parts.append(_known_tags(node.content))
        else:
            parts += _inline_parts(node.children, write)
    return parts


# HTML is for texts that have some: it takes 30 ms to load.


def _known_tags(markup: str) -> str:
    from wellsourced.readers.html_text import escape_unknown_tags

    return escape_unknown_tags(markup)


def _read_html(markup: str) -> "list[HtmlBlock]":
    from wellsourced.readers.html_text import fragment_blocks

    return fragment_blocks(markup)


def block_lines(node: SyntaxTreeNode) -> Iterator[str]:
    """The lines of one block; blocks inside it (a list in a list) follow each other without a blank line."""
    if node.type in ("paragraph", "heading"):
        yield from _node_lines(node)
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _list_lines(node)
    elif node.type == "table":
        rows = [row for part in node.children for row in part.children]
        yield from table_lines(plain_rows([[_cell_text(cell) for cell in row.children] for row in rows], 1))
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
