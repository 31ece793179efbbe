"""Files of every kind, opened so that their links, raised numbers and notes survive."""

import io
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.load.text_files import load_answer, load_text
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict

PAGE = b"""<!doctype html><html><head><title>x</title><style>p {}</style></head><body><nav>Menu</nav><article>
<h1>Salt</h1><p>Salt raises blood pressure by 5 mmHg.<sup><a href="#r1">1</a></sup> The skin measured 2 m<sup>2</sup>
in patients<sup>2</sup>. See the <a href="https://who.int/salt">WHO page</a> on risk.</p>
<h2>References</h2><ol><li id="r1">Smith J. Salt. JAMA. 2020. <a href="https://doi.org/10.1001/jama.1">doi</a></li>
<li>Doe K. Two. BMJ. 2021.</li></ol></article><script>alert(1)</script></body></html>"""


def test_links_raised_numbers_and_numbered_lists_of_a_page_survive() -> None:
    document = load_text(PAGE, "salt.html")
    assert "mmHg.[1]" in document.text
    assert "2 m^2" in document.text
    assert "[WHO page](https://who.int/salt)" in document.text
    assert "1. Smith J." in document.text
    assert "Menu" not in document.text and "alert" not in document.text
    found = decompose_text(document)
    doi = {source.key: source.doi for source in found.sources}
    assert [[doi[key] for key in claim.cites] for claim in found.claims] == [["10.1001/jama.1"], [""], [""]]


def word() -> bytes:
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    document: Any = docx.Document()
    document.add_heading("Salt", 1)
    paragraph = document.add_paragraph("Salt raises blood pressure in adults.")
    paragraph.add_run("1").font.superscript = True
    paragraph.add_run(" The skin of patients measured 2 m")
    paragraph.add_run("2").font.superscript = True
    paragraph.add_run(". ")
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), document.part.relate_to("https://who.int/salt", RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run, text = OxmlElement("w:r"), OxmlElement("w:t")
    text.text = "The WHO"
    run.append(text)
    link.append(run)
    paragraph._p.append(link)
    paragraph.add_run(" counts the risk.")
    document.add_heading("References", 1)
    document.add_paragraph("Smith J. Salt. JAMA. 2020. doi:10.1001/jama.1", style="List Number")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def test_links_and_raised_numbers_of_a_word_file_survive_and_its_counted_references_get_numbers() -> None:
    document = load_text(word(), "salt.docx")
    assert "adults.[1]" in document.text
    assert "2 m^2." in document.text
    assert "[The WHO](https://who.int/salt) counts" in document.text
    found = decompose_text(document)
    assert (found.sources[0].key, found.sources[0].marks) == ("1", ("1",))
    assert found.claims[0].cites == (found.sources[0].key,)


def test_the_references_of_a_pdf_stay() -> None:
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file)
    lines = [
        "Salt raises the blood pressure of adults who eat much of it [1]. Potassium lowers it",
        "in patients with hypertension, and it does so within four weeks of treatment [2].",
        "",
        "References",
        "",
        "1. Smith J. Salt and pressure. JAMA. 2020;3:4. doi:10.1001/jama.1",
        "2. Doe K. Potassium and pressure. BMJ. 2021;5:6. doi:10.1136/bmj.2",
    ]
    for number, line in enumerate(lines):
        canvas.drawString(60, 780 - 14 * number, line)
    canvas.save()
    found = decompose_text(load_text(file.getvalue(), "salt.pdf"))
    assert [source.doi for source in found.sources] == ["10.1001/jama.1", "10.1136/bmj.2"]
    assert [claim.cites for claim in found.claims] == [("1",), ("2",)]


def test_an_answer_of_our_own_is_read_back_with_its_statements_and_sources() -> None:
    reference = Reference(id="pubmed:1", title="Salt", authors=("Smith J",), published="2020", pmid="1234567")
    passage = Passage(reference=reference, text="Salt raises blood pressure.", start=0, end=27)
    answer = Answer(
        question=Question(text="Is salt harmful?"),
        statements=(
            Statement(
                text="Salt raises blood pressure.",
                citations=(Citation(passage_id=passage.id, quote=passage.text, start=0, end=27),),
                verdict=Verdict(label="supports", score=1),
            ),
        ),
        evidence=(Evidence(passage=passage, relevance=1),),
    )
    found = load_answer(answer.model_dump_json().encode(), "answer.json")
    assert found is not None
    assert [(claim.text, claim.cites) for claim in found.claims] == [("Salt raises blood pressure.", ("1",))]
    assert [(source.title, source.pmid) for source in found.sources] == [("Salt", "1234567")]
    text = found.document.text
    assert [text[one.start : one.end] for one in found.claims] == ["Salt raises blood pressure."]
    assert [text[one.start : one.end] for one in found.sources] == [one.written for one in found.sources]
    assert load_answer(b'{"statements": "of another program"}', "other.json") is None


def test_markdown_and_plain_text_stay_as_they_are_in_any_charset() -> None:
    latin = "Ménière’s disease is a disease of the inner ear."
    assert load_text(b"Salt is *bad* [1].\r\n", "a.md").text == "Salt is *bad* [1].\n"
    assert load_text(latin.encode("cp1252"), "a.txt").text == latin
    assert load_text("Ménière".encode("utf-16"), "a.txt").text == "Ménière"


@each_row("data", [b"", b"  \n", b"\x00\x01\x02\x03" * 50, b"PK\x03\x04rubbish", b"%PDF-1.4 rubbish"])
def test_what_holds_no_text_is_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(UnreadableFile):
        load_text(data, "thing.bin")
