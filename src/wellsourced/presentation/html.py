"""A tree of blocks as HTML: a part of a page, a page that needs nothing else, or what a notebook shows.

All text is escaped, no script is written, and a link leads only to http or https, or where the page itself says.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise
from typing import NamedTuple

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import ALL_DETAILS, Locator, Presentation, escape_citation_marks, skip_step
from wellsourced.presentation.layout import Row, Table, lay_out_comparison, lay_out_lines
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, is_web_address, name_place
from wellsourced.text.sanitization import sanitize_text

MAX_DEPTH = 6
"""Lists within lists that have an indentation of their own."""

JOINING = re.compile("(?:and|or|plus|then)(?: (?:one|any|all) of)?:?", re.IGNORECASE)
"""A line that only says how the lines before it and after it belong together."""

ALARMS = ("emergency", "patient", "unsourced", "urgent")
"""Callouts that no reader must miss."""


@dataclass(frozen=True, slots=True)
class HtmlOptions:
    """Where a page leads, and what it shows.

    prefix         of every id: two results on one page need two
    document_url   the page of a document, at the quoted words; None: there is none
    printed_url    the page as it is printed, for documents with pages; None: there is none
    spell_step     what a reader can do next, as this page offers it; "": it does not
    is_document    the blocks are a document: its sections need not say of what they are, and marks end where quotes do
    """

    prefix: str = ""
    document_url: Callable[[Locator], str] | None = None
    printed_url: Callable[[Locator], str] | None = None
    spell_step: Callable[[NextStep], str] = skip_step
    is_document: bool = False


class OutlineEntry(NamedTuple):
    """A heading of a page, and the id by which a link leads there."""

    anchor: str
    text: str
    level: int


def write_html(presentation: Presentation, options: HtmlOptions | None = None) -> str:
    """The blocks as a part of a page, without the title."""
    return write_outlined_html(presentation, options)[0]


def write_outlined_html(
    presentation: Presentation, options: HtmlOptions | None = None
) -> tuple[str, tuple[OutlineEntry, ...]]:
    """The blocks as a part of a page, without the title; and its headings, in order."""
    options = options or HtmlOptions()
    writer = _HtmlWriter([*blocks.arrange_blocks(presentation, ALL_DETAILS, options.spell_step)], options)
    return "\n".join(writer.list_parts()), tuple(writer.outline)


def write_html_page(presentation: Presentation) -> str:
    """A page that needs nothing else."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_show(presentation.title)}</title></head>\n<body>{write_html_part(presentation)}</body></html>\n"
    )


def write_html_part(presentation: Presentation, prefix: str = "") -> str:
    """The result with its title and its style, for a page of others: a notebook."""
    body = write_html(presentation, HtmlOptions(prefix))
    title = f"<h1>{_show(presentation.title)}</h1>\n" if presentation.title else ""
    style = files("wellsourced.presentation").joinpath("static", "result.css").read_text(encoding="utf-8")
    return f'<div class="wellsourced"><style>{style}</style>\n{title}{body}\n</div>'


