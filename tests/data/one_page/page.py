"""The one page: its words, and its form as HTML for screens (`read=True`) and for printing."""

TITLE = "Acute gout on the ward"
RUNNING_HEAD = "Ward protocol 17"

STYLE = """
@page { size: A4; margin: 22mm 18mm; @top-center { content: "Ward protocol 17"; font-size: 9pt } }
body { font-family: "DejaVu Serif"; font-size: 11pt } sup, sub { font-size: 65% }
table { border-collapse: collapse } td, th { border: 1px solid #000; padding: 3px 8px }
td, th { text-align: left; vertical-align: top }
td ul { margin: 0; padding-left: 14px } aside { border: 2px solid #000; padding: 6px; width: 60% }
.two { column-count: 2; column-gap: 12mm } .next { break-before: page; display: block }
"""

PARAGRAPHS = """
<p>Leukocytes were 11 × 10<sup>9</sup>/L and the body mass index was 31 kg/m<sup>2</sup> on arrival.</p>
<p>Give vitamin D<sub>3</sub> and keep SpO<sub>2</sub> above 94 % at rest.</p>
<p>The rate of attacks fell from 2<sup><a href="#r3">3</a></sup> to 1 per 100 patients,
and in women it was 4<sup>[5]</sup> before.</p>
<p>Treat when eGFR ≥ 30 mL/min, age ≤ 80 years, pain 7 ± 2, and the change −1.5 mg/dL.</p>
<p>Give fentanyl 50 μg once; TNF-α, IL-1β and γ-GT are not needed.</p>
<p>The anti\u00adinflam\u00admatory effect begins within hours.</p>
<p>A \ufb01rst \ufb02are with an e\ufb00usion is di\ufb03cult to tell from sepsis.</p>
"""

TABLE = """
<table>
<tr><th>Drug</th><th>Dose<sup>a</sup></th><th>Interval</th><th>Renal dose</th></tr>
<tr><td>Colchicine</td><td>500 μg</td><td>twice daily</td><td>500 μg alternate days</td></tr>
<tr><td rowspan="2">Prednisolone</td><td>35 mg<br>by mouth</td><td>each morning</td><td>35 mg unchanged</td></tr>
<tr><td>30 mg intravenous</td><td>each night</td><td>15 mg halved</td></tr>
<tr><td>Naproxen</td><td><ul><li>750 mg first</li><li>250 mg later</li></ul></td>
<td>every 8 hours</td><td>avoid</td></tr>
<tr><td>Ibuprofen</td><td colspan="2">400 mg with each meal</td><td>stop below 30</td></tr>
<tr><td>Anakinra</td><td>100 mg</td><td>once daily</td><td>every second day</td><td>specialist only</td></tr>
<tr><td>Ice pack</td><td>20 min</td><td>four times daily</td></tr>
</table>
<p><sup>a</sup> Halve every dose above 75 years.</p>
"""

STEPS = """
<ol>
<li>Ask for earlier attacks.<ol type="a">
<li>Look at the joint.<ol type="i">
<li>Aspirate it when fever is above 38.5 °C.</li></ol></li>
<li>Take blood for urate.</li></ol></li>
<li>Start treatment.</li>
</ol>
"""

COLUMN_TEXT = """Women take the tablets with food and with a full glass of water in the morning. They stop them when
diarrhoea begins, because dehydration raises the level of creatinine within two days. Men may take them at night, when
fewer meals disturb the uptake. Children are never treated by this protocol, whatever their weight may be. Travellers
carry a letter that names the drug and its dose in plain words."""


def make_html(read: bool) -> str:
    """Return the page; printed, it has words broken at line ends, two columns and a sentence over two pages."""
    broken = "" if read else "<br>"
    hyphen = "" if read else "-<br>"
    hyphens = f"<p>A low-{broken}dose course was compared in a meta-{broken}analysis of six trials, and inflam{hyphen}"
    hyphens += "mation fell.</p>"
    over = "the dose is halved when the pain is below 3 of 10."
    over = over if read else f'<span class="next">{over}</span>'
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title><style>{STYLE}</style></head><body>
<h1>{TITLE}</h1>
<h2>Signs</h2>
{PARAGRAPHS}
{hyphens}
<h2>Drugs</h2>
{TABLE}
<h2>Steps</h2>
<p>Start within 24 hours.<sup><a epub:type="noteref" href="#n1">*</a></sup> Then follow these steps:</p>
{STEPS}
<aside><p>Call the rheumatologist when two joints are red.</p></aside>
<h2>Later</h2>
<p>The patient is seen again on day three and {over}</p>
<div class="two"><p>{COLUMN_TEXT}</p></div>
<div epub:type="footnote" id="n1"><p>* Not before aspiration in suspected sepsis.</p></div>
<p id="r3">3. Example A. Attacks of gout. J Examples. 2020.</p>
</body></html>
"""
