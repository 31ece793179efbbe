# ruff: noqa: E501 - XML is easier to read a line each
"""Make the folder of a new user, with other programs than ours: `python tests/data/make_mixed_folder.py`, by hand.

It needs Chromium, LibreOffice and pandoc, and the packages python-docx, python-pptx, openpyxl, pillow and pypdf. Each
file that can be read holds one sentence of its own, which SENTENCES in tests/readers/test_mixed_folder.py knows.
"""

import base64
import json
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pypdf
from docx import Document
from openpyxl import Workbook
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation

HERE = Path(__file__).parent / "mixed_folder"
SCRATCH = Path(tempfile.mkdtemp())


def run(*command: str | Path) -> None:
    """Run another program; an error of it stops the making."""
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=180)


def convert(source: Path, form: str, name: str, infilter: str = "") -> None:
    """Convert a file with LibreOffice into the folder."""
    extra = [f"--infilter={infilter}"] if infilter else []
    run("soffice", f"-env:UserInstallation=file://{SCRATCH}/office", *extra, "--headless", "--convert-to", form,
        "--outdir", SCRATCH / "made", source)  # fmt: skip
    (SCRATCH / "made" / f"{source.stem}.{form}").rename(HERE / name)


def page(title: str, *paragraphs: str) -> Path:
    """Write a page for another program to convert."""
    path = SCRATCH / "page.html"
    body = "".join(f"<p>{words}</p>" for words in paragraphs)
    path.write_text(
        f'<html lang="en"><meta charset="utf-8"><title>{title}</title><body><h1>{title}</h1>{body}</body></html>',
        encoding="utf-8",
    )
    return path


def write(name: str, words: str, encoding: str = "utf-8") -> None:
    """Write a text into the folder."""
    (HERE / name).write_bytes(words.encode(encoding))


def make_printed() -> None:
    """PDF: of two programs, scanned, and locked."""
    source = page(
        "Sepsis on the ward", "Measure lactate within the first hour of suspected sepsis.", "Repeat it after 4 hours."
    )
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        f"--print-to-pdf={HERE / 'sepsis.pdf'}", source)  # fmt: skip
    convert(
        page("Stroke pathway", "Scan the head within 20 minutes of arrival."), "pdf", "stroke.pdf", "HTML (StarWriter)"
    )
    image = Image.new("L", (1240, 500), 255)
    font = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 40)
    ImageDraw.Draw(image).text((80, 120), "Transfuse two units of red cells overnight.", font=font, fill=0)
    image.save(HERE / "scanned order.pdf", "PDF", resolution=150)
    image.resize((310, 125)).save(HERE / "photo.png")
    writer = pypdf.PdfWriter()
    writer.append(HERE / "sepsis.pdf")
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(HERE / "locked.pdf")


def make_office() -> None:
    """Word, slides, sheets, and what older and other offices write."""
    document = Document()
    document.add_heading("Anticoagulation", 1)
    document.add_paragraph("Stop apixaban two days before a hip operation.")
    document.save(str(HERE / "anticoagulation.docx"))
    (HERE / "truncated.docx").write_bytes((HERE / "anticoagulation.docx").read_bytes()[:9000])
    convert(
        page("Pain", "Give 1 g of paracetamol every six hours before any opioid."),
        "docx",
        "pain.docx",
        "HTML (StarWriter)",
    )
    convert(
        page("Handover", "Tell the night team which patients may fall."), "rtf", "handover.rtf", "HTML (StarWriter)"
    )
    convert(
        page("Letter", "The wound of the left foot has healed in five weeks."),
        "doc",
        "old letter.doc",
        "HTML (StarWriter)",
    )
    convert(
        page("Checklist", "Count the swabs before the skin is closed."), "odt", "checklist.odt", "HTML (StarWriter)"
    )
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Teaching"
    slide.placeholders[1].text_frame.text = "Compress the chest by five to six centimetres."
    show.save(str(HERE / "teaching.pptx"))
    for name, rows in (
        ("electrolytes.xlsx", [["Salt", "Low", "High"], ["Potassium", "3.5 mmol/L", "5.0 mmol/L"]]),
        ("wards.xlsx", [["Ward", "Beds", "Nurse"], ["Nightingale", 24, "twelve hours"]]),
    ):
        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(SCRATCH / name)
    (SCRATCH / "electrolytes.xlsx").rename(HERE / "electrolytes.xlsx")
    convert(SCRATCH / "wards.xlsx", "xlsx", "wards.xlsx")
    run("pandoc", "-f", "html", "-t", "epub3", "-o", HERE / "triage.epub",
        page("Triage", "A red card means that a doctor comes at once."))  # fmt: skip


def make_texts() -> None:
    """What people write in an editor: pages, notes, tables, in the encodings of their machines."""
    write(
        "asthma.html",
        page(
            "Asthma", "Give salbutamol through a spacer, ten puffs in a severe attack.", "Measure the peak flow. " * 12
        ).read_text(),
    )
    write(
        "short.htm", "<html><title>Burn</title><body><h1>Burn</h1><p>Cool a burn for twenty minutes.</p></body></html>"
    )
    write(
        "ketoacidosis.md",
        "# Ketoacidosis\n\n## Fluids\n\nGive one litre of saline in the first hour.\n\n1. Insulin\n2. Potassium\n",
    )
    write("wound.txt", "Wound care\n\nChange the dressing every third day unless it\nis wet through.\n")
    write("entlassung.txt", "Entlassung\n\nHerr Müller nimmt täglich 5 µg Vitamin D für die Knochen.\n", "latin-1")
    write("export.txt", "Letter\n\nThe café patient’s fever fell to 37 °C.\n", "utf-16")
    write("antibiotics.csv", 'Drug,Dose,Days\nAmoxicillin,"500 mg, three times daily",5\n')
    write("kosten.csv", "sep=;\r\nArznei;Dosis;Preis\r\nMetformin;850 mg für Erwachsene;0,12\r\n", "cp1252")
    write("formulary.tsv", "Drug\tClass\tNote\nBisoprolol\tbeta-blocker\tnot in asthma\n")
    write("empty.txt", "")


