"""Markdown: read as a person reads it, without the marks; each heading opens a section."""

import html
import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from wellsourced.readers.base import File, Read, bare_doi, catalogued, file_id, file_title, salvaging, whole
from wellsourced.readers.digests import digested
from wellsourced.readers.page import Page
from wellsourced.readers.page import path as path_of
from wellsourced.text.unseen_markup import remove_unseen
from wellsourced.types import Document, Kind

# Deeper nesting than this is not read: the preset stops at 20, which a careful outline can reach.
COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
UNSEEN = ("script", "style")
INLINE_TAG = re.compile(r"</?(a|abbr|b|code|em|font|i|small|span|strong|sub|sup|u)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")


@digested
@salvaging
def read_markdown(path: File, kind: Kind) -> Read:
    """The one document that a Markdown file is.

    Front matter may give title, date or year, url, doi, id, organisation, authors (separated by semicolons), and a
    digest in one line. Without an id or a DOI there, the id comes from the file's path.
    """
    fields, body = front_matter(whole(path))
    tree = parsed(body)
    title = only_title(tree)
    page = Page()
    render(tree, page, lambda heading, level: "" if level == 1 and heading == title else heading)
    if not page.text:
        return
    doi = bare_doi(fields.get("doi", ""))
    reference = catalogued(
        fields,
        id=fields.get("id", "") or (f"doi:{doi}" if doi else file_id(path)),
        title=fields.get("title", "") or title or file_title(path),
        kind=kind,
        depth="full text",
    )
    yield Document(reference=reference, text=page.text, sections=page.sections, digest=fields.get("digest", ""))


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """(the `key: value` lines between two `---` at the top, the rest). Without a closing `---` there is none."""
    match = re.match(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", text, re.DOTALL)
    if not match:
        return {}, text
    pairs = (line.partition(":") for line in (match[1] or "").splitlines() if re.match(r"\w+\s*:", line))
    return {key.strip().lower(): _unquoted(value.strip()) for key, _, value in pairs}, text[match.end() :]


def _unquoted(value: str) -> str:
    if value[:1] == "[" and value[-1:] == "]":
        return "; ".join(_unquoted(part.strip()) for part in value[1:-1].split(","))
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def parsed(markdown: str) -> SyntaxTreeNode:
    """CommonMark and its tables, as a tree."""
    return SyntaxTreeNode(COMMONMARK.parse(markdown))


def only_title(tree: SyntaxTreeNode) -> str:
    """The words of the one heading of the first level; "" when there is none or more than one."""
    titles = [words(node) for node in tree.children if node.type == "heading" and node.tag == "h1"]
    return titles[0] if len(titles) == 1 else ""


def render(
    tree: SyntaxTreeNode,
    page: Page,
    label: Callable[[str, int], str],
    unquotable: Callable[[str], bool] = lambda _: False,
) -> None:
    """Put the blocks of a tree on a page.

    label        what a heading of a level (1 to 6) is called in the paths of sections; "" leaves it out
    unquotable   says of a block that it stays in the text and outside the sections
    """
    headings: list[tuple[int, str]] = []
    for node in tree.children:
        if node.type == "heading":
            level = int(node.tag[1:])
            page.heading(words(node))
            headings = [*(higher for higher in headings if higher[0] < level), (level, label(words(node), level))]
            continue
        block = "\n".join(lines(node))
        if unquotable(block):
            page.heading(block)
        else:
            page.block(block, path_of(*(title for _, title in headings)))


def words(node: SyntaxTreeNode) -> str:
    """What stands in a paragraph, a heading or a cell, in one line and without marks."""
    return " ".join("".join(_inline(node)).split("\n")).strip()


def _inline(node: SyntaxTreeNode) -> Iterator[str]:
    if node.type in ("text", "code_inline"):
        yield node.content
    elif node.type in ("softbreak", "hardbreak"):
        yield " "
    elif node.type == "html_inline":
        yield " " if node.content.lower().startswith("<br") else ""
    else:
        for child in node.children:
            yield from _inline(child)


def lines(node: SyntaxTreeNode) -> Iterator[str]:
    """The lines of one block; blocks inside it (a list in a list) follow each other without a blank line."""
    if node.type in ("paragraph", "heading"):
        yield words(node)
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _listed(node)
    elif node.type == "table":
        for row in (row for part in node.children for row in part.children):
            yield " | ".join(words(cell) for cell in row.children)
    elif node.type in ("fence", "code_block"):
        yield from node.content.rstrip().splitlines()
    elif node.type == "html_block":
        seen = html.unescape(TAG.sub(" ", INLINE_TAG.sub("", remove_unseen(node.content, UNSEEN))))
        yield from (" ".join(line.split()) for line in seen.splitlines() if line.strip())
    else:
        for child in node.children:
            yield from lines(child)


def _listed(node: SyntaxTreeNode) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        mark = "- " if node.type == "bullet_list" else f"{number}. "
        for position, line in enumerate(line for child in item.children for line in lines(child)):
            yield ("  " if position else mark) + line
