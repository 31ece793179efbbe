"""Markdown, read as a person reads it, without the marks, each heading a section; and plain text, which is one
section.
"""

import html
import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from wellsourced.citations.identifiers import plain_doi
from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.readers.digests import with_digest
from wellsourced.readers.document_builder import DocumentBuilder, build_reference
from wellsourced.text.sanitization import remove_hidden_markup
from wellsourced.types import Reference, SourceKind

# Deeper nesting than this is not read: the preset stops at 20, which a careful outline can reach.
COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
HIDDEN_ELEMENTS = ("script", "style")
INLINE_TAG = re.compile(r"</?(a|abbr|b|code|em|font|i|small|span|strong|sub|sup|u)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")


@with_digest
@salvage_documents
def read_markdown(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a Markdown file is.

    Front matter may give title, date or year, url, doi, id, organisation, authors (separated by semicolons), and a
    digest in one line. Without an id or a DOI there, the id comes from the file's path.
    """
    fields, body = split_front_matter(read_whole_text(path))
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
        # What must not be quoted stays in the text, so that the offsets of everything else are those of the file.
        elif unquotable(block := "\n".join(block_lines(node))):
            page.add_heading(block)
        else:
            page.add_block(block)


def node_text(node: SyntaxTreeNode) -> str:
    """What stands in a paragraph, a heading or a cell, in one line and without marks."""
    return " ".join("".join(_inline_texts(node)).split("\n")).strip()


def _inline_texts(node: SyntaxTreeNode) -> Iterator[str]:
    if node.type in ("text", "code_inline"):
        yield node.content
    elif node.type in ("softbreak", "hardbreak"):
        yield " "
    elif node.type == "html_inline":
        yield " " if node.content.lower().startswith("<br") else ""
    else:
        for child in node.children:
            yield from _inline_texts(child)


def block_lines(node: SyntaxTreeNode) -> Iterator[str]:
    """The lines of one block; blocks inside it (a list in a list) follow each other without a blank line."""
    if node.type in ("paragraph", "heading"):
        yield node_text(node)
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _list_lines(node)
    elif node.type == "table":
        for row in (row for part in node.children for row in part.children):
            yield " | ".join(node_text(cell) for cell in row.children)
    elif node.type in ("fence", "code_block"):
        yield from node.content.rstrip().splitlines()
    elif node.type == "html_block":
        seen = html.unescape(TAG.sub(" ", INLINE_TAG.sub("", remove_hidden_markup(node.content, HIDDEN_ELEMENTS))))
        yield from (" ".join(line.split()) for line in seen.splitlines() if line.strip())
    else:
        for child in node.children:
            yield from block_lines(child)


def _list_lines(node: SyntaxTreeNode) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        mark = "- " if node.type == "bullet_list" else f"{number}. "
        for position, line in enumerate(line for child in item.children for line in block_lines(child)):
            yield ("  " if position else mark) + line


MAX_TITLE_CHARS = 120


@with_digest
@salvage_documents
def read_plain_text(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a text file is. Without a title line, the file's name is the title."""
    text = read_whole_text(path).strip()
    if not text:
        return
    first, _, rest = text.partition("\n")
    # A paragraph may begin with a short line as well: only an empty line behind it makes it a title.
    is_title = len(first) <= MAX_TITLE_CHARS and (not rest or not rest.partition("\n")[0].strip())
    title, body = (first.strip(), rest) if is_title else ("", text)
    page = DocumentBuilder()
    page.add_heading(title)
    page.add_block(body)
    yield page.build(Reference(id=file_id(path), title=title or file_title(path), kind=kind))
