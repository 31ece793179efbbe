# ruff: noqa: E501 - a case is easier to read in its own lines than in ours
"""Cases of each kind of fault that strangers reported of other programs, beside those of `public_reports`.

Each case is one input and what must be read of it; a `FILE` is in tests/data/format_kinds, made by the programs that
make.py there names, and whatever people can read is written here.
"""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.readers.as_read import AsRead, offsets_hold, read
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Document

DATA = Path(__file__).parents[1] / "data" / "format_kinds"


@dataclass(frozen=True)
class Case:
    """An input and what is right.

    file     a file of tests/data/format_kinds, or the name under which `text` is written
    has      expressions, each of which one block must match
    lacks    expressions that no block may match
    pairs    (row, header, value) that a table must say on one line
    """

    file: str
    has: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    text: str | bytes | None = None


def _up(base: str, mark: str) -> str:
    """Accept a raised mark behind its base in the notations that tell it: 2[3], 2^3, 2^[3], 2³."""
    raised = mark.translate(str.maketrans("0123456789−–-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻–⁻"))
    return rf"{re.escape(base)} ?(\[{mark}\]|\^\[?{mark}\]?|\^\({mark}\)|\^\{{{mark}\}}|{raised})"


RAISED = [
    Case("pdf_raised/chromium.pdf", [_up("P<10", "−5") + r"\) and", _up("12 cm", "3") + "/min"], [r"10−5", r"cm3"]),
    Case("pdf_raised/chromium.pdf", [_up("score was 5", "4") + " in adults", _up("12", "7–9") + " in children"], [r"54", r"127"]),
    Case("pdf_raised/chromium.pdf", [r"the 1(\^|\[)?st\]? and 22(\^|\[)?nd\]? day", r"CaCl(_?2|₂)", r"t_?1/2"], [r"1 st", r"22 nd"]),
    Case("pdf_raised/chromium.pdf", [_up("1.5 × 10", "6") + " CFU/mL", r"100(\^|\[)?th\]? percentile"], [r"106 CFU"]),
    Case("pdf_raised/drawn.pdf", [_up("4.5 × 10", "9") + "/L on day 3", _up("1.73 m", "2") + " and"], [r"109", r"m2\b"]),
    Case("pdf_raised/drawn.pdf", [_up("dose of 2.5", "11") + " mg", _up("to 40", "12,13") + " patients"], [r"2\.511", r"4012"]),
    Case("pdf_raised/drawn.pdf", [_up("fell to 10", "−3") + " of", r"H(_?2|₂)O was", _up("20 cm", "2")], [r"10−3", r"H 2 O"]),
    Case("pdf_raised/drawn.pdf", [_up("7 × 10", "12") + " per litre"], [r"1012"]),
    Case("pdf_raised/small_print.pdf", [r"daily dose is 45 mg for adults and 30 mg for"], [r"\^", r"_45", r"\[45"]),
    Case("pdf_raised/small_print.pdf", [r"child: 12 ?kg needs 120 mL", r"Stop at 90 mmHg"], [r"\^", r"_k", r"\[90"]),
    Case("pdf_raised/office.pdf", [_up("level was 10", "−9") + " mol/L", _up("90 × 10", "9") + "/L"], [r"10−9", r"109"]),
    Case("pdf_raised/office.pdf", [_up("Give 0.25", "8") + " mg and wait for 30 min"], [r"0\.258", r"0\.25 8"]),
    Case("word_raised/styles.docx", [_up("6 × 10", "12") + "/L", _up("1.9 m", "2")], [r"1012", r"m2"]),
    Case("word_raised/styles.docx", [_up("P<10", "−5"), _up("12 cm", "3") + "/min"], [r"10−5", r"cm3"]),
    Case("word_raised/styles.docx", [_up("Give 0.5", "6") + " mg", r"H(_?2|₂)O and CO(_?2|₂) low", r"1(\^|\[)?st\]? day"], [r"0\.56"]),
    Case("word_raised/styles.docx", [_up("In 5", "a") + " of 12", _up("dose was 3", "4,5") + " mg"], [r"5a", r"34,5"]),
    Case("word_raised/position.docx", [_up("level was 10", "−9") + " mol/L", _up("90 × 10", "9") + "/L"], [r"10−9", r"109"]),
    Case("word_raised/office.docx", [_up("3 × 10", "6") + "/mL", _up("4 cm", "3") + "/min", r"vitamin B(_?12|₁₂) was"], [r"106"]),
]  # fmt: skip

