"""Which sections are shown and which lines are marked, and what can be said of them."""

from tests.answering.test_sections import document
from tests.tables import each_row
from wellsourced.answering.heads import choose_head, list_missing_figures, list_unmentioned
from wellsourced.answering.scoring import (
    FoundSection,
    ScoredSection,
    ScoredUnit,
    rate_expected,
    score_sections,
    weigh_words,
)
from wellsourced.answering.sections import find_sections, list_spans
from wellsourced.answering.selection import MAX_WORDS, ShownSection, choose_closest, choose_sections
from wellsourced.expected_questions.matching import ExpectedAnswer
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage, Question

GOUT = """\
# Acute flare

- Colchicine 1.2 mg at once, then 0.6 mg an hour later.
- Naproxen 500 mg twice a day.

Children
- Ibuprofen 10 mg/kg.
"""
LONG = "Rest and fluids help. " * 40 + "Colchicine 1.2 mg stops a gout flare. " + "Ice soothes the joint. " * 40
TABLE = "Doses\n\nDrug | Dose\nColchicine | 1.2 mg\nNaproxen | 500 mg\nPrednisone | 30 mg\n\n" + "Rest helps. " * 200


def score(question: str, *texts: str, expected: tuple[ExpectedAnswer, ...] = ()) -> list[ScoredSection]:
    """The sections of these documents, found in this order, by words alone."""
    found = []
    for place, text in enumerate(texts):
        for section in find_sections(document(text, title="Gout")):
            passage = Passage(
                reference=section.document.reference, text=section.text, start=section.start, end=section.end
            )
            found.append(FoundSection(section, passage, place))
    return score_sections([question], found, None, expected)


def marked(shown: list[ShownSection]) -> list[str]:
    """The words of the lines that are marked."""
    return [one.section.line(place) for one in shown for unit in one.marked for place in unit]


def choose(question: str, *texts: str) -> list[ShownSection]:
    return choose_sections(Question(text=question), score(question, *texts))


def test_the_line_with_the_questions_words_is_marked_in_its_whole_section() -> None:
    shown, _ = choose("Which dose of colchicine for an acute flare?", GOUT)
    assert not shown.is_shortened
    assert "Colchicine 1.2 mg at once, then 0.6 mg an hour later." in marked([shown])


def test_a_long_section_is_shortened_around_what_answers_and_stays_within_its_words() -> None:
    shown = choose("How is a gout flare stopped by colchicine?", LONG, GOUT)
    assert shown[0].is_shortened or shown[1].is_shortened
    assert any(
        "Colchicine 1.2 mg stops a gout flare." in one.section.line(place) for one in shown for place in one.lines
    )
    assert sum(len(one.section.line(place).split()) for one in shown for place in one.lines) <= MAX_WORDS


def test_of_a_short_table_all_rows_are_shown_or_none() -> None:
    (shown,) = choose("What dose of naproxen?", TABLE)
    lines = [shown.section.line(place) for place in shown.lines]
    assert {"Colchicine | 1.2 mg", "Naproxen | 500 mg", "Prednisone | 30 mg"} <= set(lines)
    assert shown.is_shortened


def test_spans_of_shown_lines_are_the_documents_own_words_with_their_marks() -> None:
    shown, _ = choose("Which dose of colchicine?", GOUT)
    text = shown.section.document.text
    spans = [text[span.start : span.end] for span in list_spans(shown.section, shown.lines)]
    assert "- Naproxen 500 mg twice a day." in spans


@each_row(
    ("who", "dose"),
    [
        ("in a 5-year-old child", "1.2 mg"),
        ("in a baby of 3 months", "2 g"),
        ("for my son (4)", "2 tablets"),
        ("in a boy of 7", "20 mmol"),
    ],
)
def test_no_dose_is_marked_for_a_child_where_the_section_speaks_of_none(who: str, dose: str) -> None:
    adults = f"Flares of gout\n\nColchicine {dose} at once for a gout flare.\n"
    assert not marked(choose(f"What dose of colchicine for a gout flare {who}?", adults))
    assert marked(choose("What dose of colchicine for a gout flare?", adults))
    # Beside a section on children none is shown either.
    shown = choose(
        f"What dose of colchicine for a gout flare {who}?",
        adults,
        "Children\n\nNot for children or babies in a flare.\n",
    )
    assert [one.section.text.split("\n")[0] for one in shown] == ["Children"]


