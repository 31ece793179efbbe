"""A page of a PDF as it is printed: a quote is marked where its words stand, and nothing hostile gets far."""

import io
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.readers.bombs import form_that_draws_itself, nested_forms
from tests.readers.pdfs import article
from tests.readers.reading import only
from tests.readers.test_pdf import trial
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.pdf import printed_page
from wellsourced.readers.pdf.printed_page import (
    MAX_PIXELS,
    PAGE_WIDTH,
    PrintedPage,
    draw_page,
    draw_page_in_worker,
    locate_on_page,
    locate_quote_in_worker,
)
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Document

QUOTE = "Colchicine shortened the flare"


def locate(path: Path, quote: str, number: int = 0, before: str = "") -> PrintedPage:
    return locate_quote_in_worker({"number": number, "quote": quote, "before": before}, os.fsencode(path))


def draw(path: Path, number: int = 0, width: int = 1000) -> Image.Image:
    return Image.open(io.BytesIO(draw_page_in_worker({"number": number, "width": width}, os.fsencode(path))))


def typeset(path: Path, rotation: int = 0, turn: int = 0, crop: tuple[int, int, int, int] | None = None) -> Path:
    """One quote on a page that is shown turned, whose words are turned themselves, or of which a part is shown."""
    canvas = Canvas(str(path), pagesize=A4, cropBox=crop)
    canvas.setPageRotation(rotation)
    canvas.translate(200, 200)
    canvas.rotate(turn)
    canvas.setFont("Helvetica", 12)
    canvas.drawString(0, 0, QUOTE)
    canvas.save()
    return path


@each_row("rotation", [0, 90, 180, 270])
@each_row("turn", [0, 90, 180, 270])
@each_row("crop", [None, (20, 30, 500, 500)])
def test_a_quote_is_marked_where_it_is_printed_however_the_page_lies(
    tmp_path: Path, rotation: int, turn: int, crop: tuple[int, int, int, int] | None
) -> None:
    file = typeset(tmp_path / "turned.pdf", rotation, turn, crop)
    page, picture = locate(file, QUOTE), draw(file).convert("L")
    (box,) = page.boxes
    scale = picture.width / PAGE_WIDTH
    assert page.height * scale == pytest.approx(picture.height, abs=1)
    ink = ImageChops.invert(picture).getbbox()
    assert ink
    marked = [scale * at for at in (box.left, box.top, box.left + box.width, box.top + box.height)]
    # The box is that of the letters with their room above and below, the ink is what is drawn of them.
    assert all(abs(one - other) < 8 for one, other in zip(marked, ink, strict=True)), (marked, ink)


def quotes(document: Document) -> Iterator[tuple[int, str, str]]:
    """(page, words, what stands before them on it) of every sentence, in two parts where a page ends in it."""
    edges = (*document.pages, len(document.text))
    for span in split_sentences(document.text):
        for page in range(bisect_right(document.pages, span.start) - 1, len(document.pages)):
            start, end = max(span.start, edges[page]), min(span.end, edges[page + 1])
            if start < end:
                yield page, document.text[start:end], document.text[edges[page] : start]


@pytest.mark.parametrize(
    "columns", [pytest.param(1, marks=pytest.mark.nightly), pytest.param(2, marks=pytest.mark.nightly), 3]
)
def test_every_sentence_is_found_whole_on_its_page_over_parted_words_columns_and_pages(
    tmp_path: Path, columns: int
) -> None:
    file = tmp_path / "trial.pdf"
    file.write_bytes(article(trial(), columns))
    asked = list(quotes(only(file)))[::3]
    assert len(asked) > 40
    assert [(page, words) for page, words, before in asked if locate(file, words, page, before).found != "all"] == []


def test_a_quote_that_begins_in_one_column_and_ends_in_the_next_has_boxes_in_both(tmp_path: Path) -> None:
    file = tmp_path / "trial.pdf"
    file.write_bytes(article(trial(), 2))
    spans = [
        {box.left < PAGE_WIDTH / 2 for box in locate(file, words, page, before).boxes}
        for page, words, before in list(quotes(only(file)))[:80]
    ]
    assert {True, False} in spans
    assert {True} in spans and {False} in spans