SYMBOLS = [
    Case("pdf_symbols/standard_symbol.pdf", [r"Give 5 μg of digoxin and 2 × 10 mL"]),
    Case("pdf_symbols/standard_symbol.pdf", [r"TNF-α, IL-1β and γ-GT rose"]),
    Case("pdf_symbols/standard_symbol.pdf", [r"eGFR ≥ 30 and age ≤ 80, pain 7 ± 2", r"37 °C; acidosis → bicarbonate"]),
    Case("pdf_symbols/office.pdf", [r"Give μg doses: 5 × 10 mL, 7 ± 2, at 37 °C"], [r"Give g"]),
    Case(
        "pdf_symbols/office.pdf",
        [r"TNF-α, IL-1β and γ-GT; fever → paracetamol", r"eGFR ≥ 30 and age ≤ 80, or if K ≠ 4"],
    ),
    Case("pdf_symbols/office.pdf", [r"Low pressure [→➔🡪] fluids; [✓✔] consent; [□☐▫◻] allergy"]),
    Case("word_symbols/signs.docx", [r"Give μg doses: 5 × 10 mL, 7 ± 2, at 37 °C"], [r"Give g"]),
    Case(
        "word_symbols/signs.docx",
        [r"TNF-α, IL-1β and γ-GT; fever → paracetamol", r"eGFR ≥ 30 and age ≤ 80, or if K ≠ 4"],
    ),
    Case("word_symbols/signs.docx", [r"Low pressure [→➔🡪] fluids; [✓✔] consent; [□☐▫◻] allergy"]),
    Case("word_symbols/font_of_a_run.docx", [r"fentanyl 50 μg if eGFR ≥ 30"]),
    Case("word_symbols/font_of_a_run.docx", [r"digoxin 125 μg and dopamine 3 μg; Δ 2 units"], [r"125 mg", r"3 mg"]),
]

HYPHENS = [
    *(
        Case(f"pdf_hyphens/{file}.pdf", has, lacks)
        for file in ("drawn", "chromium")
        for has, lacks in (
            ([r"level of IL-6 and were", r"for COVID-19 twice\. They took 10-20 mg of"], [r"IL6", r"IL- 6", r"1020"]),
            ([r"a well-known drug as first-line treatment, with"], [r"wellknown", r"firstline", r"treat-ment"]),
            ([r"a beta-blocker and a non-?steroidal drug\. Infections"], [r"betablocker", r"Infec-tions"]),
            ([r"pneumonia of the post-?operative period were rare in T-cell disease"], [r"Tcell", r"pneumo-nia"]),
            ([r"and hypertension in 3–5 % of them"], [r"3– 5", r"hyper-tension"]),
        )
    ),
    Case(
        "pdf_hyphens/soft.pdf",
        [r"The antiinflammatory and immunosuppressive drugs lowered the concentration of the biomarker"],
    ),
    Case("pdf_hyphens/soft.pdf", [r"in hospitalized children and adolescents by a quarter"], [r"hospital-"]),
    Case(
        "pdf_hyphens/office.pdf",
        [r"high-intensity, self-reported and double-blind studies of COVID-19 and IL-6 in Stevens-Johnson"],
    ),
    Case(
        "pdf_hyphens/office.pdf",
        [r"gave 10-20 mg of a long-acting, well-known drug with meta-analysis of patient-reported"],
    ),
    Case(
        "pdf_hyphens/office.pdf",
        [r"The anticoagulation of cardiovascular inpatients with thrombocytopenia was stopped"],
    ),
]

