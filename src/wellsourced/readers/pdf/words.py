"""The words of a PDF page with their places, and what the file says of itself: all that is asked of PDFium.

PDFium is not safe in threads: everything here happens behind one lock, and everything is closed behind it.
"""

import ctypes
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from wellsourced.errors import NextStep, SettingsError, UnreadableFile

PDFIUM_LOCK = threading.Lock()

MAX_CHARACTERS = 200_000
"""On one page; a dense page of print has 10,000."""

MAX_STRANGE_SHARE = 0.3
"""Share of characters without a meaning (private use, no Unicode) from which a page cannot be read."""

UNMAPPED_FONT = "its font does not map to letters"

SPACES = frozenset(" \t\r\n\u00a0\u2002\u2003\u2009\u200a\u202f\ufeff\u200b")
HYPHENS = {"\x02": "-", "\ufffe": "-", "\u00ad": "-"}
"""What PDFium, or a typesetter, writes for a hyphen that ends a line."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
BOLD = re.compile(r"bold|black|heavy|semibd|demi(?!ne)|-bd\b", re.IGNORECASE)
PASSWORD_ERROR = 4
"""PDFium's number for a file that asks for one."""

CharacterBox = tuple[float, float, float, float]
"""Left, right, bottom and top of a character, turned upright, in points."""


class PdfWord(NamedTuple):
    """A word, where it stands in points (the origin at the lower left), the size of its print, and its weight."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    bold: bool


class PdfSheet(NamedTuple):
    """What one page gave.

    words      those that run in the direction of most, in the order of the file; turned upright
    pictured   it holds pictures
    fault      why it cannot be read; "" when it can
    turn       by how many quarters, against the clock, its words were turned before
    """

    words: tuple[PdfWord, ...]
    pictured: bool = False
    fault: str = ""
    turn: int = 0


class PdfFacts(NamedTuple):
    """What the file says of itself, and how many pages it has."""

    pages: int
    info: dict[str, str]


class PdfFile:
    """An open PDF. Raises UnreadableFile for what is none, is damaged, or asks for a password."""

    def __init__(self, name: str, data: bytes) -> None:
        self._lib = _load_pdfium()
        with PDFIUM_LOCK:
            try:
                self._document = self._lib.PdfDocument(data)
            except self._lib.PdfiumError as error:
                raise _open_error(name, error) from error

    def read_facts(self) -> PdfFacts:
        with PDFIUM_LOCK:
            info = self._document.get_metadata_dict(skip_empty=True)
            return PdfFacts(len(self._document), {key: str(value) for key, value in info.items()})

    def read_sheet(self, number: int) -> PdfSheet:
        """The page of this number, counted from 0."""
        try:
            with self.open_page(number) as page, closing(page.get_textpage()) as text:
                return _read_sheet(page, text, self._lib.raw)
        except self._lib.PdfiumError as error:
            return PdfSheet((), fault=f"it is damaged ({error})")

    @contextmanager
    def open_page(self, number: int) -> Iterator[Any]:
        """The page of this number as PDFium has it, while nobody else asks PDFium. Raises its errors."""
        with PDFIUM_LOCK, closing(self._document[number]) as page:
            yield page

    def close(self) -> None:
        with PDFIUM_LOCK:
            self._document.close()


def _load_pdfium() -> Any:
    try:
        import pypdfium2
        import pypdfium2.raw
    except ImportError as error:
        step = NextStep("install extra", "documents")
        raise SettingsError("Reading PDF files needs the extra “documents”.", next_step=step) from error
    return pypdfium2


@contextmanager
def explain_damage(name: str, remedy: str) -> Iterator[None]:
    """Let PDFium's errors be UnreadableFile."""
    try:
        yield
    except _load_pdfium().PdfiumError as error:
        raise UnreadableFile(name, f"its page is damaged ({error})", remedy) from error


def _open_error(name: str, error: Any) -> UnreadableFile:
    if getattr(error, "err_code", None) == PASSWORD_ERROR:
        return UnreadableFile(name, "it is encrypted and needs a password", "Save it without a password.")
    reason = f"not a PDF, or damaged ({error})"
    return UnreadableFile(name, reason, "Download it again, or print it to a new PDF.")


