"""Several units of a section as one statement, and where their words stand."""

from wellsourced.text.passages import branch_below, list_chapters, list_subsections
from wellsourced.text.quotable_spans import find_quotable_spans, has_same_words, join_units, merge_spans
from wellsourced.text.sentences import Span
from wellsourced.types import Passage, Reference, Section

SECTION = """Beta-Blockers

One of the three beta-blockers with proven benefit should be used. Start at the lowest dose.

Drug | Starting Dose | Target Dose
Carvedilol | 3.125 mg | 25 mg
Bisoprolol | 1.25 mg | 10 mg

- Do NOT withdraw them abruptly in any patient.
- Hold them if the heart rate falls below 50 bpm.
"""


def passage(text: str = SECTION) -> Passage:
    reference = Reference(id="g", title="Heart Failure", kind="guideline")
    return Passage(reference=reference, text=text, start=0, end=len(text), section="Drugs › Beta-Blockers")


def test_units_of_one_section_are_one_statement_under_its_heading_once() -> None:
    page = passage()
    units = find_quotable_spans(page)
    joined = join_units(page.text, units)
    assert joined.text == (
        "Beta-Blockers: One of the three beta-blockers with proven benefit should be used. Start at the lowest dose. "
        "Carvedilol: Starting Dose: 3.125 mg; Target Dose: 25 mg. Bisoprolol: Starting Dose: 1.25 mg; Target Dose: "
        "10 mg. Do NOT withdraw them abruptly in any patient; Hold them if the heart rate falls below 50 bpm."
    )
    assert has_same_words(joined.text, " … ".join(joined.quotes(page.text)))


def test_a_sentence_that_two_units_share_is_said_once() -> None:
    page = passage("Heart rate above 110 was the threshold in the trial. This threshold was lowered to 80 later.")
    units = find_quotable_spans(page)
    assert len(units) == 2
    assert join_units(page.text, units).text == page.text


def test_spans_that_touch_are_one() -> None:
    assert merge_spans([Span(9, 12), Span(0, 4), Span(4, 8)]) == [Span(0, 12)]
    assert merge_spans([Span(0, 4), Span(9, 12)]) == [Span(0, 4), Span(9, 12)]


def test_paths_of_sections() -> None:
    sections = [Section(title=title, start=0, end=1) for title in ("A", "A › B", "A › B › C", "AB › C")]
    assert [one.title for one in list_subsections("A", sections)] == ["A › B", "A › B › C"]
    assert list_chapters("A › B › C") == ["A › B › C", "A › B", "A"]
    assert branch_below("A › B › C", "A") == "A › B"
    assert branch_below("A", "A") == ""