LIGATURES = [
    Case("pdf_ligatures/drawn.pdf", [r"The efficacy and the benefit of influenza vaccine were significant"]),
    Case("pdf_ligatures/drawn.pdf", [r"A sufficient and specific difference was confirmed"]),
    Case(
        "pdf_ligatures/drawn.pdf",
        [r"Give fifty units of fluid, then stop; if five remain"],
        [r"Givefi", r"offl", r"iffi"],
    ),
    Case(
        "pdf_ligatures/pieces.pdf",
        [r"The classification of fibrosis is difficult", r"Modified release had no effect on reflux"],
    ),
    Case(
        "pdf_ligatures/chromium.pdf",
        [r"The classification of fibrosis and the effect of influenza on the office staff"],
    ),
]

DRUGS = [
    ("Amoxicillin", "Children", "15 mg/kg three times daily"),
    ("Amoxicillin", "Renal failure", "500 mg twice daily"),
    ("Gentamicin", "Adults", "5 mg/kg once daily"),
    ("Gentamicin", "Renal failure", "level before each dose"),
    ("Doxycycline", "Children", "not below 8 years"),
    ("Ciprofloxacin", "Adults", "750 mg twice daily"),
    ("Ciprofloxacin", "Renal failure", "500 mg once daily"),
]
DRUG_ROWS = {
    "Amoxicillin": ("Amoxicillin", "500 mg three times daily", "15 mg/kg three times daily", "500 mg twice daily"),
    "Gentamicin": ("Gentamicin", "5 mg/kg once daily", "7 mg/kg once daily", "level before each dose"),
    "Doxycycline": ("Doxycycline", "100 mg twice daily", "not below 8 years", "no change"),
    "Ciprofloxacin": ("Ciprofloxacin", "750 mg twice daily", "10 mg/kg twice daily", "500 mg once daily"),
}
DRUG_TABLES = [
    "chromium_ruled",
    "chromium_bare",
    "chromium_shaded",
    "office_ruled",
    "office_bare",
    "reportlab_booktabs",
]

OUTSIDE = [
    Case("word_outside/parts.docx", [r"Old box: stop metformin", r"Before surgery:"]),
    Case("word_outside/parts.docx", [r"Control: measure lactate", r"Inline control: give 40 mg now"]),
    Case("word_outside/parts.docx", [r"The dose is 20 mg daily"], [r"30 mg"]),
    Case("word_outside/parts.docx", [r"A low[-\u2011]dose course of antibiotics"]),
    Case("word_outside/parts.docx", [r"The ratio is \(?HDL ?[/⁄] ?LDL\)? and 10(\^9|⁹) cells"], [r"HDLLDL", r"109"]),
    Case("word_outside/parts.docx", [r"See page 12 of the plan", r"pH 7\.2[\t |:–-]+severe", r"pH 7\.3[\t |:–-]+moderate"], [r"severepH"]),
    Case("word_outside/numbers.docx", [r"Step 1: Open the airway", r"\b1\.1 Lift the chin", r"\(II\) Remove the vomit"]),
    Case("word_outside/numbers.docx", [r"\b1\.2 Hold the jaw", r"Step 2: Give oxygen", r"Step 1: Call for help"]),
    Case("word_tables/joined.docx", pairs=[
        ("Warfarin", "Adults: First day", "10 mg"), ("Warfarin", "Adults: Later", "5 mg"), ("Warfarin", "Note", "INR daily")]),
    Case("word_tables/joined.docx", pairs=[
        ("Warfarin", "Adults: Later", "3 mg above 80"), ("Warfarin", "Note", "INR daily too")]),
    Case("word_tables/joined.docx", [r"Heparin\b.*bolus\b.*80 units/kg.*infusion\b.*18 units/kg"]),
]  # fmt: skip

_PAGE = "<!doctype html><html lang=en><meta charset=utf-8><title>Ward</title><body><h1>Ward</h1>{}</body></html>"
_GOUT = (
    "<p>Gout is a painful arthritis that crystals of urate cause, and it is treated with several drugs by its stage. It is "
    "seen most often in men of middle age, and less often in women before the menopause; it may run in a family.</p>"
)


