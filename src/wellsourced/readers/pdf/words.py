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
from contextlib import contextmanager
from typing import Any, NamedTuple

from wellsourced.errors import SettingsError, Unreadable

PDFIUM = threading.Lock()

CHARACTERS = 200_000
"""On one page; a dense page of print has 10,000."""

STRANGE = 0.3
"""Share of characters without a meaning (private use, no Unicode) from which a page cannot be read."""

UNNAMED = "its font does not say which letters its marks are"

SPACES = frozenset(" \t\r\n\u00a0\u2002\u2003\u2009\u200a\u202f\ufeff\u200b")
HYPHENS = {"\x02": "-", "\ufffe": "-", "\u00ad": "-"}
"""What PDFium, or a typesetter, writes for a hyphen that ends a line."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
BOLD = re.compile(r"bold|black|heavy|semibd|demi(?!ne)|-bd\b", re.IGNORECASE)
PASSWORD = 4
"""PDFium's number for a file that asks for one."""


class Word(NamedTuple):
    """A word, where it stands in points (the origin at the lower left), the size of its print, and its weight."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    bold: bool


class Sheet(NamedTuple):
    """What one page gave.

    words      those that run in the direction of most, in the order of the file; turned upright
    pictured   it holds pictures
    fault      why it cannot be read; "" when it can
    """

    words: tuple[Word, ...]
    pictured: bool = False
    fault: str = ""


class Facts(NamedTuple):
    """What the file says of itself, and how many pages it has."""

    pages: int
    info: dict[str, str]


class Pdf:
    """An open PDF. Raises Unreadable for what is none, is damaged, or asks for a password."""

    def __init__(self, name: str, data: bytes) -> None:
        self._lib = _library()
        with PDFIUM:
            try:
                self._document = self._lib.PdfDocument(data)
            except self._lib.PdfiumError as error:
                raise _unopened(name, error) from error

    def facts(self) -> Facts:
        """Pages and metadata."""
        with PDFIUM:
            info = self._document.get_metadata_dict(skip_empty=True)
            return Facts(len(self._document), {key: str(value) for key, value in info.items()})

    def sheet(self, number: int) -> Sheet:
        """The page of this number, counted from 0."""
        with PDFIUM:
            try:
                with _closing(self._document[number]) as page, _closing(page.get_textpage()) as text:
                    return _sheet(page, text, self._lib.raw)
            except self._lib.PdfiumError as error:
                return Sheet((), fault=f"it is damaged ({error})")

    def close(self) -> None:
        """Let go of the file."""
        with PDFIUM:
            self._document.close()


def _library() -> Any:
    try:
        import pypdfium2
        import pypdfium2.raw
    except ImportError as error:
        raise SettingsError("PDF files need pypdfium2: pip install 'wellsourced[documents]'") from error
    return pypdfium2


def _unopened(name: str, error: Any) -> Unreadable:
    if getattr(error, "err_code", None) == PASSWORD:
        return Unreadable(name, "it is encrypted and asks for a password", "Save it without a password.")
    return Unreadable(name, f"it is no PDF, or a damaged one ({error})", "Fetch it again, or print it to a new PDF.")


@contextmanager
def _closing(part: Any) -> Iterator[Any]:
    try:
        yield part
    finally:
        part.close()


def _sheet(page: Any, text: Any, raw: Any) -> Sheet:
    count = text.count_chars()
    if count > CHARACTERS:
        return Sheet((), fault=f"it holds {count:,} characters, which no printed page does")
    pictured = any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    letters = [_character(raw.FPDFText_GetUnicode(text, index)) for index in range(count)]
    if _strange(letters) > STRANGE * max(count, 1):
        return Sheet((), pictured=pictured, fault=UNNAMED)
    words = _Words(text, raw)
    spans = list(_between_spaces(letters))
    words.turn = Counter(words.quarter(start) for start, _ in spans).most_common(1)[0][0] if spans else 0
    return Sheet(tuple(word for span in spans for word in words.of(letters, *span)), pictured)


def _character(code: int) -> str:
    character = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x00"
    return HYPHENS.get(character, LIGATURES.get(character, character))


def _strange(letters: list[str]) -> int:
    return sum(letter not in SPACES and unicodedata.category(letter) in ("Cc", "Co", "Cn") for letter in letters) + sum(
        letter == "\ufffd" for letter in letters
    )


def _between_spaces(letters: list[str]) -> Iterator[tuple[int, int]]:
    start = None
    for index, letter in enumerate([*letters, " "]):
        if letter in SPACES:
            if start is not None:
                yield start, index
            start = None
        elif start is None:
            start = index


class _Words:
    """Places and print of runs of characters on one page.

    turn   by how many quarters, against the clock, the lines to be read are turned
    """

    def __init__(self, text: Any, raw: Any) -> None:
        self.text, self.raw, self.turn = text, raw, 0
        self._box, self._matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        self._name, self._flags = ctypes.create_string_buffer(256), ctypes.c_int()

    def of(self, letters: list[str], start: int, end: int) -> Iterator[Word]:
        """The words between two spaces: more than one where a line ends in a hyphen, or without any space."""
        first, last = self._place(start), self._place(end - 1)
        if first is None or last is None or not self._together(first, last):
            yield from self._apart(letters, start, end)
        elif word := self._word("".join(letters[start:end]), start, first, last):
            yield word

    def _apart(self, letters: list[str], start: int, end: int) -> Iterator[Word]:
        places = [(index, place) for index in range(start, end) if (place := self._place(index))]
        run: list[tuple[int, tuple[float, float, float, float]]] = []
        for index, place in [*places, (end, None)]:
            if run and (place is None or not self._together(run[-1][1], place)):
                text = "".join(letters[at] for at, _ in run)
                if word := self._word(text, run[0][0], run[0][1], run[-1][1]):
                    yield word
                run = []
            if place is not None:
                run.append((index, place))

    @staticmethod
    def _together(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
        left, _, bottom, top = one
        height = max(top - bottom, other[3] - other[2], 1.0)
        return other[0] >= left - height and abs(bottom - other[2]) < 0.8 * height

    def _place(self, index: int) -> tuple[float, float, float, float] | None:
        if not self.raw.FPDFText_GetLooseCharBox(self.text, index, self._box):
            return None
        left, right, bottom, top = self._box.left, self._box.right, self._box.bottom, self._box.top
        turned = ((left, right, bottom, top), (bottom, top, -right, -left), (-right, -left, -top, -bottom))
        place = (*turned, (-top, -bottom, left, right))[self.turn]
        return place if all(map(math.isfinite, place)) else None

    def quarter(self, index: int) -> int:
        """By how many quarters the line of a character is turned, against the clock."""
        self.raw.FPDFText_GetMatrix(self.text, index, self._matrix)
        return round(math.atan2(self._matrix.b, self._matrix.a) / (math.pi / 2)) % 4

    def _word(
        self, text: str, index: int, first: tuple[float, float, float, float], last: tuple[float, float, float, float]
    ) -> Word | None:
        text = "".join(letter for letter in text if letter >= " ")
        if not text or self.quarter(index) != self.turn:
            return None  # written up the page: a stamp in the margin, the axis of a chart
        size = self.raw.FPDFText_GetFontSize(self.text, index) * math.hypot(self._matrix.c, self._matrix.d)
        bottom, top = min(first[2], last[2]), max(first[3], last[3])
        return Word(text, first[0], max(first[1], last[1]), bottom, top, size or top - bottom, self._bold(index))

    def _bold(self, index: int) -> bool:
        if self.raw.FPDFText_GetFontWeight(self.text, index) >= 600:
            return True
        self.raw.FPDFText_GetFontInfo(self.text, index, self._name, len(self._name), self._flags)
        name = self._name.value.decode("utf-8", "replace")
        return bool(BOLD.search(name)) or bool(self._flags.value & 1 << 18)
