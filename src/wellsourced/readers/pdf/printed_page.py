"""One page of a PDF as it is printed: its picture, and where on it the words of a quote stand.

Asked of a worker with limits: a PDF is somebody else's, and nothing of it is parsed in the process that shows it.
"""

import math
import os
import struct
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from ctypes import byref, c_int
from pathlib import Path
from typing import Any, Literal

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import read_whole_bytes
from wellsourced.readers.pdf.layout import find_lines, find_usual_gutter
from wellsourced.readers.pdf.rows import Box, PdfWord
from wellsourced.readers.pdf.words import PdfFile
from wellsourced.readers.worker.limits import PAGE_LIMITS
from wellsourced.readers.worker.process import WorkerJob, run_in_worker_process
from wellsourced.types import Value

PAGE_WIDTH = 10_000
"""The width of every page in the units of its boxes."""

MAX_PIXELS = 12_000_000
"""Of a picture: A4 at 350 dots per inch."""

MAX_RATIO = 20.0
"""How much longer one side of a page is than the other, at most."""

REMEDY = "Read its text instead."


class QuoteBox(Value):
    """Where words stand: from the left and the top of the page, of which the width is 10,000."""

    left: int
    top: int
    width: int
    height: int


class PrintedPage(Value):
    """A page, and a box for each line of the quote on it.

    height   of the page, where its width is 10,000
    found    how much of the quote is in the boxes
    """

    height: int
    boxes: tuple[QuoteBox, ...]
    found: Literal["all", "part", "none"]


async def locate_on_page(path: Path, number: int, quote: str, before: str) -> PrintedPage:
    """Where a quote stands on a page of a PDF, counted from 0; see `find_quote`.

    Raises UnreadableFile, which does not say where the file is.
    """
    given = {"number": number, "quote": quote, "before": before}
    return PrintedPage.model_validate_json(
        await run_in_worker_process(_build_job("located quote", path, given), PAGE_LIMITS)
    )


async def draw_page(path: Path, number: int, width: int) -> bytes:
    """The picture of a page as PNG, so many pixels wide, or fewer where it is very high. Raises as locate_on_page."""
    given = {"number": number, "width": width}
    return await run_in_worker_process(_build_job("drawn page", path, given), PAGE_LIMITS)


def _build_job(task: str, path: Path, given: dict[str, Any]) -> WorkerJob:
    return WorkerJob(task, given, os.fsencode(path), "the PDF", remedy=REMEDY)


# Where the words of a quote stand on a printed page: by their letters, since print parts words.
#
# Spaces, hyphens and signs count for nothing: what is found here is shown, and nothing is concluded from it.


MIN_PIECE_LETTERS = 12
"""Letters of a piece of a quote that is looked for by itself, at least; fewer stand in many places."""

MAX_WORD_GAP = 2.0
"""White between two words of one line, at most, as a multiple of their size; between columns it is more."""


def find_quote(
    words: Sequence[PdfWord], quote: str, before: str, gutter: float = 0.0
) -> tuple[Sequence[PdfWord], bool]:
    """The words of a quote on its page in its order, and whether they are all of it.

    before   what the page says before the quote: of words that it says twice, these are the right ones
    gutter   where columns meet on other pages, in points from the left; 0 when unknown
    """
    wanted = _fold_letters(quote)
    times = _fold_letters(before).count(wanted) if wanted else 0
    orders = ([word for line in find_lines(words, gutter) for word in line.words], words)
    found = (_find_in_order(order, wanted, times) for order in orders)
    return max(found, key=lambda one: (one[1], len(one[0])))