def _html(
    body: str, *has: str, lacks: list[str] | None = None, pairs: list[tuple[str, str, str]] | None = None
) -> Case:
    return Case("page.html", list(has), lacks or [], pairs or [], _PAGE.format(_GOUT + body + _GOUT))


WEB = [
    _html("<table><tr><th>Drug<th>Dose<tr><td>Warfarin<td><ol><li>10 mg first</li><li>5 mg later</li></ol></table>",
          pairs=[("Warfarin", "Dose", "10 mg first")]),
    _html("<table><tr><th>Drug<th>Dose<tr><td>Heparin<td><p>80 units/kg at once</p><p>18 units/kg hourly</p></table>",
          pairs=[("Heparin", "Dose", "80 units/kg at once"), ("Heparin", "Dose", "18 units/kg hourly")]),
    _html("<table><tr><th>Drug<th>Dose<tr><td>Insulin<td><ul><li>0.1 units/kg<ul><li>halve below 14 mmol/L</li></ul></li></ul></table>",
          r"Insulin.*0\.1 units/kg.*halve below 14 mmol/L"),
    _html("<table><tr><th>Drug<th>Dose<tr><td><a href=/a>Aspirin</a><td><a href=/b>300 mg chewed</a></table>",
          pairs=[("Aspirin", "Dose", "300 mg chewed")]),
    _html("<table><tr><th>Sign<th>Care<tr><td>Burn<td><table><tr><td>cool</td><td>20 min</td></tr><tr><td>cover</td>"
          "<td>film</td></tr></table></table>", r"Burn.*cool.*20 min.*cover.*film"),
    _html("<p>Call for:</p><ul><li><a href=/1>Chest pain</a></li><li><a href=/2>Fits longer than 5 minutes</a></li></ul>",
          r"Chest pain", r"Fits longer than 5 minutes"),
    _html("<dl><dt>Adrenaline</dt><dd>0.5 mg into the thigh</dd><dt>Salbutamol</dt><dd>5 mg by nebuliser</dd></dl>",
          r"Adrenaline[:\s|–-]+0\.5 mg into the thigh", r"Salbutamol[:\s|–-]+5 mg by nebuliser"),
    _html("<ol><li><a href=/1>Open the airway</a></li><li><a href=/2>Give oxygen</a></li></ol>",
          r"1\. Open the airway", r"2\. Give oxygen"),
    _html("<details><summary>Children</summary><p>Give 15 mg/kg of paracetamol.</p></details>", r"15 mg/kg of paracetamol"),
    _html("<ol start=4><li>Weigh the child.</li><li value=7>Measure it.</li></ol>", r"4\. Weigh", r"7\. Measure"),
    Case("short.html", [r"Give 5 mg of salbutamol\."], text=_PAGE.format("<p>Give 5 mg of salbutamol.</p>")),
    Case("short.html", [r"Fever: 39 °C", r"Pulse"], text=_PAGE.format("<h2>Signs</h2><p>Fever: 39 °C</p><h2>Pulse</h2><p>Fast.</p>")),
]  # fmt: skip

