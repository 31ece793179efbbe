"""PDFs that are typeset for a test: one or two columns, running heads, hyphens at line ends, a title, headings."""

import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
MARGIN, GUTTER, LEADING, SIZE = 60, 20, 12, 9.5


class Print(NamedTuple):
    """A paragraph, or a heading, or the title."""

    text: str
    style: str = "body"


class Setter:
    """Sets paragraphs in columns, page after page, as a journal does: justified, and parting words at line ends."""

    def __init__(self, canvas: Canvas, columns: int, head: str) -> None:
        self.canvas, self.columns, self.head = canvas, columns, head
        self.width = (WIDTH - 2 * MARGIN - GUTTER * (columns - 1)) / columns
        self.page, self.column, self.y, self.top = 0, 0, 0.0, 0.0
        self._open_page()

    def _open_page(self) -> None:
        self.page += 1
        self.canvas.setFont("Times-Italic", 8)
        self.canvas.drawString(MARGIN, HEIGHT - 35, self.head if self.page % 2 else f"Page of {self.head}")
        self.canvas.drawCentredString(WIDTH / 2, 30, str(self.page))
        self.column, self.y = 0, HEIGHT - 70
        self.top = self.y

    def _next_column(self) -> None:
        self.column += 1
        self.y = self.top
        if self.column == self.columns:
            self.canvas.showPage()
            self._open_page()

    def full(self, text: str, font: str, size: float) -> None:
        """Lines across all columns, at the top of a page."""
        for line, _ in broken(text, font, size, WIDTH - 2 * MARGIN, part=False):
            self.canvas.setFont(font, size)
            self.canvas.drawString(MARGIN, self.y, line)
            self.y -= 1.25 * size
        self.y -= 10
        self.top = self.y

    def put(self, text: str, font: str, size: float, *, indent: float, part: bool) -> None:
        """A paragraph in the columns."""
        for number, (line, last) in enumerate(broken(text, font, size, self.width, part=part, indent=indent)):
            if self.y < 60:
                self._next_column()
            left = MARGIN + self.column * (self.width + GUTTER) + (0 if number else indent)
            text_object = self.canvas.beginText(left, self.y)
            text_object.setFont(font, size)
            room = self.width - (0 if number else indent) - stringWidth(line, font, size)
            if not last and " " in line:
                text_object.setWordSpace(room / line.count(" "))
            text_object.textOut(line)
            self.canvas.drawText(text_object)
            self.y -= LEADING


def broken(
    text: str, font: str, size: float, width: float, *, part: bool, indent: float = 0
) -> Iterator[tuple[str, bool]]:
    """(line, whether it is the last) of a paragraph; long words are parted when `part`."""
    room, line = width - indent, ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if stringWidth(longer, font, size) <= room:
            line = longer
            continue
        for cut in range(len(word) - 3, 2, -1) if part and word.isalpha() and word.islower() and len(word) > 6 else ():
            shorter = f"{line} {word[:cut]}-".strip()
            if stringWidth(shorter, font, size) <= room:
                line, word = shorter, word[cut:]
                break
        yield line, False
        line, room = word, width
    yield line, True


def article(
    prints: Sequence[Print], columns: int, head: str = "Journal of Tests 2020; 1", packed: bool = True, **info: str
) -> bytes:
    """A PDF of these paragraphs, the same for the same ones."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, pageCompression=packed, invariant=True)
    for name, value in info.items():
        getattr(canvas, f"set{name.title()}")(value)
    setter = Setter(canvas, columns, head)
    for text, style in prints:
        if style == "title":
            setter.full(text, "Helvetica-Bold", 16)
        elif style == "heading":
            setter.y -= 6
            setter.put(text, "Helvetica-Bold", 10.5, indent=0, part=False)
        else:
            setter.put(text, "Times-Roman", SIZE, indent=12, part=True)
    canvas.save()
    return file.getvalue()
