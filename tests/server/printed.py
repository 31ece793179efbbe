"""A trial as a PDF that is hard to show: two columns, parted words, a page that lies on its side, a scanned one."""

import io
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.readers.pdfs import MARGIN, SIZE, WIDTH, Print, Setter, broken

TITLE = "Oral magnesium to prevent migraine: a randomised trial"

RESULT = (
    "Oral magnesium reduced the number of migraine attacks per month by 41.6% in adults with frequent migraine, "
    "compared with 15.8% in those who received placebo, and was recommended for prophylactic administration."
)
HARM = "Diarrhoea was the commonest adverse event of oral magnesium and occurred in 18.6% of the participants."
TABLE = "Oral magnesium was stopped early by four participants of the older group because of gastric irritation."

FILLER = (
    "Participants kept a headache diary throughout the baseline and the treatment period, and investigators who were "
    "unaware of the allocation counted attacks according to prespecified criteria.",
    "Randomisation was stratified by centre and by the number of attacks during the preceding quarter, with "
    "concealment through sequentially numbered containers that an independent pharmacist prepared.",
    "Analyses followed the intention-to-treat principle; missing measurements were imputed conservatively under "
    "several assumptions, none of which changed the interpretation of the principal comparison.",
)


def filler(count: int) -> list[Print]:
    return [Print(f"{' '.join(FILLER)} (Paragraph {number}.)") for number in range(count)]


def build_trial(path: Path) -> None:
    """Six pages in two columns, of which a sentence crosses the first break; one on its side; one without letters."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    setter = Setter(canvas, 2, "Journal of Tests 2020; 1")
    setter.full(TITLE, "Helvetica-Bold", 16)
    for heading, prints in (
        ("Methods", filler(9)),
        ("Results", [Print(f"{' '.join(FILLER)} {RESULT}"), *filler(4), Print(HARM), *filler(26)]),
    ):
        setter.y -= 6
        setter.put(heading, "Helvetica-Bold", 10.5, indent=0, part=False)
        for one in prints:
            setter.put(one.text, "Times-Roman", SIZE, indent=12, part=True)
    canvas.showPage()
    _put_sideways(canvas)
    canvas.drawImage(ImageReader(_scan()), MARGIN, 300, WIDTH - 2 * MARGIN, 300)
    canvas.showPage()
    canvas.save()
    path.write_bytes(file.getvalue())


def _put_sideways(canvas: Canvas) -> None:
    """A page that is set upright on a high sheet and shown turned to the right, as wide tables are."""
    canvas.setPageSize(A4[::-1])
    canvas.setPageRotation(90)
    canvas.saveState()
    canvas.translate(A4[0], 0)
    canvas.rotate(90)
    canvas.setFont("Times-Roman", 14)
    lines = [line for text in (*FILLER, TABLE) for line, _ in broken(text, "Times-Roman", 14, 600, part=False)]
    for number, line in enumerate(lines):
        canvas.drawString(MARGIN, A4[0] - 80 - 17 * number, line)
    canvas.restoreState()
    canvas.showPage()
    canvas.setPageSize(A4)


def _scan() -> io.BytesIO:
    from PIL import Image

    picture = io.BytesIO()
    Image.effect_noise((400, 300), 60).save(picture, "PNG")
    picture.seek(0)
    return picture