SPANS = [
    _html("<table><tr><th>Drug<th>eGFR<th>Dose<tr><td>Metformin<td rowspan=2>above 60<td>2 g<tr><td>Gliclazide<td>80 mg"
          "<tr><td>Insulin<td>any<td>10 units</table>",
          pairs=[("Gliclazide", "eGFR", "above 60"), ("Gliclazide", "Dose", "80 mg"), ("Insulin", "Dose", "10 units")]),
    _html("<table><tr><th rowspan=2>Drug<th colspan=2>Dose<tr><th>Day 1<th>Later<tr><td>Warfarin<td>10 mg<td>5 mg</table>",
          pairs=[("Warfarin", "Dose: Day 1", "10 mg"), ("Warfarin", "Dose: Later", "5 mg")]),
    _html("<table><tr><th>Drug<th>Adults<th>Children<tr><td>Aspirin<td>300 mg<td>never<tr><td>Rest<td colspan=2>for two days</table>",
          pairs=[("Rest", "Adults", "for two days"), ("Rest", "Children", "for two days")]),
    _html("<table><tr><th>Drug<th>Route<th>Dose<tr><td rowspan=3>Morphine<td>oral<td>10 mg<tr><td>skin<td>5 mg<tr><td>vein"
          "<td>3 mg</table>", pairs=[("Morphine", "Route", "vein"), ("Morphine", "Dose", "3 mg"), ("Morphine", "Dose", "5 mg")]),
    # A cell that spans more rows than there are, and a row that has a cell too many below it.
    _html("<table><tr><th>Drug<th>Dose<tr><td rowspan=5>Digoxin<td>125 μg<tr><td>62.5 μg<td>above 80 years</table>",
          r"Digoxin.*62\.5 μg.*above 80 years", pairs=[("Digoxin", "Dose", "62.5 μg")]),
    _html("<table><tr><th>Drug<th>Dose<th>Note<tr><td>Aspirin<td>300 mg<td>chewed<td>not below 16<tr><td>Rest<td>2 days</table>",
          r"Aspirin.*chewed.*not below 16", pairs=[("Aspirin", "Note", "chewed"), ("Rest", "Dose", "2 days")]),
    _html("<table><tr><th scope=row>Pulse</th><td>above 120</td><tr><th scope=row>Fever</th><td>above 39</td></table>",
          r"Pulse[ |:]+above 120", r"Fever[ |:]+above 39", lacks=[r"0 \| 1"]),
    _html("<table><tr><td>Pulse<td>above 120<tr><td>Fever<td>above 39</table>", r"Pulse[ |:]+above 120", lacks=[r"0 \| 1"]),
]  # fmt: skip


def _md(text: str, *has: str, lacks: list[str] | None = None, pairs: list[tuple[str, str, str]] | None = None) -> Case:
    return Case(
        "page.md", list(has), lacks or [], pairs or [], f"# Ward\n\nThe ward treats adults.\n\n{text}\n\nAsk first.\n"
    )


MARKDOWN = [
    _md("| Sign | Partial | Deep |\n|---|---|---|\n| Sensation | Normal | or pain | None |\n| Colour | Pink |",
        r"Sensation.*Normal.*or pain.*None", pairs=[("Sensation", "Deep", "or pain"), ("Colour", "Partial", "Pink")]),
    _md("|   |   |\n|---|---|\n| Pulse | above 120 |\n| Fever | above 39 |", r"Pulse[ |:]+above 120", lacks=[r"0 \| 1"]),
    _md("| Drug | Dose |\n|---|---|\n| Aspirin \\| ASA | 300 mg |\n| `a|b` | 5 mg |", r"Aspirin \|? ?ASA?.*300 mg|Aspirin.*ASA.*300 mg"),
    _md("Drug | Dose\n--- | ---\nHeparin | 80 units/kg<br>18 units/kg hourly", pairs=[("Heparin", "Dose", "80 units/kg 18 units/kg hourly")]),
    _md("<table><tr><th>Drug</th><th>Dose</th></tr>\n<tr><td>Insulin</td><td>0.1 units/kg</td></tr>\n\n<tr><td>Rest</td><td>2 days"
        "</td></tr></table>", pairs=[("Insulin", "Dose", "0.1 units/kg"), ("Rest", "Dose", "2 days")]),
    _md("The count was 11 × 10^9^/L, and H~2~O was given.", r"10(\^9|⁹)\^?/L", r"H[_~]?2~?O|H₂O", lacks=[r"109"]),
    _md("The count was 10<sup>9</sup>/L and 3<sup>4</sup> in all; D<sub>3</sub>.", _up("was 10", "9") + "/L", _up("3", "4") + " in",
        lacks=[r"109", r"34"]),
    _md("1. Open the airway\n   1. Lift the chin\n   2. Hold the jaw\n2. Give oxygen\n   - by mask", r"1\. Open", r"2\. Hold the jaw",
        r"2\. Give oxygen", r"by mask"),
    _md("- Adults\n  - 500 mg\n    - halve above 75\n- Children\n  - 15 mg/kg", r"Adults", r"halve above 75", r"15 mg/kg"),
    _md("Start at once.[^a] Then wait.\n\n[^a]: Not in children below 2.", r"Start at once\.", r"Not in children below 2\."),
    _md("| Drug | Dose |\n|:--|--:|\n| Aspirin | ≥ 300 mg |\n\n| Sign | Act |\n|--|--|\n| Fever | cool |",
        pairs=[("Aspirin", "Dose", "≥ 300 mg"), ("Fever", "Act", "cool")]),
    _md("Potassium &ge; 6 mmol/L &ndash; call; 5 &micro;g &plusmn; 1.", r"Potassium ≥ 6 mmol/L – call; 5 μg ± 1"),
]  # fmt: skip

