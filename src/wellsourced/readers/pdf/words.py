"""The words of a PDF page with their places, its rules, and what the file says of itself: all that PDFium is asked.

PDFium is not safe in threads: everything here happens behind one lock, and everything is closed behind it.
"""

import ctypes
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.inline_text import superscript_text
from wellsourced.readers.pdf.rows import Box, PdfWord, read_rules
from wellsourced.text.symbol_fonts import OTHER_FORMS, symbol_character, symbol_table

PDFIUM_LOCK = threading.Lock()

MAX_CHARACTERS = 200_000
"""On one page; a dense page of print has 10,000."""

MAX_STRANGE_SHARE = 0.3
"""Share of characters without a meaning (private use, no Unicode) from which a page cannot be read."""

UNMAPPED_FONT = "its font does not map to letters"

MISSING = "\ufffd"
"""What stands in the text for a glyph that nobody can read."""

SPACES = frozenset(" \t\r\n\u00a0\u2002\u2003\u2009\u200a\u202f\ufeff\u200b")
PLAIN_LETTERS = {"\x02": "-", "\ufffe": "-"}
"""What PDFium writes for a hyphen that ends a line, and ligatures."""

PLAIN_LETTERS |= {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
MIN_STEP = 0.3
"""Points between the lines of two letters, at least, for one of them to be raised."""

BOLD = re.compile(r"bold|black|heavy|semibd|demi(?!ne)|-bd\b", re.IGNORECASE)
PASSWORD_ERROR = 4
"""PDFium's number for a file that asks for one."""


class PdfSheet(NamedTuple):
    """What one page gave.

    words      those that run in the direction of most, in the order of the file; turned upright
    pictured   it holds pictures, and no words
    fault      why it cannot be read; "" when it can
    turn       by how many quarters, against the clock, its words were turned before
    rules      lines drawn on it, turned as the words
    missing    name of a font → how many of its glyphs nobody can read; MISSING stands for each
    """

    words: tuple[PdfWord, ...]
    pictured: bool = False
    fault: str = ""
    turn: int = 0
    rules: tuple[Box, ...] = ()
    missing: Mapping[str, int] = {}


class PdfFile:
    """An open PDF. Raises UnreadableFile for what is none, is damaged, or asks for a password.

    pages   how many it has
    info    what it says of itself
    """

    def __init__(self, name: str, data: bytes) -> None:
        import pypdfium2.raw  # when a PDF is read: it takes a while to load

        self._lib, self._name = pypdfium2, name
        with PDFIUM_LOCK:
            try:
                self._document = self._lib.PdfDocument(data)
            except self._lib.PdfiumError as error:
                raise _open_error(name, error) from error
            self.pages = len(self._document)
            info = self._document.get_metadata_dict(skip_empty=True)
            self.info: dict[str, str] = {key: str(value) for key, value in info.items()}

    def read_sheet(self, number: int) -> PdfSheet:
        """The page of this number, counted from 0."""
        try:
            with self.open_page(number) as page, closing(page.get_textpage()) as text:
                return _read_sheet(page, text, self._lib.raw)
        except UnreadableFile as error:
            return PdfSheet((), fault=error.reason)

    @contextmanager
    def open_page(self, number: int) -> Iterator[Any]:
        """The page of this number as PDFium has it, while nobody else asks PDFium. Raises UnreadableFile."""
        try:
            with PDFIUM_LOCK, closing(self._document[number]) as page:
                yield page
        except self._lib.PdfiumError as error:
            raise UnreadableFile(self._name, f"it is damaged ({error})", "Download the file again.") from error

    def close(self) -> None:
        with PDFIUM_LOCK:
            self._document.close()


def _open_error(name: str, error: Any) -> UnreadableFile:
    if getattr(error, "err_code", None) == PASSWORD_ERROR:
        return UnreadableFile(name, "it is encrypted and needs a password", "Save it without a password.")
    reason = f"not a PDF, or damaged ({error})"
    return UnreadableFile(name, reason, "Download it again, or print it to a new PDF.")


def _read_sheet(page: Any, text: Any, raw: Any) -> PdfSheet:
    count = text.count_chars()
    if count > MAX_CHARACTERS:
        return PdfSheet((), fault=f"it contains {count:,} characters, too many for a printed page")
    glyphs = _GlyphReader(text, raw, count)
    if glyphs.strange > MAX_STRANGE_SHARE * max(count, 1):
        return PdfSheet((), fault=UNMAPPED_FONT)
    words = tuple(glyphs.read_words())
    pictured = not words and any(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    rules = tuple(rule.turn(glyphs.turn) for rule in read_rules(page, raw))
    return PdfSheet(words, pictured, turn=glyphs.turn, rules=rules, missing=dict(glyphs.missing))


def _read_letters(text: Any, raw: Any, count: int) -> list[str]:
    """A character for each glyph, "\\x00" for those without one."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(text, 0, count, buffer)
    letters = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
    # One call for all of them, where PDFium has a character for each; it leaves out those that it has none for.
    if written == count + 1 and len(letters) == count:
        return list(letters)
    codes = (raw.FPDFText_GetUnicode(text, index) for index in range(count))
    return [chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x00" for code in codes]


class _GlyphReader:
    """Letters, places and print of the glyphs of one page.

    turn      by how many quarters, against the clock, the lines to be read are turned
    strange   how many have no meaning by themselves
    missing   as in PdfSheet
    """

    def __init__(self, text: Any, raw: Any, count: int) -> None:
        self.text, self.raw, self.turn = text, raw, 0
        self.missing: Counter[str] = Counter()
        self._boxes: dict[int, Box | None] = {}
        self._box, self._matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._name, self._flags = ctypes.create_string_buffer(256), ctypes.c_int()
        self._letters = _read_letters(text, raw, count)
        self.strange = self._read_strange_letters(count)

    def _read_strange_letters(self, count: int) -> int:
        """Put the meaning of each glyph that has none by itself; the number of those that stay without."""
        letters, is_unmapped, handle = self._letters, self.raw.FPDFText_HasUnicodeMapError, self.text.raw
        strange = {letter for letter in set(letters) - SPACES if _is_strange(letter)}
        odd = {index for index, letter in enumerate(letters) if letter in strange}
        odd |= {index for index in range(count) if is_unmapped(handle, index) == 1}
        for index in sorted(odd):
            letters[index] = self._read_strange_letter(index)
        for index, letter in enumerate(letters):
            letters[index] = PLAIN_LETTERS.get(letter, letter)
        return letters.count(MISSING)

    def _read_strange_letter(self, index: int) -> str:
        letter, font = self._letters[index], self._font_name(index)
        if letter in PLAIN_LETTERS or letter in SPACES:
            return letter
        if meaning := symbol_character(font, letter):
            return meaning
        left, right, bottom, top = self._edges
        self.raw.FPDFText_GetCharBox(self.text, index, left, right, bottom, top)
        # A glyph without ink is a space, whatever it is called.
        if right.value - left.value < 0.01 or top.value - bottom.value < 0.01:
            return " "
        self.missing[font] += 1
        return MISSING

    def read_words(self) -> Iterator[PdfWord]:
        spans = list(_split_at_spaces(self._letters))
        turns = [self._quarter_turns(start) for start, _ in spans]
        self.turn = Counter(turns).most_common(1)[0][0] if turns else 0
        pending: list[int] = []
        for (start, end), turn in zip(spans, turns, strict=True):
            if turn != self.turn:
                continue  # written up the page: a stamp in the margin, the axis of a chart
            if pending and self._is_one_word(pending[-1], start):
                pending += range(start, end)
            else:
                yield from self._build_words(pending)
                pending = [*range(start, end)]
        yield from self._build_words(pending)

    def _is_one_word(self, index: int, next_: int) -> bool:
        """Whether two glyphs with a space between them touch, or are a word and a mark raised or lowered beside it."""
        step = self._baseline(next_) - self._baseline(index)
        before, after = self._character_box(index), self._character_box(next_)
        if before is None or after is None:
            return False
        if abs(step) < MIN_STEP:
            # PDFium may put spaces between all letters of a line.
            return abs(after.left - before.right) < 0.005 * (after.top - after.bottom)
        sizes = self._font_size(index), self._font_size(next_)
        # A mark stands close to its word; what follows a mark goes on with the word only where it touches it.
        room = 0.5 if sizes[1] < 0.85 * sizes[0] else 0.12
        return abs(step) <= 0.75 * max(sizes) and -0.3 * max(sizes) < after.left - before.right < room * max(sizes)

    def _build_words(self, indexes: Sequence[int]) -> Iterator[PdfWord]:
        """The words of glyphs without a space: more than one where a line ends in a hyphen, or without any space."""
        if not indexes:
            return
        first, last = self._character_box(indexes[0]), self._character_box(indexes[-1])
        if first and last and self._stand_together(first, last):
            yield from self._build_word(indexes, first, last)
            return
        places = [(index, place) for index in indexes if (place := self._character_box(index))]
        run: list[tuple[int, Box]] = []
        for index, place in places:
            if run and not self._stand_together(run[-1][1], place):
                yield from self._build_word([at for at, _ in run], run[0][1], run[-1][1])
                run = []
            run.append((index, place))
        if run:
            yield from self._build_word([at for at, _ in run], run[0][1], run[-1][1])

    @staticmethod
    def _stand_together(one: Box, other: Box) -> bool:
        left, _, bottom, top = one
        height = max(top - bottom, other[3] - other[2], 1.0)
        return other[0] >= left - height and abs(bottom - other[2]) < 0.8 * height

    def _build_word(self, indexes: Sequence[int], first: Box, last: Box) -> Iterator[PdfWord]:
        text = "".join(map(self._letters.__getitem__, indexes))
        name = self._font_name(indexes[0])
        if symbol_table(name):
            text = "".join(map(self._read_symbol, indexes))
        size = self._font_size(indexes[0])
        base = self._baseline(indexes[0])
        if any(abs(self._baseline(index) - base) > MIN_STEP for index in indexes[1:]):
            glyphs = [Glyph(self._letters[at], self._baseline(at), self._font_size(at)) for at in indexes]
            text, size = write_marks(glyphs), max(glyph.size for glyph in glyphs)
        bottom, top = min(first[2], last[2]), max(first[3], last[3])
        yield PdfWord(
            text, first[0], max(first[1], last[1]), bottom, top, size or top - bottom, self._is_bold(name, indexes[0])
        )

    def _read_symbol(self, index: int) -> str:
        """A letter of a font of symbols that the file calls by its code: "m" for μ."""
        letter, name = self._letters[index], self._font_name(index)
        table = symbol_table(name)
        if not table or letter in table.values() or letter in OTHER_FORMS:
            return letter
        return symbol_character(name, letter) or letter

    def _character_box(self, index: int) -> Box | None:
        if index not in self._boxes:
            found = self.raw.FPDFText_GetLooseCharBox(self.text, index, self._box)
            place = Box(self._box.left, self._box.right, self._box.bottom, self._box.top)
            self._boxes[index] = place.turn(self.turn) if found and all(map(math.isfinite, place)) else None
        return self._boxes[index]

    def _baseline(self, index: int) -> float:
        """The height of the line that a glyph is set on, in points."""
        self.raw.FPDFText_GetCharOrigin(self.text, index, self._x, self._y)
        turned = (self._y, self._x, self._y, self._x)[self.turn].value
        return -turned if self.turn in (1, 2) else turned

    def _quarter_turns(self, index: int) -> int:
        """By how many quarters the line of a character is turned, against the clock."""
        self.raw.FPDFText_GetMatrix(self.text, index, self._matrix)
        return round(math.atan2(self._matrix.b, self._matrix.a) / (math.pi / 2)) % 4

    def _font_size(self, index: int) -> float:
        self.raw.FPDFText_GetMatrix(self.text, index, self._matrix)
        scale = math.hypot(self._matrix.c, self._matrix.d)
        return float(self.raw.FPDFText_GetFontSize(self.text, index)) * scale

    def _font_name(self, index: int) -> str:
        self.raw.FPDFText_GetFontInfo(self.text, index, self._name, len(self._name), self._flags)
        return self._name.value.decode("utf-8", "replace")

    def _is_bold(self, name: str, index: int) -> bool:
        is_forced = bool(self._flags.value & 1 << 18)
        return is_forced or _is_bold_name(name) or self.raw.FPDFText_GetFontWeight(self.text, index) >= 600


@lru_cache(maxsize=256)
def _is_bold_name(font: str) -> bool:
    return bool(BOLD.search(font))


def _is_strange(letter: str) -> bool:
    return letter == MISSING or unicodedata.category(letter) in ("Cc", "Co", "Cn")


def _split_at_spaces(letters: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = None
    for index, letter in enumerate([*letters, " "]):
        if letter in SPACES:
            if start is not None:
                yield start, index
            start = None
        elif start is None:
            start = index


# Letters that are raised above their line or lowered below it, written on it with a sign: "10^9/L", "2[3]".

RAISED, LOWERED = 0.12, 0.08
"""How far from the line a mark is set, at least, in ems of the line."""

_NUMBERS = lazy_regex(r"[0-9]{1,3}(?:[,–-][0-9]{1,3})*")
_ABOUT_A_UNIT = lazy_regex(r"(?<![^\W\d_])[^\W\d_]{1,3}$")
_TEN = lazy_regex(r"(?<![0-9.,])10$")
_IN_DOUBT = lazy_regex(r"\x1a([^\x1b]*)\x1b")
_NOTE = lazy_regex(r"[0-9a-z]{1,2}")
_BEGINS_WORD = lazy_regex(r"[^\W\d_][a-z]{2}")
_CITED = lazy_regex(r"(?:[^\W\d_]{4}|[.,;:)])\[[0-9]")


class Glyph(NamedTuple):
    """A letter, the height of the line that it is set on and its size, in points."""

    letter: str
    baseline: float
    size: float


def write_marks(glyphs: Sequence[Glyph]) -> str:
    """The letters of a word on one line. A number that may be an exponent or a citation is left in doubt."""
    largest = max(glyph.size for glyph in glyphs)
    lines = Counter(round(glyph.baseline, 1) for glyph in glyphs if glyph.size > 0.85 * largest)
    line = lines.most_common(1)[0][0]
    runs = [
        (level, "".join(glyph.letter for glyph in run))
        for level, run in groupby(glyphs, lambda glyph: _level(glyph.baseline - line, largest))
    ]
    text = ""
    for number, (level, run) in enumerate(runs):
        following = runs[number + 1 : number + 3]
        if level > 0 and len(following) == 2 and following[0][1] in "/⁄" and following[1][0] < 0:
            text += f" {run}" if text[-1:].isdigit() else run  # a fraction set with three signs: 2½
        elif level > 0:
            text += _write_raised(text, run, following[0][1] if following else "")
        else:
            text += f"_{run}" if level < 0 and text[-1:].isdigit() and run[0].isdigit() else run
    return text


def _level(height: float, em: float) -> int:
    return (height > RAISED * em) - (height < -LOWERED * em)


def _write_raised(before: str, mark: str, after: str) -> str:
    if not before and _NOTE.fullmatch(mark) and _BEGINS_WORD.match(after):
        return f"[{mark}] "  # of a footnote, and no isotope's
    if _NUMBERS.fullmatch(mark) and not (mark.isdigit() and _TEN.search(before)):
        is_power_of_unit = mark in ("2", "3") and _ABOUT_A_UNIT.search(before)
        if (before[-1:].isdigit() or _ABOUT_A_UNIT.search(before)) and not is_power_of_unit:
            # Nobody writes several powers: "2,3" is a list of citations.
            return f"\x1a{mark}\x1b" if mark.isdigit() else f"[{mark}]"
    return superscript_text(before, mark, is_note=False)


def settle_marks(sheets: Sequence[PdfSheet]) -> Sequence[PdfSheet]:
    """The pages, with numbers in doubt as citations where the document raises others behind words, else exponents."""
    cites = any(_CITED.search(word.text) for sheet in sheets for word in sheet.words)

    def settle(word: PdfWord) -> PdfWord:
        text = _IN_DOUBT.sub(r"[\1]" if cites else r"^\1", word.text) if "\x1a" in word.text else word.text
        return word._replace(text=text)

    return [sheet._replace(words=tuple(map(settle, sheet.words))) for sheet in sheets]