class _HtmlWriter:
    """Writes blocks one after the other; counts statements, headings and lists of references for their ids."""

    def __init__(self, shown: Sequence[blocks.Block], options: HtmlOptions) -> None:
        self.shown, self.options = shown, options
        self.statements = 0
        self.outline: list[OutlineEntry] = []
        self.lists = [block for block in shown if isinstance(block, blocks.References)]
        self.passed_lists = 0

    def list_parts(self) -> Iterator[str]:
        """The markup of each block; statements that follow each other are one list."""
        for is_statement, members in groupby(self.shown, key=_is_statement):
            yield from ['<ul class="statements">'] if is_statement else []
            for block in members:
                yield from self._write_block(block)
            yield from ["</ul>"] if is_statement else []

    def _write_block(self, block: blocks.Block) -> Iterator[str]:
        match block:
            case blocks.Heading():
                level = min(max(block.level, 2), 6)
                lead = ' class="lead"' if block.is_lead else ""
                anchor = self._add_to_outline(block.text, level, block.anchor)
                yield f"<h{level}{self._write_anchor(anchor)}{lead}>{_show(block.text)}</h{level}>"
            case blocks.Text():
                yield self._write_statement(block) if block.status else f"<div>{self._write_line(block)}</div>"
            case blocks.MarkedText():
                yield from self._write_marked_text(block)
            case blocks.Excerpt():
                yield from self._write_excerpt(block)
            case blocks.ComparisonTable():
                yield self._write_table(lay_out_comparison(block))
            case blocks.List() if block.detail != "short":
                items = self._write_items(block.items)
                yield f'<details class="receipt"><summary>{_show(block.title)}</summary>{items}</details>'
            case blocks.List():
                look = "alarm" if block.kind in ALARMS else "abstained" if block.kind == "abstention" else "part"
                role = "alert" if block.kind == "emergency" else "note"
                attributes = f' class="{look} {block.kind}" role="{role}"' if block.kind != "plain" else ' class="part"'
                heading = f"<h2>{_show(block.title)}</h2>" if block.title else ""
                items = self._write_items(block.items)
                anchor = self._add_to_outline(block.title, 2, block.anchor) if block.title else block.anchor
                yield f"<section{attributes}{self._write_anchor(anchor)}>{heading}{items}</section>"
            case blocks.References():
                yield from self._write_references(block)
                self.passed_lists += 1

    def _write_statement(self, block: blocks.Text) -> str:
        """A statement, its numbers, its status, and the words that it rests on, folded."""
        self.statements += 1
        place, status = f"{self.options.prefix}{self.statements}", block.status or "unjudged"
        number = f"<b>{block.number}.</b> " if block.number else ""
        text = f'<span class="said">{mark_text(block.text, block.marks)}</span>' if block.text else ""
        folded = f"quotes-{place}" if block.quotes else ""
        marks = self._write_citations(block.citations, folded) or ("" if block.number else " [no source]")
        remark = _write_remark(block.remark, "reason" if block.number else "note")
        sign = f'<span aria-hidden="true">{STATUS_MARKS[status]}</span> {STATUS_WORDS[status]}'
        quotes = "".join(
            self._write_quote(quote, f' id="quote-{place}-{order}"')
            for order, quote in enumerate(block.quotes, start=1)
        )
        # The words of the sources are what a report on a text is read for.
        summary = " open><summary>In the source" if block.number else "><summary>Supporting words"
        details = f'<details id="{folded}"{summary}</summary>{quotes}</details>' if quotes else ""
        return (
            f'<li class="statement {status}" id="statement-{place}">{number}{text}{self._write_items(block.items)}'
            f'{marks} <span class="state {status}">{sign}</span>{remark}{details}</li>'
        )

    def _write_marked_text(self, block: blocks.MarkedText) -> Iterator[str]:
        """The text beside its statements, by their groups; each stretch leads to the statements that it makes."""
        ids = {
            statement.number: (f"statement-{self.options.prefix}{place}", statement.status or "unjudged")
            for place, statement in enumerate(block.statements, start=self.statements + 1)
        }
        yield f'<div class="beside"><div class="text">{mark_text(block.text, block.marks, ids)}</div><div>'
        for heading, members in blocks.group_statements(block.statements):
            yield f"<h2>{_show(heading)}</h2>" if heading else ""
            yield f'<ul class="statements">{"".join(map(self._write_statement, members))}</ul>'
        yield "</div></div>"

    def _write_excerpt(self, block: blocks.Excerpt) -> Iterator[str]:
        """A section under its headings, its lines and tables as in its document, and the way to it."""
        laid, level = lay_out_lines(block), block.level
        # What is short stands under one heading with the rest that is.
        anchor = "" if block.is_lead or not block.title else self._add_to_outline(_name_last(block.title), level)
        yield f'<section class="excerpt{" brief" if block.is_lead else ""}"{self._write_anchor(anchor)}>'
        yield f"<h{level}>{self._write_section_title(block)}</h{level}>" if block.title else ""
        for part in laid.parts:
            if isinstance(part, Table):
                yield self._write_table(part)
            else:
                is_link = JOINING.fullmatch(part.words) is not None
                look = f"{' item' * bool(part.sign and not is_link)}{' apart' * part.is_apart}{' note' * part.is_note}"
                look += " joining" * is_link
                words = _mark_whole(part.words, is_marked=part.is_marked)
                if self.options.is_document and part.stretches:
                    words = "".join(_mark_whole(one.text, is_marked=one.marked) for one in part.stretches)
                sign = "" if is_link else f"{_show(part.sign)} "
                yield f'<p class="line deep-{min(part.depth, MAX_DEPTH)}{look}">{sign}{words}</p>'
        locator = block.locator
        if block.marks:
            spans = tuple((locator.start + mark.start, locator.start + mark.end) for mark in block.marks)
            locator = replace(locator, start=spans[0][0], end=max(end for _, end in spans), spans=spans)
        way = "" if self.options.is_document else self._write_way(locator)
        more = " · ".join(filter(None, (laid.describe_rest(""), way)))
        yield f'<p class="more">{more}</p>' if more and not block.is_lead else ""
        yield "</section>"

    def _write_section_title(self, block: blocks.Excerpt) -> str:
        """Where a section is, in a line of its own, and its heading."""
        name = _name_last(block.title)
        above = block.title.removesuffix(name)
        if self.options.is_document:
            return _show(name)
        number = self._write_citations([block.locator.number] if block.locator.number else ())
        place = f'<span class="origin" title="{_show(above)}">{_show(above)}</span> ' if above else ""
        return f'{number.strip()} {place}<span class="name">{_show(name)}</span>'

    def _write_table(self, table: Table) -> str:
        header = "".join(f'<th scope="col">{_show(cell)}</th>' for cell in table.header)
        head = f"<thead><tr>{header}</tr></thead>" if header else ""
        rows = "".join(self._write_row(row, table.width) for row in table.rows)
        return f'<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div>'

    def _write_row(self, row: Row, width: int) -> str:
        span = f' colspan="{width}"' if len(row.cells) < width else ""
        span += ' class="note"' if row.is_note else ""
        cells = (
            f"<td{span}>{_mark_whole(cell, is_marked=row.is_marked)}{self._write_citations(numbers)}</td>"
            for cell, numbers in row.cited_cells
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _write_citations(self, numbers: Iterable[int], quotes_id: str = "") -> str:
        """ "[1][3]": links to the quotes where there are some, else to the works."""
        marks = ""
        for number in numbers:
            target = quotes_id or self._find_work_id(number)
            data = f' data-quote="{quotes_id}"' if quotes_id else ""
            label = f'aria-label="Source {number} of this statement"'
            marks += f'<a class="mark" href="#{target}"{data} {label}>[{number}]</a>' if target else f"[{number}]"
        return f" {marks}" if marks else ""

    def _find_work_id(self, number: int) -> str:
        """The id of a work in the next list of references; "" where that has none of this number."""
        # Of several results on one page each has its own numbers, and its references come after its statements.
        following = self.lists[self.passed_lists :][:1]
        is_there = any(entry.number == number for block in following for entry in block.entries)
        return self._name_id(f"work-{number}") if is_there else ""

    def _add_to_outline(self, text: str, level: int, anchor: str = "") -> str:
        """The anchor of a heading, which is new where it has none."""
        anchor = anchor or f"part-{len(self.outline) + 1}"
        self.outline.append(OutlineEntry(f"{self.options.prefix}{anchor}", text, level))
        return anchor

    def _write_anchor(self, anchor: str) -> str:
        return f' id="{self.options.prefix}{escape(anchor)}"' if anchor else ""

    def _name_id(self, name: str) -> str:
        return f"{self.options.prefix}{f'{self.passed_lists + 1}-' if self.passed_lists else ''}{name}"

    def _write_quote(self, quote: blocks.Quote, id: str = "") -> str:
        facts = "".join(f' <span class="fact">{_show(fact)}</span>' for fact in quote.facts)
        spans = quote.spans or ((quote.locator.start, quote.locator.end),)
        # The page of the document opens at the quoted words, not at the passage around them.
        locator = replace(quote.locator, start=min(spans)[0], end=max(end for _, end in spans))
        caption = f"<figcaption>{self._write_place(locator)}{facts}</figcaption>"
        above = f"<small>{_show(quote.above)}</small>\n" if quote.above else ""
        words = f"<blockquote>{above}{mark_text(quote.text, quote.marks)}</blockquote>"
        return f'<figure class="quote"{id}>{words}{caption}</figure>'

    def _write_place(self, locator: Locator) -> str:
        """The work, its section and page, and the link to the words in it."""
        number = self._write_citations([locator.number]) if locator.number else ""
        place = f"{number} {', '.join(_show(part) for part in (locator.title, name_place(locator)) if part)}".strip()
        way = self._write_way(locator)
        return f"{place}. {way}" if way else place

    def _write_way(self, locator: Locator) -> str:
        """The link to where words are; "" where there is none."""
        if locator.page and self.options.printed_url:
            address = escape(self.options.printed_url(locator))
            return f'<a href="{address}" data-beside>Show on the printed page</a>'
        if self.options.document_url:
            return f'<a href="{escape(self.options.document_url(locator))}" data-beside>Show in the document</a>'
        return write_link(locator.link, "Open the work") if is_web_address(locator.link) else ""

    def _write_items(self, items: Iterable[blocks.Text]) -> str:
        lines = "".join(f"<li>{self._write_line(item)}</li>" for item in items)
        return f"<ul>{lines}</ul>" if lines else ""

    def _write_line(self, line: blocks.Text) -> str:
        """A text that is no statement: its words, its works, what of it is doubtful, and what belongs to it."""
        tag = {"strong": "strong", "aside": "small"}.get(line.role, "")
        text = f"<{tag}>{_show(line.text)}</{tag}>" if tag else _show(line.text)
        ending = self._write_citations(line.citations) + _write_remark(line.remark)
        return f"{text}{ending}{''.join(map(self._write_quote, line.quotes))}{self._write_items(line.items)}"

    def _write_references(self, block: blocks.References) -> Iterator[str]:
        self._add_to_outline("References", 2, self._name_id("works").removeprefix(self.options.prefix))
        yield f'<section class="works"><h2 id="{self._name_id("works")}">References</h2>'
        for entry in block.entries:
            # Reference managers take works up from their context objects.
            context = f'<span class="Z3988" title="{escape(entry.context)}"></span>' if entry.context else ""
            work = f"[{entry.number}] {write_link(entry.link, entry.words)}{context}"
            yield f'<p id="{self._name_id(f"work-{entry.number}")}">{work}{_write_remark(entry.remark)}</p>'
        yield "</section>"


def mark_text(text: str, marks: Iterable[blocks.Mark], statements: Mapping[int, tuple[str, str]] | None = None) -> str:
    """The text, escaped: quoted stretches are <mark>, those that differ <u>.

    statements   id and status of each, by its number: behind what makes it is a link to it; the text is no quote then,
                 and keeps its own marks of reference
    """
    # Both replace character by character, so that the offsets of the marks stay true.
    shown = sanitize_text(text) if statements else escape_citation_marks(sanitize_text(text))
    waiting = sorted(marks, key=lambda mark: mark.start, reverse=True)
    edges = sorted({0, len(shown), *(mark.start for mark in waiting), *(mark.end for mark in waiting)})
    parts: list[str] = []
    inside: list[blocks.Mark] = []
    for start, end in pairwise(edges):
        inside = [mark for mark in inside if mark.end > start]
        while waiting and waiting[-1].start <= start:
            inside.append(waiting.pop())
        kinds, part = {mark.kind for mark in inside}, escape(shown[start:end])
        part = f"<u>{part}</u>" if "differs" in kinds else part
        part = f"<mark>{part}</mark>" if "quote" in kinds else part
        made = [mark for mark in inside if statements and mark.number in statements]
        if statements and made:
            ending = (
                f'<a href="#{statements[one.number][0]}"><sup>{one.number}</sup></a>' for one in made if one.end == end
            )
            part = f'<mark class="{statements[made[0].number][1]}">{part}</mark>{"".join(ending)}'
        parts.append(part)
    return "".join(parts)


def write_link(address: str, text: str) -> str:
    """A link to the web that tells the other side nothing; the text alone for any other address."""
    if not is_web_address(address):
        return _show(text)
    return f'<a href="{escape(sanitize_text(address))}" rel="noopener noreferrer nofollow">{_show(text)}</a>'


def _name_last(title: str) -> str:
    """The innermost of headings: "Flares, page 3" of "Guideline for gout, 2020 › Treatment › Flares, page 3"."""
    return title.rpartition(" › ")[2]


def _mark_whole(text: str, *, is_marked: bool) -> str:
    return f"<mark>{_show(text)}</mark>" if is_marked and text else _show(text)


def _is_statement(block: blocks.Block) -> bool:
    return isinstance(block, blocks.Text) and bool(block.status)


def _write_remark(remark: str, kind: str = "note") -> str:
    return f' <span class="{kind}">({_show(remark)})</span>' if remark else ""


def _show(text: str) -> str:
    return mark_text(text, ())