TABLES = [
    Case("dup.csv", [r"Day: 1; Dose: 5 mg; Day: 2; Dose: 10 mg|Day.*1.*Dose.*5 mg.*Day.*2.*Dose.*10 mg"],
         text="Drug,Day,Dose,Day,Dose\nWarfarin,1,5 mg,2,10 mg\n"),
    Case("dup.csv", [r"1 mg.*2 mg.*3 mg"], text="Drug,Dose,Dose,Dose\nMorphine,1 mg,2 mg,3 mg\n"),
    Case("dup.tsv", [r"A.*1.*B.*2.*3"], text="Code\tA\tB\tB\nx\t1\t2\t3\n"),
    Case("sep.csv", lacks=[r"sep="], pairs=[("Warfarin", "Dose", "0,5 mg")], text="sep=;\r\nDrug;Dose\r\nWarfarin;0,5 mg\r\n"),
    Case("sep.csv", lacks=[r"sep="], pairs=[("Warfarin", "Dose", "5 mg")], text="\ufeffsep=\t\r\nDrug\tDose\r\nWarfarin\t5 mg\r\n"),
    Case("sep.csv", lacks=[r"sep="], pairs=[("Warfarin", "Dose", "1,5 mg")], text='"sep=|"\nDrug|Dose\nWarfarin|1,5 mg\n'),
    Case("units.csv", pairs=[("Ibuprofen", "Dose (mg/kg)", "10"), ("Ibuprofen", "Maximum (mg)", "400")],
         text="Drug,Dose (mg/kg),Maximum (mg)\nIbuprofen,10,400\n"),
    Case("quotes.csv", [r'say "stop" at once'], pairs=[("Heparin", "Dose", "80 units/kg 18 units/kg hourly")],
         text='Drug,Dose,Note\n"Heparin","80 units/kg\n18 units/kg hourly","say ""stop"" at once"\n'),
    Case("comma.csv", pairs=[("Insulin", "Dose", "0.1 units/kg"), ("Insulin", "Note", "halve, then stop")],
         text='Drug,Dose,Note\nInsulin,0.1 units/kg,"halve, then stop"\n'),
    Case("tabs.csv", pairs=[("Insulin", "Dose", "5 units")], text="Drug\tDose\nInsulin\t5 units\n"),
    Case("latin.csv", pairs=[("Müller", "Dosis", "5 μg")], text="Name;Dosis\nMüller;5 µg\n".encode("cp1252")),
    Case("wide.csv", pairs=[("Insulin", "Dose", "5 units")], text=codecs.BOM_UTF16_LE + "Drug\tDose\nInsulin\t5 units\n".encode("utf-16-le")),
    Case("empty.csv", [r"Insulin.*5 units"], lacks=[r"0 \| 1", r"Unnamed", r"None:"], text="Drug,\nInsulin,5 units\n"),
]  # fmt: skip