def test_a_line_that_was_expected_to_answer_comes_first() -> None:
    text = "Flares\n\nColchicine is given for flares.\n\nNaproxen is given twice a day.\n"
    start = text.index("Naproxen")
    known = ExpectedAnswer(
        question="How often?",
        library="own",
        document_id="file:x",
        start=start,
        end=start + 20,
        agreement=0.9,
        near_miss=0.0,
    )
    (plain,) = score("colchicine flares", text)
    (told,) = score("colchicine flares", text, expected=(known,))
    assert "Naproxen" not in plain.section.line(plain.units[0].unit.own)
    assert "Naproxen" in told.section.line(told.units[0].unit.own)
    assert told.score > plain.score
    assert rate_expected((known,), told.section, 0, 5) == 0.0


@each_row(
    ("question", "head", "absent"),
    [
        ("Which dose of colchicine for an acute flare?", "in your sources", ()),
        ("Which dose of febuxostat for an acute flare?", "closest", ("febuxostat",)),
        ("Colchicine overdose: which dose of charcoal?", "closest", ("overdose",)),
        ("Who won the football world cup in Brazil?", "nothing", ()),
    ],
)
def test_what_is_named_has_to_be_mentioned_and_what_is_shown_near(
    question: str, head: str, absent: tuple[str, ...]
) -> None:
    scored = score(question, GOUT)
    shown = choose_sections(Question(text=question), scored)
    given, missing = choose_head(Question(text=question), scored, shown, has_vectors=False)
    assert (given, tuple(one.name for one in missing)) == (head, absent)


def test_a_near_miss_that_was_expected_is_no_answer() -> None:
    question = Question(text="Which dose of colchicine for an acute flare?")
    scored = score(question.text, GOUT)
    shown = choose_sections(question, scored)
    assert choose_head(question, scored, shown, 0.8, has_vectors=False) == ("closest", ())


def test_words_weigh_as_a_share_of_the_most_that_they_could() -> None:
    asked = [content_stems("colchicine flare")]
    assert weigh_words(asked, "nothing of it", 25) == 0.0
    assert 0 < weigh_words(asked, "colchicine", 25) < weigh_words(asked, "colchicine for a flare", 25) <= 1


def test_without_sections_nothing_is_shown() -> None:
    assert choose_sections(Question(text="What?"), []) == []


AGENT = """\
Tirzepatide

The starting dose of tirzepatide is 2.5 mg a week. Tirzepatide is given under the skin.

Precautions

Nausea is usual at first.
Tirzepatide is contraindicated in thyroid cancer.
Pancreatitis is rare.
"""


def test_what_speaks_against_a_drug_stands_and_is_marked_first() -> None:
    asked = "Which starting dose of tirzepatide?"
    scored = score(asked, AGENT)
    section = next(one for one in find_sections(scored[0].section.document) if "contraindicated" in one.text)
    unit = section.find_unit(section.document.text.index("Tirzepatide is contraindicated"))
    assert unit is not None
    shown = choose_sections(Question(text=asked), scored, cautions=[ScoredUnit(section, unit, 0.0)])
    assert marked(shown)[0] == "Tirzepatide is contraindicated in thyroid cancer."
    assert any("2.5 mg" in line for line in marked(shown))


def test_a_list_is_marked_whole_while_words_are_left() -> None:
    items = "\n".join(
        f"- {name} is a drug of the fourth step" for name in ("Ramipril", "Bisoprolol", "Eplerenone", "SGLT2")
    )
    (shown,) = choose("Is eplerenone a drug of the fourth step?", f"The four pillars:\n{items}\n\nRest helps.")
    assert sum("fourth step" in line for line in marked([shown])) == 4


@each_row(
    ("question", "text", "is_shown"),
    [
        ("Dose of febuxostat in gout?", "Colchicine 1.2 mg in gout.", True),
        ("Dose of febuxostat in gout in a child?", "Colchicine 1.2 mg in gout.", False),
        ("Dose of febuxostat in a child?", "Children: colchicine 10 mg.", False),
        ("Colchicine overdose in gout: which antidote?", "Colchicine 1.2 mg in gout.", False),
        ("Febuxostat in a child?", "Children: rest and fluids.", True),
    ],
)
def test_beside_what_does_not_answer_no_dose_of_something_else_or_for_somebody_else_is_shown(
    question: str, text: str, is_shown: bool
) -> None:
    (section,) = find_sections(document(f"{text}\n", title="Handbook"))
    shown = ShownSection(section, tuple(range(len(section.lines))), ((0,),))
    assert [one.marked for one in choose_closest(Question(text=question), [shown])] == [()] * is_shown
    assert choose_closest(Question(text=question), []) == []


