"""A document in sections, a section in units: nothing is torn from what it hangs on."""

from tests.tables import each_row
from wellsourced.answering.sections import LaidOutSection, find_sections, is_heading, is_label
from wellsourced.types import Document, Reference
from wellsourced.types import Section as Part

STEPS = """\
Bradycardia

1. Assess airway

2. For symptomatic bradycardia:
Atropine 1 mg IV push
May repeat every 3 min, maximum total dose 3 mg

3. Establish vascular access
"""
TABLE = """\
Choice of drug

Situation | Drug
First episode | Tinidazole 2 g
Recurrence | Nitazoxanide 500 mg
PLUS | Fluids
"""
SIBLINGS = "Short first part.\n\nShort second part.\n\n" + "A much longer third part. " * 60


def document(text: str, *parts: tuple[str, int, int], title: str = "Protocol") -> Document:
    """A document of these sections; of one unnamed without any."""
    sections = tuple(Part(title=name, start=start, end=end) for name, start, end in parts)
    return Document(reference=Reference(id="file:x", title=title), text=text, sections=sections)


def units(section: LaidOutSection) -> list[list[str]]:
    """The words of each unit's lines."""
    return [[section.line(place) for place in unit.lines] for unit in section.units]


def test_a_line_that_stands_apart_like_a_heading_begins_a_section_and_names_it() -> None:
    sections = find_sections(document("Preface of one sentence.\n\nAdult dose\nGive 5 mg.\n\nChildren\nGive 1 mg.\n"))
    assert [one.path for one in sections] == ["", "Adult dose", "Children"]
    assert sections[2].text == "Give 1 mg."


@each_row(
    ("line", "is_one"),
    [
        ("Management", True),
        ("Dose in renal failure", True),
        ("Give 5 mg twice a day.", False),
        ("- Oral route", False),
        ("1. Assess airway", False),
        ("| Drug | Dose |", False),
        ("lower-case line", False),
        ("A line of far more than ten words that nobody would take for a heading", False),
    ],
)
def test_a_heading_is_short_begins_like_one_and_ends_no_sentence(line: str, is_one: bool) -> None:
    assert is_heading(line) is is_one


@each_row(("line", "is_one"), [("Women", True), ("Dose 5 mg", False), ("Go on:", True), ("It is given.", False)])
def test_a_label_has_few_words_no_figure_and_ends_no_sentence(line: str, is_one: bool) -> None:
    assert is_label(line) is is_one


def test_a_wrapped_line_and_what_follows_a_label_hang_on_what_is_above() -> None:
    text = "Children\nGive one tablet of 400 mg to each child over two\nyears of age.\n"
    section = LaidOutSection(document(text), "", 0, len(text))
    assert any("Children" in one and any("years of age." in line for line in one) for one in units(section))


def test_a_row_is_a_unit_with_its_header_and_the_header_alone_is_none() -> None:
    section = LaidOutSection(document(TABLE), "", 0, len(TABLE))
    told = units(section)
    assert ["Situation | Drug"] not in told
    assert any("Situation | Drug" in one and "Recurrence | Nitazoxanide 500 mg" in one for one in told)


def test_what_begins_with_plus_is_never_cut_from_the_line_above_it() -> None:
    section = LaidOutSection(document(TABLE), "", 0, len(TABLE))
    rows = {section.line(place): place for place in range(len(section.lines))}
    kept = section.complete([rows["Recurrence | Nitazoxanide 500 mg"]])
    assert [section.line(place) for place in kept][-2:] == ["Recurrence | Nitazoxanide 500 mg", "PLUS | Fluids"]
    assert rows["Recurrence | Nitazoxanide 500 mg"] in section.complete([rows["PLUS | Fluids"]])


COMBINED = """\
Option A, two drugs:

- Ceftriaxone 1 g daily; or
- Cefotaxime 1 g thrice daily

PLUS one of:

- Azithromycin 500 mg daily; or
- Doxycycline 100 mg twice daily

Option B, one drug:

- Levofloxacin 750 mg daily
"""


@each_row("words", ["Ceftriaxone 1 g daily; or", "Cefotaxime 1 g thrice daily", "Azithromycin 500 mg daily; or"])
def test_a_list_is_never_cut_from_what_is_given_with_it(words: str) -> None:
    section = LaidOutSection(document(COMBINED), "", 0, len(COMBINED))
    lines = [section.line(place) for place in range(len(section.lines))]
    kept = [lines[place] for place in section.complete([lines.index(words)])]
    assert {"Option A, two drugs:", "PLUS one of:", "Azithromycin 500 mg daily; or", words} <= {*kept}
    assert "Option B, one drug:" not in kept


def test_short_neighbours_below_one_heading_are_one_section_and_long_ones_are_not() -> None:
    first, second = SIBLINGS.index("Short second"), SIBLINGS.index("A much")
    parts = [("Care › First", 0, first), ("Care › Second", first, second), ("Care › Third", second, len(SIBLINGS))]
    assert [one.path for one in find_sections(document(SIBLINGS, *parts))] == ["Care", "Care › Third"]
    others = [("Care › First", 0, first), ("Diet › Second", first, second)]
    assert [one.path for one in find_sections(document(SIBLINGS, *others))] == ["Care › First", "Diet › Second"]


@each_row("text", ["", " \n \n", "One line alone."])
def test_a_document_without_words_has_no_section_and_one_of_a_line_has_one(text: str) -> None:
    assert len(find_sections(document(text))) == bool(text.strip())


def test_a_step_has_everything_under_it() -> None:
    section = next(one for one in find_sections(document(STEPS)) if "Atropine" in one.text)
    step = next(one for one in units(section) if "Atropine 1 mg IV push" in one)
    assert "For symptomatic bradycardia:" in " ".join(step)


def test_prose_is_read_in_sentences_and_one_that_leans_on_another_hangs_on_it() -> None:
    text = "Warfarin is stopped five days before. It is restarted the next day. Aspirin goes on.\n"
    section = LaidOutSection(document(text), "", 0, len(text))
    assert units(section)[0] == ["Warfarin is stopped five days before.", "It is restarted the next day."]
    assert ["Aspirin goes on."] in units(section)


def test_a_line_of_a_joined_section_hangs_on_the_heading_that_says_for_whom_it_holds() -> None:
    text = "EF 41-49 %\n\n- Give A.\n\nEF 50 % and more\n\n- Give B.\n"
    first, second = text.index("- Give A"), text.index("- Give B")
    parts = [("Drugs › EF 41-49 %", first, first + 10), ("Drugs › EF 50 % and more", second, len(text))]
    (section,) = find_sections(document(text, *parts))
    assert section.path == "Drugs"
    assert section.text.startswith("EF 41-49 %")
    assert ["EF 41-49 %", "Give A."] in units(section)
    assert ["EF 50 % and more", "Give B."] in units(section)