def lines(path: Path, *lines: tuple[float, float, str]) -> Path:
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    for left, bottom, words in lines:
        canvas.drawString(left, bottom, words)
    canvas.save()
    return path


def test_of_words_that_a_page_says_twice_those_are_marked_that_were_quoted(tmp_path: Path) -> None:
    file = lines(tmp_path / "twice.pdf", (50, 700, f"{QUOTE}."), (50, 600, "Not so:"), (50, 500, f"{QUOTE}."))
    first, second = locate(file, QUOTE), locate(file, QUOTE, before=f"{QUOTE}. Not so: ")
    assert first.boxes[0].top < second.boxes[0].top
    assert locate(file, QUOTE, before=f"{QUOTE}. {QUOTE}. {QUOTE}.").boxes == second.boxes


def test_a_quote_goes_on_behind_a_note_that_stands_between(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "note.pdf",
        (50, 700, "Colchicine shortened the flare in"),
        (50, 688, "1 The authors were paid by nobody."),
        (50, 676, "most adults who took it at once."),
    )
    quote = "Colchicine shortened the flare in most adults who took it at once."
    page = locate(file, quote)
    assert (page.found, len(page.boxes)) == ("all", 2)
    part = locate(file, f"{quote} It cured nobody whatsoever in a week.")
    assert (part.found, len(part.boxes)) == ("part", 2)
    assert locate(file, "Allopurinol lowers urate.") == PrintedPage(height=page.height, boxes=(), found="none")


def test_a_page_without_letters_is_drawn_and_has_no_boxes(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "scan.pdf"), pagesize=A4)
    canvas.drawInlineImage(Image.effect_noise((80, 60), 60), 50, 50, 400, 300)
    canvas.save()
    assert locate(tmp_path / "scan.pdf", QUOTE).found == "none"
    assert ImageChops.invert(draw(tmp_path / "scan.pdf").convert("L")).getbbox()


@each_row("size", [(14_000, 14_000), (3, 3), (200, 3_000), (3_000, 200)])
def test_a_picture_has_no_more_pixels_than_are_allowed_whatever_the_page_says(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    canvas = Canvas(str(tmp_path / "odd.pdf"), pagesize=size)
    canvas.showPage()
    canvas.save()
    picture = draw(tmp_path / "odd.pdf", width=2400)
    # Both sides are rounded up to whole pixels.
    assert picture.width <= 2401 and picture.width * picture.height <= MAX_PIXELS + 2 * sum(picture.size)


async def test_a_damaged_or_endless_page_is_told_without_its_path(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "band.pdf"), pagesize=(10, 14_000))
    canvas.showPage()
    canvas.save()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    good = typeset(tmp_path / "good.pdf")
    for path, number in (("band.pdf", 0), ("broken.pdf", 0), ("gone.pdf", 0), ("good.pdf", 7)):
        for work in (draw_page(tmp_path / path, number, 800), locate_on_page(tmp_path / path, number, QUOTE, "")):
            with pytest.raises(UnreadableFile) as told:
                await work
            assert str(tmp_path) not in str(told.value)
    assert (await locate_on_page(good, 0, QUOTE, "")).found == "all"
    assert (await draw_page(good, 0, 800)).startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [form_that_draws_itself, pytest.param(nested_forms, marks=pytest.mark.nightly)])
async def test_a_pdf_that_never_ends_is_ended_and_the_next_is_drawn(
    tmp_path: Path, bomb: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printed_page, "PAGE_LIMITS", printed_page.PAGE_LIMITS._replace(seconds=1))
    (tmp_path / "bomb.pdf").write_bytes(bomb())
    with pytest.raises(UnreadableFile):
        await draw_page(tmp_path / "bomb.pdf", 0, 1200)
    assert (await draw_page(typeset(tmp_path / "good.pdf"), 0, 800)).startswith(b"\x89PNG")