_LATIN = "Naïve patients with Ménière's disease take 5 µg ± 1 at 37 °C.\n"
ENCODINGS = [
    Case("note.txt", [r"Naïve patients with Ménière's disease take 5 μg ± 1 at 37 °C"], text=_LATIN.encode("latin-1")),
    Case("note.txt", [r"“Stop” – she took 5 μg… €20"], text="“Stop” – she took 5 µg… €20\n".encode("cp1252")),
    Case("note.txt", [r"Ménière's disease take 5 μg"], text=codecs.BOM_UTF16_LE + _LATIN.encode("utf-16-le")),
    Case("note.txt", [r"Ménière's disease take 5 μg"], text=codecs.BOM_UTF16_BE + _LATIN.encode("utf-16-be")),
    Case("note.txt", [r"^Naïve patients"], text=codecs.BOM_UTF8 + _LATIN.encode()),
    Case("note.md", [r"Ménière's disease take 5 μg"], text=b"# Note\n\n" + _LATIN.encode("cp1252")),
    Case("note.html", [r"Ménière's disease take 5 μg"],
         text=f"<html><meta charset=windows-1252><title>N</title><body><h1>N</h1><p>{_LATIN}</p></body></html>".encode("cp1252")),
]  # fmt: skip


def _name(case: Case) -> str:
    return case.file.partition("/")[2] or case.file


def _read_case(case: Case, folder: Path) -> AsRead:
    if case.text is None:
        return read(DATA / case.file)
    path = folder / case.file
    path.write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
    return read(path)


def _check(case: Case, folder: Path) -> None:
    page = _read_case(case, folder)
    for pattern in case.has:
        assert page.matches(pattern), f"{pattern} not in: {page.text}"
    for pattern in case.lacks:
        assert not page.matches(pattern), f"{pattern} in: {page.text}"
    for row, header, value in case.pairs:
        assert page.pairs(row, header, value), f"{row}, {header}, {value} not in: {page.text}"
    for document in page.documents:
        assert offsets_hold(document)