def make_references() -> None:
    """What a reference manager exports."""
    write("references.ris", "TY  - JOUR\nAU  - Example, Ann\nTI  - Colchicine after a heart attack in women\nJO  - J Examples\nPY  - 2021\n"
          "DO  - 10.5555/ris.1\nAB  - Colchicine lowered the risk of a second attack by a quarter in this trial.\nER  - \n")  # fmt: skip
    write("library.bib", "@article{ex20,\n author = {Example, Ben and M{\\\"u}ller, Eva},\n title = {Iron for tired {HIV} patients},\n"
          " journal = {J Examples},\n year = {2020},\n abstract = {Iron eased tiredness in one of three patients.}\n}\n")  # fmt: skip
    write("zotero.json", json.dumps([{"id": "ex22", "type": "article-journal", "title": "Walking after knee surgery",
          "author": [{"family": "Example", "given": "Cy"}], "issued": {"date-parts": [[2022]]}, "DOI": "10.5555/csl.1",
          "abstract": "Walking on the first day shortened the stay by one night."}], indent=1))  # fmt: skip


def make_records() -> None:
    """JSON and XML of public services, and lines of an export."""
    write("records.json", json.dumps([{"title": "Thirst", "text": "Offer water to thirsty patients before midnight."}]))
    write(
        "lines.jsonl",
        json.dumps({"_id": "note:1", "title": "Falls", "text": "Lower the bed of a patient who fell twice."}) + "\n",
    )
    label = {"meta": {"disclaimer": "x"}, "results": [{"id": "a1", "set_id": "s1", "openfda": {"brand_name": ["Examplin"], "generic_name": ["EXAMPLIN SODIUM"]},
             "indications_and_usage": ["1 INDICATIONS AND USAGE Examplin is indicated for mild hay fever."],
             "boxed_warning": ["WARNING: Examplin may cause deep sleep in small children."]}]}  # fmt: skip
    write("openfda.json", json.dumps(label))
    note = base64.b64encode(b"Discharge note. The patient walks with one stick since Monday.").decode()
    write("fhir.json", json.dumps({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": {
          "resourceType": "DocumentReference", "id": "d1", "status": "current", "type": {"text": "Discharge summary"},
          "content": [{"attachment": {"contentType": "text/plain", "data": note, "title": "Discharge"}}]}}]}))  # fmt: skip
    write(
        "label.xml",
        """<?xml version="1.0" encoding="UTF-8"?>
<document xmlns="urn:hl7-org:v3"><id root="1f0f5b9e-0000-4000-8000-000000000001"/>
<code code="34391-3" codeSystem="2.16.840.1.113883.6.1" displayName="HUMAN PRESCRIPTION DRUG LABEL"/>
<title>EXAMPLOL (examplol) tablets</title><effectiveTime value="20240105"/><setId root="1f0f5b9e-0000-4000-8000-0000000000aa"/>
<component><structuredBody><component><section><code code="34067-9" codeSystem="2.16.840.1.113883.6.1" displayName="INDICATIONS"/>
<title>1 INDICATIONS AND USAGE</title><text><paragraph>Examplol is indicated for slow pulse after surgery.</paragraph></text></section></component>
<component><section><code code="34068-7" codeSystem="2.16.840.1.113883.6.1" displayName="DOSAGE"/><title>2 DOSAGE</title>
<text><table><thead><tr><th>Weight</th><th>Dose</th></tr></thead><tbody><tr><td>below 50 kg</td><td>10 mg</td></tr></tbody></table>
<paragraph>Swallow the tablet whole.</paragraph></text></section></component></structuredBody></component></document>
""",
    )
    write(
        "article.nxml",
        """<?xml version="1.0"?><article article-type="research-article"><front><article-meta>
<article-id pub-id-type="doi">10.5555/jats.9</article-id><title-group><article-title>Tea and sleep</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Tea after six delayed sleep by eleven minutes.</p></sec></body></article>
""",
    )
    write(
        "pubmed.xml",
        """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>99900077</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2020</Year></PubDate></JournalIssue><Title>J Examples</Title></Journal>
<ArticleTitle>Honey for cough</ArticleTitle><Abstract><AbstractText>Honey eased the cough of 43 children.</AbstractText></Abstract>
</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>
""",
    )
    with zipfile.ZipFile(HERE / "audits.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("audits/hands.md", "# Hands\n\nNurses washed their hands in nine of ten visits.\n")
        archive.writestr("audits/lines.txt", "Lines\n\nRemove every cannula after three days.\n")


def main() -> None:
    """Make all files."""
    HERE.mkdir(exist_ok=True)
    for make in (make_printed, make_office, make_texts, make_references, make_records):
        make()


if __name__ == "__main__":
    main()
