"""PDF files: what a reader of the page reads, in the order in which it is read."""

import difflib
import gzip
import io
import json
import random
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.readers.pdfs import SIZE, Print, Setter, article
from tests.readers.reading import assert_sound, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import InMemoryFile, UnreadablePart
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document

ARTICLES = Path(__file__).parents[2] / "../shared/data/fulltext/evidence_inference.articles.jsonl.gz"

WORDS = """salt intake was measured twice in every participant of the trial and blood pressure once before the treatment
began after which nobody who had received the placebo knew what the others were given until the end of follow up"""


def paragraph(seed: int, words: int = 90) -> str:
    """Sentences without a meaning, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 (nothing secret here)
    sentences = [
        " ".join(chance.choices(WORDS.split(), k=12)).capitalize() + f" ({seed}.{n})." for n in range(words // 12)
    ]
    return " ".join(sentences)


def trial() -> list[Print]:
    """An article of several pages."""
    prints = [Print("Salt and blood pressure in adults: a randomised trial", "title")]
    for number, heading in enumerate(("Background", "Methods", "Results", "Discussion")):
        prints.append(Print(heading, "heading"))
        prints += [Print(paragraph(number * 10 + n)) for n in range(6)]
    prints.append(Print("References", "heading"))
    prints += [Print(f"{n}. Doe A, Roe C. A paper on salt number {n}. J Salt 20{n:02};3:1-9.") for n in range(1, 30)]
    return prints


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def in_order(said: Sequence[str], read: Sequence[str]) -> float:
    """Share of the words said that are read in the same order."""
    matcher = difflib.SequenceMatcher(None, said, read, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(said)


@each_row("columns", [1, 2])
def test_an_article_is_read_as_it_was_written_without_what_only_the_paper_needs(tmp_path: Path, columns: int) -> None:
    document = only(written(tmp_path / "a.pdf", article(trial(), columns)))
    body = [one.text for one in trial()[:-30]]
    assert document.text == "\n\n".join(body)
    assert document.reference.title == body[0]
    assert [title for title, _ in parts(document)] == ["Background", "Methods", "Results", "Discussion"]
    assert "A paper on salt" not in document.text
    assert "Journal of Tests" not in document.text


@each_row("columns", [1, 2])
def test_every_passage_knows_its_page(tmp_path: Path, columns: int) -> None:
    data = article(trial(), columns)
    document = only(written(tmp_path / "a.pdf", data))
    pages = pages_of(data)
    assert len(document.pages) == len(pages) > 1
    for passage in cut_passages(document):
        first, _, last = passage.page.partition("–")
        assert passage.text[:20].split()[0] in pages[int(first) - 1]
        assert re.sub(r"\W", "", passage.text[-4:]) in re.sub(r"\W", "", pages[int(last or first) - 1])


def pages_of(data: bytes) -> list[str]:
    """The words of each page, in whatever order."""
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    texts = []
    for number in range(len(document)):
        page = document[number]
        text = page.get_textpage()
        texts.append(text.get_text_range())
        text.close()
        page.close()
    document.close()
    return texts


@each_row(
    ("before", "line", "next_line", "read"),
    [
        ("", "the treat-", "ment was", "the treatment was"),
        ("anti-inflammatory drugs help.", "an anti-", "inflammatory drug", "an anti-inflammatory drug"),
        ("Inflammatory disease is common.", "an anti-", "inflammatory drug", "an anti-inflammatory drug"),
        ("A placebo was given. It was controlled.", "a placebo-", "controlled trial", "a placebo-controlled trial"),
        ("therapy is long", "the chemo-", "therapy of", "the chemotherapy of"),
        ("", "the Kaplan-", "Meier curve", "the Kaplan-Meier curve"),
        ("", "a 12-", "week trial", "a 12-week trial"),
        ("", "in pre-", "and postmenopausal women", "in pre- and postmenopausal women"),
        ("", "from 1990\u2013", "2000 in all", "from 1990\u20132000 in all"),
        ("", "a value of -", "3 was", "a value of - 3 was"),
        ("", "a low-", "dose course", "a low-dose course"),
        ("", "a meta-", "analysis of", "a meta-analysis of"),
        ("", "self-", "reported pain", "self-reported pain"),
        ("", "the inflam-", "mation fell", "the inflammation fell"),
        ("", "levels of IL-", "6 fell", "levels of IL-6 fell"),
        ("", "after COVID-", "19. They", "after COVID-19. They"),
        ("", "from 10-", "20 mg", "from 10-20 mg"),
        ("", "a dose of 5", "mg. It", "a dose of 5 mg. It"),
        ("", "veri fi cation of in fl ammation", "and a ffi nity", "verification of inflammation and affinity"),
        ("", "a fi nding of fl uid", "in the off position", "a finding of fluid in the off position"),
        ("", "see 10.1234/j.abc.", "2015.06 for", "see 10.1234/j.abc.2015.06 for"),
    ],
)
def test_a_hyphen_at_a_line_end_is_undone_where_it_only_parts_a_word(
    before: str, line: str, next_line: str, read: str
) -> None:
    assert lines_read(before, "", "It was said of " + line, next_line + " which ended there.") == [
        *([before] if before else []),
        f"It was said of {read} which ended there.",
    ]


def lines_read(*lines: str) -> list[str]:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - 12 * number, line)
    canvas.save()
    (document,) = read_pdf(InMemoryFile("a.pdf", file.getvalue()), "own")
    assert isinstance(document, Document)
    return document.text.split("\n\n")


def test_a_page_that_lies_on_its_side_is_read(tmp_path: Path) -> None:
    for turn in (90, 180, 270):
        file = io.BytesIO()
        canvas = Canvas(file, pagesize=A4)
        canvas.setPageRotation(turn)
        width, height = A4
        if turn == 90:
            canvas.translate(width, 0)
        elif turn == 180:
            canvas.translate(width, height)
        else:
            canvas.translate(0, height)
        canvas.rotate(turn)
        for number in range(8):
            canvas.drawString(72, 400 - 14 * number, f"Line {number} of the page that lies on its side and is read")
        canvas.save()
        document = only(written(tmp_path / f"{turn}.pdf", file.getvalue()))
        assert re.findall(r"Line (\d)", document.text) == list("01234567"), turn


def test_a_table_is_read_row_by_row() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    for number in range(12):
        for column, cell in enumerate((f"Outcome {number}", f"{number}1 (2%)", f"{number}2 (3%)", "0.01")):
            canvas.drawString(72 + 120 * column, 700 - 14 * number, cell)
    canvas.save()
    (document,) = read_pdf(InMemoryFile("a.pdf", file.getvalue()), "own")
    assert isinstance(document, Document)
    assert "Outcome 3 | 31 (2%) | 32 (3%) | 0.01\nOutcome 4 | 41 (2%)" in document.text


def test_metadata_fill_the_reference_and_when_the_file_was_made_is_no_date_of_publication() -> None:
    info = {
        "title": "Salt and pressure in all adults",
        "author": "Ann Doe and Carl Roe",
        "subject": "doi:10.1234/Salt.5.",
    }
    (document,) = read_pdf(InMemoryFile("a.pdf", article(trial(), 1, **info)), "guideline")
    assert isinstance(document, Document)
    reference = document.reference
    assert reference.id == "doi:10.1234/salt.5"
    assert reference.title == "Salt and pressure in all adults"
    assert reference.authors == ("Ann Doe", "Carl Roe")
    assert reference.doi == "10.1234/Salt.5"
    assert reference.kind == "guideline"
    assert reference.published == ""


def test_the_metadata_packet_goes_before_the_dates_of_the_file() -> None:
    packet = (
        "<x:xmpmeta><prism:doi>10.1234/own.8</prism:doi><dc:date>2031</dc:date>"
        '<rdf:Description prism:publicationDate="2019-05-02"/></x:xmpmeta>'
    )
    (document,) = read_pdf(InMemoryFile("a.pdf", article(trial(), 1) + packet.encode()), "research")
    assert isinstance(document, Document)
    assert document.reference.id == "doi:10.1234/own.8"
    assert document.reference.published == "2019-05-02"


def test_a_file_that_says_one_thing_on_every_page_says_it(tmp_path: Path) -> None:
    assert "Take salt daily" in only(written(tmp_path / "a.pdf", scanned(["Take salt daily"] * 4))).text


def test_a_list_of_references_alone_is_read(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.pdf", article(trial()[-30:], 1)))
    assert "A paper on salt number 7" in document.text


def test_the_doi_on_the_first_page_is_its_own_only_when_it_stands_alone() -> None:
    alone = [*trial()[:1], Print("https://doi.org/10.1234/own.7"), *trial()[1:]]
    cited = [*trial()[:1], Print(paragraph(3) + " See doi:10.1234/other.7. " + paragraph(4)), *trial()[1:]]
    (first,), (second,) = (read_pdf(InMemoryFile("a.pdf", article(prints, 1)), "own") for prints in (alone, cited))
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert first.reference.id == "doi:10.1234/own.7"
    assert second.reference.id.startswith("file:a-")
    assert second.reference.doi == ""


def test_the_title_of_a_word_processor_is_no_title() -> None:
    (document,) = read_pdf(
        InMemoryFile("a.pdf", article(trial(), 1, title="Microsoft Word - draft final 3.doc")), "own"
    )
    assert isinstance(document, Document)
    assert document.reference.title == trial()[0].text


def test_the_sign_of_a_publisher_is_no_title_and_one_word_may_be_one() -> None:
    for title, expected in (("BMJ", "a"), ("Asthma", "Asthma")):
        (document,) = read_pdf(InMemoryFile("a.pdf", article([Print(title, "title"), *trial()[1:]], 1)), "own")
        assert isinstance(document, Document)
        assert document.reference.title == expected


def encrypted(user: str) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=StandardEncryption(user, "owner"))
    canvas.drawString(72, 700, "Secret words of this file")
    canvas.save()
    return file.getvalue()


def test_an_encrypted_file_is_refused_and_one_that_only_may_not_be_printed_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"encrypted and needs a password\. Save it without"):
        read(written(tmp_path / "a.pdf", encrypted("user")))
    assert only(written(tmp_path / "b.pdf", encrypted(""))).text == "Secret words of this file"


def scanned(pages: Sequence[str]) -> bytes:
    """Pages with words, and pictures of pages where there are none."""
    from PIL import Image

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    for words in pages:
        if words:
            canvas.drawString(72, 700, words)
        else:
            canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_scanned_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"images without text\. Run OCR on it first"):
        read(written(tmp_path / "a.pdf", scanned(["", ""])))


def test_of_a_file_that_is_scanned_in_part_the_pages_are_named(tmp_path: Path) -> None:
    document, *faults = read(written(tmp_path / "a.pdf", scanned(["Page one has words", "", "", "Page four too", ""])))
    assert isinstance(document, Document)
    assert document.text == "Page one has words\n\nPage four too"
    assert [document.page(at, at + 1) for at in (0, 25)] == ["1", "4"]
    assert [fault.where for fault in faults if isinstance(fault, UnreadablePart)] == ["pages 2 to 3", "page 5"]


def test_empty_pages_are_no_pictures(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="its pages are empty"):
        read(written(tmp_path / "a.pdf", scanned([" "])))


@each_row("data", [b"%PDF-1.7\nno more than this", b"GIF89a", bytes(10_000)])
def test_what_is_no_pdf_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="not a PDF, or damaged"):
        read(written(tmp_path / "a.pdf", data))


def test_a_file_that_was_cut_short_is_refused_or_read_in_part(tmp_path: Path) -> None:
    whole = article(trial(), 2)
    try:
        items = read(written(tmp_path / "a.pdf", whole[: len(whole) * 2 // 3]))
    except UnreadableFile as error:
        assert "damaged" in error.reason
    else:
        assert any(isinstance(item, UnreadablePart) for item in items)


@pytest.mark.slow
@pytest.mark.parametrize("pages", [30, pytest.param(500, marks=pytest.mark.nightly)])
def test_a_book_of_hundreds_of_pages_is_read_chapter_by_chapter(tmp_path: Path, pages: int) -> None:
    count = 9 * pages
    prints = [
        Print(f"Chapter {n // 40 + 1}", "heading") if n % 40 == 0 else Print(paragraph(n, 130)) for n in range(count)
    ]
    document = only(written(tmp_path / "book.pdf", article(prints, 1)))
    assert len(document.pages) >= pages
    assert len({title for title, _ in parts(document)}) == -(-count // 40)
    assert in_order([one.text for one in prints], document.text.split("\n\n")) > 0.98


def test_a_heading_at_the_top_of_many_pages_is_no_running_head(tmp_path: Path) -> None:
    prints = [
        Print(f"Chapter {n // 35 + 1}", "heading") if n % 35 == 0 else Print(paragraph(n, 130)) for n in range(105)
    ]
    document = only(written(tmp_path / "a.pdf", paged(prints)))
    assert list(dict.fromkeys(title for title, _ in parts(document))) == ["Chapter 1", "Chapter 2", "Chapter 3"]


def paged(prints: Sequence[Print]) -> bytes:
    """A PDF in which every heading begins a page."""
    file = io.BytesIO()
    setter = Setter(Canvas(file, pagesize=A4), 1, "A book of tests")
    for number, one in enumerate(prints):
        if one.style == "heading" and number:
            setter.y = 0.0
        font, size = ("Helvetica-Bold", 10.5) if one.style == "heading" else ("Times-Roman", SIZE)
        setter.put(one.text, font, size, indent=0, part=True)
    setter.canvas.save()
    return file.getvalue()


def test_files_may_be_read_in_threads(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", article(trial(), 2))
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(only(path).text)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 4
    assert len(set(texts)) == 1


def real_articles(count: int) -> Iterator[list[Print]]:
    with gzip.open(ARTICLES, "rt", encoding="utf-8") as file:
        for line, _ in zip(file, range(count), strict=False):
            row = json.loads(line)
            prints = [Print(row["title"], "title")]
            for part in re.finditer(
                r"^((?:ABSTRACT|BODY)\S*):\n(.*?)(?=^(?:ABSTRACT|BODY)\S*:\n|\Z)", row["text"], re.S | re.M
            ):
                prints.append(Print(part[1].split(".")[-1].capitalize(), "heading"))
                latin = part[2].encode("latin-1", "ignore").decode("latin-1")
                prints += [Print(text) for text in latin.split("\n") if text.strip()]
            yield prints


@pytest.mark.slow
@pytest.mark.skipif(not ARTICLES.is_file(), reason="the development data (../shared/data) are not on this machine")
@each_row("columns", [1, 2])
@pytest.mark.nightly
def test_of_real_articles_nearly_every_word_comes_back_in_its_order(columns: int) -> None:
    shares = []
    for prints in real_articles(20):
        (document,) = read_pdf(InMemoryFile("a.pdf", article(prints, columns)), "research")
        assert isinstance(document, Document)
        assert_sound(document)
        said = [word for one in prints for word in words_of(one.text)]
        shares.append(in_order(said, words_of(document.text)))
    assert sum(shares) / len(shares) > 0.98
    assert min(shares) > 0.9