@each_row("case", RAISED)
def test_raised_and_lowered_signs_run_into_nothing(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", SYMBOLS)
def test_letters_of_symbol_fonts_are_read(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("file", ["pdf_symbols/no_character_table.pdf", "word_symbols/unknown_font.docx"])
def test_a_sign_that_nobody_can_read_is_marked_or_told(file: str) -> None:
    try:
        page = read(DATA / file)
    except UnreadableFile:
        return  # refused with a reason: told
    assert page.faults or "\ufffd" in page.text or page.matches(r"Danger: (\[.+\]|[□▯]) means"), page.text


@each_row("case", HYPHENS)
def test_hyphens_at_line_ends(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", LIGATURES)
def test_ligatures_split_no_word(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row(
    ("file", "doi"),
    [
        ("after_slash", "10.1016/j.jexam.2020.01.001"),
        ("after_hyphen", "10.1182/blood-2010-10-311704"),
        ("after_stop", "10.1371/journal.pmed.1000097"),
        ("whole", "10.5555/xyz123"),
    ],
)
def test_the_own_doi_over_a_line_end(file: str, doi: str) -> None:
    assert read(DATA / "pdf_doi" / f"{file}.pdf").documents[0].reference.doi == doi


@each_row(
    ("file", "title"),
    [
        ("untitled", "Colchicine for acute gout"),
        ("word_draft", "Warfarin after stroke"),
        ("two_lines", "Early mobilisation of adults after planned surgery of the hip"),
    ],
)
def test_a_title_is_no_file_name(file: str, title: str) -> None:
    assert read(DATA / "pdf_titles" / f"{file}.pdf").documents[0].reference.title == title


@each_row(
    "words",
    [
        r"below 70 g/L ?(\*|\[\*\]|\^\*) and the patient has no bleeding; give a second unit only",
        r"5 mL/kg per hour in children and 250 mL per hour in adults, unless they bleed\.",
    ],
)
def test_a_sentence_over_a_page_end_is_whole(words: str) -> None:
    page = read(DATA / "pdf_pages/drawn.pdf")
    assert page.matches(words), page.text
    assert page.count("80 g/L in patients with heart disease.") == 1
    assert not page.matches(r"(children and|no bleed-?) .{0,20}4[123]\b")


@each_row("file", DRUG_TABLES)
@each_row(("row", "header", "value"), DRUGS)
def test_a_table_of_a_pdf_keeps_its_rows(row: str, header: str, value: str, file: str) -> None:
    page = read(DATA / "pdf_tables" / f"{file}.pdf")
    printed = page.prints_row(*DRUG_ROWS[row]) or page.shows(row, header, value)
    assert printed or page.pairs(row, header, value), page.text


@each_row("file", DRUG_TABLES)
def test_the_words_around_a_table_stay_sentences(file: str) -> None:
    page = read(DATA / "pdf_tables" / f"{file}.pdf")
    assert page.matches(r"^Ask before the second course is given\.$"), page.text


@each_row("case", OUTSIDE)
def test_words_outside_the_main_run_of_word(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", WEB)
def test_lists_and_links_of_pages(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", SPANS)
def test_cells_of_pages_that_span_rows_and_columns(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", MARKDOWN)
def test_markdown_as_people_write_it(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


@each_row("case", TABLES)
def test_tables_in_text(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


def test_a_cell_too_many_is_no_other_columns(tmp_path: Path) -> None:
    text = "Drug,Dose,Note\nAspirin,300 mg,chewed,not below 16\nRest,2 days\n"
    page = _read_case(Case("ragged.csv", text=text), tmp_path)
    assert page.pairs("Rest", "Dose", "2 days")
    assert page.matches("Aspirin.*not below 16") or any("4 cells" in fault for fault in page.faults)
    assert not page.pairs("Aspirin", "Note", "not below 16")


@each_row("case", ENCODINGS)
def test_encodings(case: Case, tmp_path: Path) -> None:
    _check(case, tmp_path)


def _units(document: Document) -> list[str]:
    """What could be quoted of a document, each sentence or item in one line."""
    return [" ".join(document.text[span.start : span.end].split()) for span in split_sentences(document.text)]


WRAPPED = """The patient should be observed for at least six hours after
the last dose of naloxone, since its effect is shorter than
that of the opioid. Discharge is safe when the patient walks,
talks and breathes normally.

Give the antidote in this order:
1. Naloxone 0.4 mg into a vein, repeated every two minutes
   until the patient breathes.
2. Oxygen by mask.
- Do not give flumazenil to anybody who takes
  benzodiazepines every day.

Pulse: 120
Pressure: 80/40
Temperature: 35.2

Call the poison centre
when more than two tablets
were taken
"""


@each_row(
    "words",
    [
        "The patient should be observed for at least six hours after the last dose of naloxone, since its effect is shorter "
        "than that of the opioid.",
        "Discharge is safe when the patient walks, talks and breathes normally.",
        "Naloxone 0.4 mg into a vein, repeated every two minutes until the patient breathes.",
        "Do not give flumazenil to anybody who takes benzodiazepines every day.",
        "Oxygen by mask.",
    ],
)
@each_row("ending", ["\n", "\r\n"])
@each_row("file", ["note.txt", "note.md"])
def test_wrapped_lines_are_one_unit(words: str, ending: str, file: str, tmp_path: Path) -> None:
    page = _read_case(Case(file, text=WRAPPED.replace("\n", ending)), tmp_path)
    units = _units(page.documents[0])
    # Items of a list that are quoted together may lose their full stops.
    assert any(words.rstrip(".") in unit for unit in units), units
    assert page.documents[0].text.count("Oxygen by mask") == 1


def test_short_lines_with_labels_stay_lines(tmp_path: Path) -> None:
    page = _read_case(Case("note.txt", text=WRAPPED), tmp_path)
    assert {"Pulse: 120", "Pressure: 80/40", "Temperature: 35.2"} <= set(page.text.splitlines())
    assert not any("120 Pressure" in unit or "80/40 Temperature" in unit for unit in _units(page.documents[0]))


def test_steps_of_a_text_stay_steps(tmp_path: Path) -> None:
    units = _units(_read_case(Case("note.txt", text=WRAPPED), tmp_path).documents[0])
    assert not any("breathes. 2. Oxygen" in unit or "mask. - Do not" in unit for unit in units), units