def _fold_letters(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


def _find_in_order(words: Sequence[PdfWord], wanted: str, times: int) -> tuple[Sequence[PdfWord], bool]:
    """Whole, behind so many places that say the same; else in pieces, each as long as it can be.

    Notes and figures stand between the columns that a sentence joins.
    """
    owners = [(letter, word) for word in words for letter in _fold_letters(word.text)]
    letters = "".join(letter for letter, _ in owners)
    at = letters.find(wanted)
    for _ in range(times):
        at = max(at, letters.find(wanted, at + 1))
    at = max(at, 0)
    found: dict[PdfWord, None] = {}
    while wanted:
        lengths = range(1, len(wanted) + 1)
        length = bisect_left(lengths, True, key=lambda length: letters.find(wanted[:length], at) < 0)
        start = letters.find(wanted[:length], at)
        end = start + length
        while length < len(wanted) and start < end < len(owners) and owners[end][1] is owners[end - 1][1]:
            end -= 1  # a piece is whole words of the page
        # Shorter pieces stand in many places: a box around the wrong words is worse than none.
        if end - start < min(MIN_PIECE_LETTERS, len(wanted)):
            break
        found |= dict.fromkeys(word for _, word in owners[start:end])
        wanted, at = wanted[end - start :], end
    return list(found), not wanted and bool(found)


def box_words(words: Sequence[PdfWord]) -> list[Box]:
    """A box around each run of words that stand side by side."""
    boxes: list[Box] = []
    for number, word in enumerate(words):
        before, box = words[number - 1], Box(word.left, word.right, word.bottom, word.top)
        overlap = min(before.top, word.top) - max(before.bottom, word.bottom)
        is_on_row = overlap > 0.5 * min(before.top - before.bottom, word.top - word.bottom)
        is_near = word.left >= before.left and word.left - before.right < MAX_WORD_GAP * max(before.size, word.size)
        if boxes and is_on_row and is_near:
            box = Box.around([boxes.pop(), box])
        boxes.append(box)
    return boxes


# --- inside the worker ---------------------------------------------------------------------------------------------


def locate_quote_in_worker(given: Mapping[str, Any], data: bytes) -> PrintedPage:
    """As `locate_on_page`, of the PDF whose path is given as bytes."""
    with closing(_open_pdf(data)) as pdf:
        sheet = pdf.read_sheet(given["number"])
        found, is_whole = find_quote(sheet.words, given["quote"], given["before"])
        # Only then: looking at other pages for the gutter costs as much as finding the quote twenty times.
        if sheet.words and not is_whole:
            gutter = find_usual_gutter(pdf.read_sheet(at).words for at in range(pdf.pages))
            found, is_whole = find_quote(sheet.words, given["quote"], given["before"], gutter)
        with _open_page(pdf, given["number"]) as page:
            width, height = page.get_size()
            size = (PAGE_WIDTH, round(PAGE_WIDTH * height / width))
            boxes = tuple(_place_box(page, size, box.turn(-sheet.turn % 4)) for box in box_words(found))
        return PrintedPage(height=size[1], boxes=boxes, found="all" if is_whole else "part" if boxes else "none")


def draw_page_in_worker(given: Mapping[str, Any], data: bytes) -> bytes:
    """As `draw_page`, of the PDF whose path is given as bytes."""
    with closing(_open_pdf(data)) as pdf, _open_page(pdf, given["number"]) as page:
        width, height = page.get_size()
        # A page as high as a poster would fill the memory at the wished width.
        scale = min(given["width"] / width, math.sqrt(MAX_PIXELS / (width * height)))
        bitmap = page.render(scale=scale, rev_byteorder=True)
        return _encode_png(bitmap.width, bitmap.height, bitmap.stride, memoryview(bitmap.buffer).cast("B"))


def _open_pdf(data: bytes) -> PdfFile:
    return PdfFile("the PDF", read_whole_bytes(Path(os.fsdecode(data))))


@contextmanager
def _open_page(pdf: PdfFile, number: int) -> Iterator[Any]:
    """A page that has a size. Raises UnreadableFile."""
    with pdf.open_page(number) as page:
        width, height = page.get_size()
        if not (0 < width < math.inf and 0 < height < math.inf and 1 / MAX_RATIO < width / height < MAX_RATIO):
            raise UnreadableFile("the PDF", f"its page measures {width:g} by {height:g} points", REMEDY)
        yield page


def _place_box(page: Any, size: tuple[int, int], box: Box) -> QuoteBox:
    """A box where it stands on the page as it is shown, which may be turned and a part of what was set."""
    import pypdfium2.raw as raw

    left, right, bottom, top = box
    x, y, other_x, other_y = (c_int() for _ in range(4))
    raw.FPDF_PageToDevice(page, 0, 0, *size, 0, left, top, byref(x), byref(y))
    raw.FPDF_PageToDevice(page, 0, 0, *size, 0, right, bottom, byref(other_x), byref(other_y))
    across, down = sorted((x.value, other_x.value)), sorted((y.value, other_y.value))
    return QuoteBox(left=across[0], top=down[0], width=across[1] - across[0], height=down[1] - down[0])


def _encode_png(width: int, height: int, stride: int, pixels: memoryview) -> bytes:
    """Rows of red, green and blue as a PNG."""
    packer = zlib.compressobj(6)
    rows = (pixels[stride * row : stride * row + 3 * width] for row in range(height))
    packed = b"".join(packer.compress(b"\x00" + bytes(row)) for row in rows) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