def _read_sheet(page: Any, text: Any, raw: Any) -> PdfSheet:
    count = text.count_chars()
    if count > MAX_CHARACTERS:
        return PdfSheet((), fault=f"it contains {count:,} characters, too many for a printed page")
    pictured = any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    letters = []
    for code in (raw.FPDFText_GetUnicode(text, index) for index in range(count)):
        letter = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x00"
        letters.append(HYPHENS.get(letter, LIGATURES.get(letter, letter)))
    unassigned = (letter not in SPACES and unicodedata.category(letter) in ("Cc", "Co", "Cn") for letter in letters)
    if sum(unassigned) + letters.count("\ufffd") > MAX_STRANGE_SHARE * max(count, 1):
        return PdfSheet((), pictured=pictured, fault=UNMAPPED_FONT)
    words = _WordExtractor(text, raw)
    spans = list(_split_at_spaces(letters))
    words.turn = Counter(words.quarter_turns(start) for start, _ in spans).most_common(1)[0][0] if spans else 0
    read = tuple(word for span in spans for word in words.extract_words(letters, *span))
    return PdfSheet(read, pictured, turn=words.turn)


def _split_at_spaces(letters: list[str]) -> Iterator[tuple[int, int]]:
    start = None
    for index, letter in enumerate([*letters, " "]):
        if letter in SPACES:
            if start is not None:
                yield start, index
            start = None
        elif start is None:
            start = index


class _WordExtractor:
    """Places and print of runs of characters on one page.

    turn   by how many quarters, against the clock, the lines to be read are turned
    """

    def __init__(self, text: Any, raw: Any) -> None:
        self.text, self.raw, self.turn = text, raw, 0
        self._box, self._matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        self._name, self._flags = ctypes.create_string_buffer(256), ctypes.c_int()

    def extract_words(self, letters: list[str], start: int, end: int) -> Iterator[PdfWord]:
        """The words between two spaces: more than one where a line ends in a hyphen, or without any space."""
        first, last = self._character_box(start), self._character_box(end - 1)
        if first is None or last is None or not self._stand_together(first, last):
            yield from self._split_words(letters, start, end)
        elif word := self._build_word("".join(letters[start:end]), start, first, last):
            yield word

    def _split_words(self, letters: list[str], start: int, end: int) -> Iterator[PdfWord]:
        places = [(index, place) for index in range(start, end) if (place := self._character_box(index))]
        run: list[tuple[int, CharacterBox]] = []
        for index, place in [*places, (end, None)]:
            if run and (place is None or not self._stand_together(run[-1][1], place)):
                text = "".join(letters[at] for at, _ in run)
                if word := self._build_word(text, run[0][0], run[0][1], run[-1][1]):
                    yield word
                run = []
            if place is not None:
                run.append((index, place))

    @staticmethod
    def _stand_together(one: CharacterBox, other: CharacterBox) -> bool:
        left, _, bottom, top = one
        height = max(top - bottom, other[3] - other[2], 1.0)
        return other[0] >= left - height and abs(bottom - other[2]) < 0.8 * height

    def _character_box(self, index: int) -> CharacterBox | None:
        if not self.raw.FPDFText_GetLooseCharBox(self.text, index, self._box):
            return None
        left, right, bottom, top = self._box.left, self._box.right, self._box.bottom, self._box.top
        turned = ((left, right, bottom, top), (bottom, top, -right, -left), (-right, -left, -top, -bottom))
        place = (*turned, (-top, -bottom, left, right))[self.turn]
        return place if all(map(math.isfinite, place)) else None

    def quarter_turns(self, index: int) -> int:
        """By how many quarters the line of a character is turned, against the clock."""
        self.raw.FPDFText_GetMatrix(self.text, index, self._matrix)
        return round(math.atan2(self._matrix.b, self._matrix.a) / (math.pi / 2)) % 4

    def _build_word(self, text: str, index: int, first: CharacterBox, last: CharacterBox) -> PdfWord | None:
        text = "".join(letter for letter in text if letter >= " ")
        if not text or self.quarter_turns(index) != self.turn:
            return None  # written up the page: a stamp in the margin, the axis of a chart
        size = self.raw.FPDFText_GetFontSize(self.text, index) * math.hypot(self._matrix.c, self._matrix.d)
        bottom, top = min(first[2], last[2]), max(first[3], last[3])
        return PdfWord(text, first[0], max(first[1], last[1]), bottom, top, size or top - bottom, self._is_bold(index))

    def _is_bold(self, index: int) -> bool:
        if self.raw.FPDFText_GetFontWeight(self.text, index) >= 600:
            return True
        self.raw.FPDFText_GetFontInfo(self.text, index, self._name, len(self._name), self._flags)
        name = self._name.value.decode("utf-8", "replace")
        return bool(BOLD.search(name)) or bool(self._flags.value & 1 << 18)
