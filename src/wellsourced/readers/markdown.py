"""Markdown, read as a person reads it, without the marks, each heading a section."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block, reference, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from wellsourced.citations.identifiers import plain_doi
from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.document_builder import DocumentBuilder, build_reference
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.html_text import (
    HtmlBlock,
    escape_unknown_tags,
    fragment_blocks,
    read_pieces,
    render_blocks,
)
from wellsourced.types import SourceKind

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
    blocks = parse_markdown(body)
    # Several headings of the first level are parts of a text, and none of them is its title.
    titles = [block.text for block in blocks if isinstance(block, HtmlBlock) and block.level == 1]
    title = titles[0] if len(titles) == 1 else ""
    page = DocumentBuilder()
    render_markdown(blocks, page, lambda heading, level: "" if level == 1 and heading == title else heading)
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


def parse_markdown(markdown: str) -> list[HtmlBlock | list[HtmlBlock]]:
    """The blocks of CommonMark with tables, as pages have them; those of a piece of HTML in it together."""
    parts = [*_split_parts(COMMONMARK.parse(markdown))]
    marked = [_write_html(part) for part in parts if part[0].type != "html_block"]
    pieces = iter(read_pieces(marked) if marked else ())
    found: list[HtmlBlock | list[HtmlBlock]] = []
    for part in parts:
        if part[0].type == "html_block":
            found.append(fragment_blocks(part[0].content))
        else:
            blocks = next(pieces)
            if words := "\n".join(one.text for one in blocks).strip():
                found.append(HtmlBlock(words, blocks[0].level if part[0].type == "heading_open" else 0))
    return found


def _split_parts(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens of each block that is in no other."""
    part: list[Token] = []
    depth = 0
    for token in tokens:
        part.append(token)
        depth += token.nesting
        if not depth:
            yield part
            part = []


def _write_html(part: Sequence[Token]) -> str:
    """A block as HTML, without what only sets off words; steps with letters begin lines."""
    words = str(COMMONMARK.renderer.render(part, COMMONMARK.options, {}))
    return STEP_BREAK.sub("<br>", words).replace(SOFT_BREAK, "\n")


def _write_lines(token: Token) -> str:
    """HTML in a list, in lines: what it leaves open ends with it."""
    lines = (line for block in fragment_blocks(token.content) for line in block.text.split("\n"))
    return f"<p>{'<br>'.join(map(html.escape, lines))}</p>"


WRITERS: dict[str, Callable[[Token], str]] = {
    **dict.fromkeys(("em_open", "em_close", "strong_open", "strong_close", "link_open", "link_close"), lambda _: ""),
    **dict.fromkeys(("text", "code_inline"), lambda token: html.escape(token.content)),
    "softbreak": lambda _: SOFT_BREAK,
    "hardbreak": lambda _: "<br>",
    "image": lambda token: str(COMMONMARK.renderer.render(token.children or [], COMMONMARK.options, {})),
    "html_inline": lambda token: escape_unknown_tags(token.content),
    "html_block": _write_lines,
}
"""How a token is written, where not as the library writes it."""

for name, write in WRITERS.items():
    COMMONMARK.add_render_rule(name, lambda _, tokens, at, *__, write=write: write(tokens[at]))


def render_markdown(
    blocks: Iterable[HtmlBlock | list[HtmlBlock]],
    page: DocumentBuilder,
    label: Callable[[str, int], str],
    unquotable: Callable[[str], bool] = lambda _: False,
) -> None:
    """Put blocks of Markdown on a page.

    label        what a heading of a level (1 to 6) is called in the paths of sections; "" leaves it out
    unquotable   says of a block that it stays in the text and outside the sections
    """
    page.close_sections()
    for block in blocks:
        if isinstance(block, list):
            render_blocks(block, page)
        elif block.level:
            words = " ".join(block.text.split("\n"))
            page.open_section(words, block.level, label(words, block.level))
        # What must not be quoted stays in the text, so that the offsets of everything else are those of the file.
        elif unquotable(block.text):
            page.add_heading(block.text)
        else:
            page.add_block(block.text)