def test_a_section_of_another_document_without_what_is_named_is_left_out() -> None:
    asked, answering = "How much colchicine in an acute flare?", "Acute flare\n\nColchicine 1.2 mg in an acute flare.\n"
    for other, number in (("Ice in an acute flare.", 1), ("Colchicine prevents the next acute flare.", 2)):
        scored = score(asked, answering, f"Beside\n\n{other}\n")
        shown = choose_sections(
            Question(text=asked), [one._replace(units=one.units[: one is scored[0]]) for one in scored]
        )
        assert len(shown) == number, other


def test_a_figure_that_is_asked_for_and_not_shown_is_named() -> None:
    asked = Question(text="Which dose of colchicine in a flare, and for how long?")
    assert list_missing_figures(asked, choose(asked.text, "Flare\n\nColchicine 1.2 mg in a flare.\n")) == [
        "the duration"
    ]
    assert list_missing_figures(asked, choose(asked.text, "Flare\n\nColchicine 1.2 mg for 3 days.\n")) == []
    assert list_missing_figures(Question(text="Colchicine in a flare?"), []) == []


def test_a_table_of_many_rows_is_chosen_from() -> None:
    rows = "\n".join(f"Drug {number} | {number} mg" for number in range(1_000))
    (shown,) = choose("What dose of drug 500?", f"Drug | Dose\n{rows}\n")
    assert any("Drug 500 |" in line for line in marked([shown]))
    assert shown.is_shortened


FAILURE = """\
Heart failure is treated by its ejection fraction.

Mildly reduced, LVEF 41-49%

- SGLT2 inhibitors are reasonable in heart failure.

Reduced, LVEF 40% or less

- SGLT2 inhibitors are recommended in heart failure.
"""


@each_row(
    ("question", "lines"),
    [
        ("SGLT2 inhibitors in heart failure with an EF of 30%?", ["recommended"]),
        ("SGLT2 inhibitors in heart failure with an EF of 45%?", ["reasonable"]),
        ("SGLT2 inhibitors in heart failure?", ["reasonable", "recommended"]),
        ("SGLT2 inhibitors in heart failure with reduced ejection fraction?", ["recommended"]),
        ("SGLT2 inhibitors in HFmrEF?", ["reasonable"]),
    ],
)
def test_nothing_is_marked_under_a_heading_for_other_values_than_are_given(question: str, lines: list[str]) -> None:
    said = " ".join(marked(choose(question, FAILURE)))
    assert [one for one in ("reasonable", "recommended") if one in said] == lines


BY_AGE = f"""\
Doses of statins hang on age.

Rosuvastatin after a heart attack, age over 75

Rosuvastatin 10 mg after a heart attack. {"Rest helps. " * 80}

Rosuvastatin after a heart attack, age up to 75

Rosuvastatin 20 mg after a heart attack. {"Rest helps. " * 80}
"""


@each_row(
    ("question", "doses"),
    [
        ("61-year-old, heart attack: which dose of rosuvastatin?", ["20 mg"]),
        ("82-year-old, heart attack: which dose of rosuvastatin?", ["10 mg"]),
        ("Which dose of rosuvastatin after a heart attack?", ["10 mg", "20 mg"]),
    ],
)
def test_a_section_for_other_ages_than_the_one_given_is_not_shown(question: str, doses: list[str]) -> None:
    shown = choose(question, BY_AGE)
    said = " ".join(one.section.line(place) for one in shown for place in one.lines)
    assert [dose for dose in ("10 mg", "20 mg") if dose in said] == doses


STEPS = """\
Flare confirmed
→ Can tablets be taken?
  → YES
    → Are kidneys well?
      → NO --> Prednisone 30 mg
      → YES --> Naproxen 500 mg
  → NO --> Triamcinolone into the joint
"""


def test_of_steps_all_branches_are_shown_or_none() -> None:
    asked = "Which dose of naproxen?"
    (scored,) = score(asked, f"{STEPS}\n{'Rest helps. ' * 100}")
    (shown,) = choose_sections(Question(text=asked), [scored], 60)
    lines = {shown.section.line(place) for place in shown.lines}
    assert {line.strip(" →") for line in STEPS.splitlines()} <= lines
    assert shown.is_shortened
    assert shown.words <= 60


def test_a_section_alone_has_all_words() -> None:
    (shown,) = choose("Does rest help?", "Rest helps. " * (MAX_WORDS // 2 - 1))
    assert not shown.is_shortened


def test_what_is_told_beside_the_question_and_stands_in_no_section_is_named() -> None:
    asked = Question(
        text="He takes Lipitor and has a gout flare with pneumonia, no diabetes. Which dose of colchicine?"
    )
    assert list_unmentioned(asked, choose(asked.text, GOUT)) == ["Lipitor", "pneumonia"]
    assert list_unmentioned(asked, choose(asked.text, f"{GOUT}\nStatins\n\nAtorvastatin and pneumonia.")) == []
