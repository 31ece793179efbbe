"""Lines of print → paragraphs: running heads left out, lines joined across columns and pages, hyphens undone."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache

from wellsourced.lazy import lazy_regex
from wellsourced.question.word_rarity import load_ordinary_stems
from wellsourced.readers.pdf.layout import PdfLine, find_lines
from wellsourced.readers.pdf.rows import PdfArea, row_text
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.sentences import CELL_SEPARATOR
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

MARGIN_LINES = 3
"""Lines at the top and at the bottom of a page that may be a running head or foot."""

MIN_RECURRING_PAGES = 3
"""Pages on which a line recurs that is a running head or foot, at least; for the outermost line of a page, two."""

MAX_PARAGRAPH_CHARS = 20_000
"""Characters after which a paragraph is ended: what has no end of its own is no running text."""

BULLET = re.compile(r"[•▪◦‣●■–—*]\s|\(?(?:[a-z]|[ivx]{2,4}|[0-9]{1,2})[.)]\s")
OPEN_DOI = re.compile(r"\b10\.[0-9]{4,9}/\S*\.$")
"""What the end of a line parts behind a stop."""

SENTENCE_END = re.compile(r"[.?!:;][\"”’')\]]*(?:\[[0-9,–-]+\])?$|(?<![0-9])[.?!:;][\"”’')\]]*[0-9,–-]+$")
"""A stop, with the number of a citation behind it; "0.98" and "10:33" end no sentence."""

NUMBER_MARKS = re.compile(r"\b[0-9]+\b|\b[ivxlc]+\b|[|•·]")


@dataclass(eq=False)
class PdfParagraph:
    """Lines that belong together.

    starts   (page, offset in the text) of every page on which it stands, counted from 0
    size     of its print in points
    full     its last line fills its column
    table    it is one: a line a row, or as it is printed
    """

    text: str
    size: float
    bold: bool
    starts: list[tuple[int, int]] = field(default_factory=list)
    lines: int = 1
    full: bool = False
    table: PdfArea | None = None

    @property
    def page(self) -> int:
        """Where it begins."""
        return self.starts[0][0]


SheetLines = Sequence[tuple[int, Sequence[PdfLine]]]
"""(number of the page, its lines in reading order)."""

MarginPlace = tuple[str, int]
"""The words of a line, numbers counted as equal, and its height on the page."""


def remove_running_heads(sheets: SheetLines) -> list[tuple[int, list[PdfLine]]]:
    """Pages without the lines that recur at one height of several pages, numbers counted as equal.

    Where such a line is the outermost one, what stands outermost at that height on other pages, in another print than
    the body, goes too: heads differ on left and right pages and from chapter to chapter.
    """
    places: dict[MarginPlace, set[int]] = defaultdict(set)
    for page, lines in sheets:
        for key in (key for line, _ in _margin_lines(lines) for key in _place_keys(line)):
            places[key].add(page)
    body = body_size(sheets)
    recurring = [
        (line, outermost)
        for page, lines in sheets
        for line, outermost in _margin_lines(lines)
        if any(_is_recurring(places[key], page, 2 if outermost else MIN_RECURRING_PAGES) for key in _place_keys(line))
    ]
    heights = {height for line, outermost in recurring if outermost for _, height in _place_keys(line)}
    running = {id(line) for line, _ in recurring}
    for _, lines in sheets:
        for line, outermost in _margin_lines(lines):
            if outermost and line.size < body - 0.6 and heights.intersection(height for _, height in _place_keys(line)):
                running.add(id(line))
    return [(number, [line for line in lines if id(line) not in running]) for number, lines in sheets]


def _is_recurring(pages: AbstractSet[int], page: int, least: int) -> bool:
    """A head stands on neighbouring pages, or on every second one; the headings of two chapters are further apart."""
    return len(pages) >= least and any(page + step in pages for step in (-2, -1, 1, 2))


def _margin_lines(lines: Sequence[PdfLine]) -> list[tuple[PdfLine, bool]]:
    """(line, whether it is the outermost) of those at the top and at the bottom of a page."""
    down = sorted((line for line in lines if not line.area), key=lambda line: -line.bottom)
    if not down:
        return []
    near = down[:MARGIN_LINES] + down[MARGIN_LINES:][-MARGIN_LINES:]
    ends = (down[0].bottom, down[-1].bottom)
    return [(line, min(abs(line.bottom - end) for end in ends) < 2) for line in near]


def _place_keys(line: PdfLine) -> list[MarginPlace]:
    """Its words without numbers, and its height to a few points: two of them, since a height may lie between."""
    words = " ".join(NUMBER_MARKS.sub("#", line.text.lower()).split())
    return [(words, round(line.bottom / 4) + step) for step in (0, 1)]


def body_size(sheets: SheetLines) -> float:
    """The size of print in which most is set."""
    sizes: Counter[float] = Counter()
    for _, lines in sheets:
        for line in lines:
            sizes[line.size] += sum(map(len, _printed_lines(line)))
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)


def build_paragraphs(sheets: SheetLines) -> list[PdfParagraph]:
    """All paragraphs in reading order. One that a figure or a foot of a page interrupts is made whole around it."""
    joiner = WordJoiner(text for _, lines in sheets for line in lines for text in _printed_lines(line))
    return _ParagraphBuilder(body_size(sheets), joiner).build(sheets)


def _fills_column(line: PdfLine) -> bool:
    width = line.column[1] - line.column[0]
    return line.column[1] - line.words[-1].right <= max(0.12 * width, 2 * line.size)


def _printed_lines(line: PdfLine) -> Sequence[str]:
    """The words that a line stands for, each part of them in one piece."""
    if area := line.area:
        return [part for row in area.rows for cell in row for part in cell] or [row_text(area.words)]
    return [line.text]


class _ParagraphBuilder:
    def __init__(self, body: float, joiner: "WordJoiner") -> None:
        self.body, self.joiner = body, joiner
        self._found: list[PdfParagraph] = []
        self._last: PdfLine | None = None
        self._open: PdfParagraph | None = None  # the one that the last line is of
        self._pitch = 0.0

    def build(self, sheets: SheetLines) -> list[PdfParagraph]:
        for page, lines in sheets:
            for number, line in enumerate(lines):
                if line.area:
                    self._add_area(line, line.area, page)
                    continue
                if number == 0 or not line.continues:
                    open_ = self._interrupted_paragraph(line, page)
                else:
                    open_ = self._open if self._continues_paragraph(line) else None
                if open_ is None or len(open_.text) > MAX_PARAGRAPH_CHARS:
                    text = self.joiner.make_whole(line.text)
                    open_ = PdfParagraph(text, line.size, line.bold, [(page, 0)], full=_fills_column(line))
                    self._found.append(open_)
                else:
                    self._join_line(open_, line, page)
                self._last, self._open = line, open_
        return self._found

    def _add_area(self, line: PdfLine, area: PdfArea, page: int) -> None:
        if area.is_table:
            if not self._continue_table(area, page):
                text = self._table_text(area)
                self._found.append(PdfParagraph(text, line.size, bold=False, starts=[(page, 0)], table=area))
            self._last = line
            return
        # A box stands before the paragraph beside it, which goes on around it.
        inside = _ParagraphBuilder(self.body, self.joiner).build([(page, find_lines(area.words))])
        place = len(self._found) - bool(line.continues and self._found)
        self._found[place:place] = inside

    def _continue_table(self, area: PdfArea, page: int) -> bool:
        """Whether a table goes on with the one that ended the page before; its rows go below the names of that one."""
        open_ = self._found[-1] if self._last and self._last.area else None
        table = open_.table if open_ and open_.starts[-1][0] == page - 1 else None
        if not open_ or not table or not table.rows or not area.rows or not area.has_columns_of(table):
            return False
        # With the names once more it is whole by itself; other words in bold are the names of another table.
        if area.rows[0] == table.rows[0] or (table.words[0].bold and area.words[0].bold):
            return False
        open_.starts.append((page, len(open_.text) + 1))
        open_.text += "\n" + self._table_text(area)
        return True

    def _table_text(self, table: PdfArea) -> str:
        """A line a row, "a | b"; of a table whose rows are not certain, its lines as they are printed."""
        rows = [CELL_SEPARATOR.join(map(self.joiner.join_cell, row)) for row in table.rows]
        lines = rows or [self.joiner.make_whole(line) for line in table.printed]
        return ("·" if lines[0].startswith(" ") else "") + "\n".join(lines)[lines[0].startswith(" ") :]

    def _continues_paragraph(self, line: PdfLine) -> bool:
        last = self._last
        if last is None or last.area or abs(last.size - line.size) > 0.6 or last.bold != line.bold:
            return False
        step = last.bottom - line.bottom
        if step > 1.75 * line.size or (self._pitch and step > 1.3 * self._pitch and step > 1.3 * line.size):
            return False
        self._pitch = step if step > 0.9 * line.size else self._pitch
        if (
            not last.text.endswith("-")
            and BULLET.match(line.text)
            and line.words[0].left <= last.words[0].left + 0.5 * line.size
        ):
            return False
        indented = line.words[0].left - max(line.column[0], last.words[0].left) > 0.7 * line.size
        if OPEN_DOI.search(last.text) and line.text[0].islower():
            return True
        return not ((indented or not _fills_column(last)) and SENTENCE_END.search(last.text))

    def _interrupted_paragraph(self, line: PdfLine, page: int) -> PdfParagraph | None:
        """The paragraph that the top of a column goes on with: the last in body print, if it has not ended."""
        self._pitch = 0.0
        body = [one for one in self._found[-6:] if abs(one.size - self.body) <= 0.6 and not one.bold and not one.table]
        if not body or abs(line.size - self.body) > 0.6 or line.bold or BULLET.match(line.text):
            return None
        goes_on = line.text[0].islower() or body[-1].text.rpartition(" ")[2] in STOP_WORDS
        lower = bool(re.match(r"[a-zα-ω(\[0-9]", line.text))
        # Notes and lines of other matter stand below a paragraph that goes on in the next column.
        unended = [one for one in body if not SENTENCE_END.search(one.text)]
        open_ = unended[-1] if unended and line.text[0].islower() else body[-1]
        is_broken_off = goes_on and open_.text.count(" ") > 3
        is_next = page == open_.page or open_ is body[-1]
        if page > open_.starts[-1][0] + 1 or not (open_.full or (is_broken_off and is_next)):
            return None
        if SENTENCE_END.search(open_.text) or not (lower or open_ is self._found[-1]):
            return None
        # What stands between goes before the paragraph when it is of the page that this begins on, else behind it.
        place = next(number for number in range(len(self._found) - 1, -1, -1) if self._found[number] is open_)
        between = self._found[place + 1 :]
        before = [one for one in between if one.page == open_.page < page]
        self._found[place:] = [*before, open_, *(one for one in between if one not in before)]
        return open_

    def _join_line(self, open_: PdfParagraph, line: PdfLine, page: int) -> None:
        text = self.joiner.make_whole(line.text)
        glue, start = self.joiner.choose_glue(open_.text, text)
        open_.text = open_.text[: len(open_.text) - start] + glue
        if open_.starts[-1][0] != page:
            open_.starts.append((page, len(open_.text)))
        open_.text += text
        open_.lines += 1
        open_.full = _fills_column(line)


# Words that print parts: at a line end, at a soft hyphen, around a ligature. Whole again by what words there are.

MIN_JOINED_SHARE = 0.1
"""How often a word is written in one, at least, for each time that the rarer of its halves stands alone."""

SOFT_HYPHEN = "\u00ad"
_WORD = lazy_regex(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED_END = lazy_regex(r"([^\W_]+)[-‐\u00ad]$")
_SUSPENDED = lazy_regex(r"(?:and|or|to|und|bis)\b")
"""What follows a hyphen that stands for a word to come: "pre- and postoperative"."""

_OPEN_ADDRESS = lazy_regex(r"(?:https?://|www\.|\b10\.[0-9]{4,9}/)\S*[-./_=?&]$")
_SOFT_HYPHEN = lazy_regex(r"([^\s\u00ad]*)\u00ad(?=([^\s\u00ad]*))")
_LIGATURE = lazy_regex(r"\bf(?:f[il]?|[il])\b")
_AROUND_LIGATURE = lazy_regex(r"(?:\b([^\W\d_]+) )?\b(f(?:f[il]?|[il]))\b(?: ([^\W\d_]+))?")
_HALF_LIGATURE = lazy_regex(r"\b([^\W\d_]+(?:ff[il]?|f[il])) ([a-zß-ÿ]+)|\b([^\W\d_]+) ((?:ff[il]?|f[il])[a-zß-ÿ]+)")


class WordJoiner:
    """Makes words of a document whole; `lines` are all that it prints."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.words: Counter[str] = Counter()
        is_parted = False
        for line in lines:
            words = line.lower().replace(SOFT_HYPHEN, "").split(" ")
            ends_parted = line.endswith(("-", "‐", SOFT_HYPHEN))
            # What a line end parts is no word by itself.
            self.words.update(
                word for part in words[is_parted : len(words) - ends_parted] for word in _WORD.findall(part)
            )
            is_parted = ends_parted

    def choose_glue(self, before: str, after: str) -> tuple[str, int]:
        """(what goes between two lines, how many characters of the first are dropped)."""
        if before.endswith(("–", "/", "(", "[")) and not before.endswith((" –", " /")):
            return "", 0
        match = _PARTED_END.search(before)
        if not match:
            return ("" if _OPEN_ADDRESS.search(before) else " "), 0
        if _SUSPENDED.match(after):
            return " ", 0
        right = _WORD.match(after)
        return "", int(right is not None and self._is_one_word(match[1], right.group().partition("-")[0]))

    def join_cell(self, lines: Iterable[str]) -> str:
        """The lines of a cell as one; a word that a narrow cell breaks anywhere is one again."""
        text = ""
        for line in map(self.make_whole, lines):
            glue, dropped = self.choose_glue(text, line) if text else ("", 0)
            left, right = text.rpartition(" ")[2], line.partition(" ")[0]
            if glue == " " and right.islower() and (left + right).isalpha() and _is_listed((left + right).lower()):
                glue = " " if _is_listed(left.lower()) and _is_listed(right) else ""
            text = text[: len(text) - dropped] + glue + line
        return text

    def make_whole(self, text: str) -> str:
        """The text without soft hyphens, and without the spaces around ligatures that are none of the words'."""
        if SOFT_HYPHEN in text:
            text = _SOFT_HYPHEN.sub(lambda match: match[1] + self._replace_soft_hyphen(match[1], match[2]), text)
        if "ff" in text or "fi" in text or "fl" in text:
            text = _AROUND_LIGATURE.sub(self._join_ligature, text) if _LIGATURE.search(text) else text
            text = _HALF_LIGATURE.sub(self._join_halves, text)
        return text

    def _replace_soft_hyphen(self, left: str, right: str) -> str:
        """Nothing, or the hyphen that it is in a file that has no other: 5 to 10 must not become 510."""
        if not right:
            return SOFT_HYPHEN
        return "" if left.isalpha() and right[:1].isalpha() and not self._are_two_words(left, right) else "-"

    def _join_ligature(self, match: re.Match[str]) -> str:
        left, ligature, right = match[1] or "", match[2], match[3] or ""
        for parts in ((left + ligature + right,), (left, ligature + right), (left + ligature, right)):
            if parts[0] + parts[-1] and all(self.is_word(part.lower()) for part in parts if part):
                return " ".join(filter(None, parts))
        return match.group()

    def _join_halves(self, match: re.Match[str]) -> str:
        left, right = match[1] or match[3], match[2] or match[4]
        half = left if match[1] else right
        is_split = not self.is_word(half.lower()) and self.is_word((left + right).lower())
        return left + right if is_split else match.group()

    def is_word(self, word: str) -> bool:
        """Whether the document or the house's lists have this word, in small letters."""
        return word in self.words or _is_listed(word)

    def _are_two_words(self, left: str, right: str) -> bool:
        left, right = left.lower(), right.lower()
        return not self._is_written_in_one(left, right) and self.is_word(left) and self.is_word(right)

    def _is_one_word(self, left: str, right: str) -> bool:
        """Whether a hyphen at a line end only parts a word: in small letters, and no compound of two."""
        if not left.isalpha() or not left[-1].islower() or not right.islower():
            return False
        left = left.lower()
        if f"{left}-{right}" in self.words and left + right not in self.words:
            return False
        return self._is_written_in_one(left, right) or not (self.is_word(left) and self.is_word(right))

    def _is_written_in_one(self, left: str, right: str) -> bool:
        if left + right in self.words:
            return True
        counts = _load_counts()
        alone = [counts[half] for half in (left, right) if half in counts]
        return counts.get(left + right, 0) > (MIN_JOINED_SHARE * min(alone) if alone else 0)


def _is_listed(word: str) -> bool:
    if word in STOP_WORDS or word in _load_counts():
        return True
    # A long word that is its own stem may be a piece of one.
    stems = content_stems(word)
    return len(stems) == 1 and stems[0] in load_ordinary_stems() and (stems[0] != word or len(word) < 5)


@cache
def _load_counts() -> dict[str, int]:
    """Words of medical texts, and in how many texts each stands."""
    rows = read_rows("wellsourced.question", "word_counts.tsv")
    return {word: int(count) for word, count in rows if word}
