import time

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.text.sentences import has_back_reference, is_prose, split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@each_row(
    "text",
    [
        "Cultures of E. coli and S. aureus were grown at 37 °C.",
        "Several drugs, e.g. aspirin, i.e. salicylates, were compared vs. placebo.",
        "Dr. Smith et al. (see Fig. 2) treated approx. 5 patients with no. 12 sutures.",
        "The U.S. Department of Health and the firm Pfizer Inc. announced it.",
        "Staphylococcus spp. were found in 12 of 30 samples.",
        "The mean was 0.12 +/- 0.03 (p<0.05), or .04 by another method.",
        'A tight band was felt, "...tight as a drum", as one survivor put it.',
        "J. R. Smith and A. B. Jones wrote the report.",
        "Values rose ... and then fell.",
        "The MOVE! programme was well attended.",
    ],
)
def test_what_looks_like_a_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert split(text) == [text]


@each_row(
    ("text", "expected"),
    [
        ("The dose was 5 mg/kg. The rest is known.", ["The dose was 5 mg/kg.", "The rest is known."]),
        ("It fell [12]. Then it rose.[3,4] Later", ["It fell [12].", "Then it rose.[3,4]", "Later"]),
        ("He asked (in vain). She left.", ["He asked (in vain).", "She left."]),
        ("“It hurts.” The child wept.", ["“It hurts.”", "The child wept."]),
        ("Was it safe? Yes! It was.", ["Was it safe?", "Yes!", "It was."]),
        ("He lives in the U.S. The rest do not.", ["He lives in the U.S.", "The rest do not."]),
        ("The answer is no. We went on.", ["The answer is no.", "We went on."]),
        ("Rats had mellitus.The changes were seen.", ["Rats had mellitus.", "The changes were seen."]),
        ("It improved outcome.12 The end was near.", ["It improved outcome.12", "The end was near."]),
        ("Cells grew. mTOR was blocked.", ["Cells grew.", "mTOR was blocked."]),
        ("P was .04. RESULTS: It worked.", ["P was .04.", "RESULTS: It worked."]),
    ],
)
def test_sentences_end_where_a_reader_stops(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_flattened_list_falls_into_its_items_and_its_lead_in() -> None:
    text = "Signs include the following: - Weakness. - Fever or night sweats. - Easy bruising. Ask your doctor."
    assert split(text) == [
        "Signs include the following:",
        "Weakness.",
        "Fever or night sweats.",
        "Easy bruising.",
        "Ask your doctor.",
    ]


def test_a_dash_between_words_opens_no_list() -> None:
    text = "It has risen in recent years - a phenomenon known as MIC creep."
    assert split(text) == [text]


def test_lines_of_lists_headings_and_tables_stand_alone() -> None:
    items = "- Start with 5 mg daily.\n- Stop if\n  it harms.\n1. Measure."
    text = f"Dosing\n{items}\nDrug | Dose | e. g. | No. 5\nA | B. C | D"
    assert split(text) == [
        "Dosing",
        "Start with 5 mg daily.",
        "Stop if\n  it harms.",
        "Measure.",
        "Drug | Dose | e. g. | No. 5",
        "A | B. C | D",
    ]


def test_a_line_that_goes_on_in_lower_case_goes_on() -> None:
    text = "Aspirin was given\nto all patients, e.g.\nthose with stroke.\n\nIt helped"
    assert split(text) == ["Aspirin was given\nto all patients, e.g.\nthose with stroke.", "It helped"]


def test_a_paragraph_wrapped_to_one_width_goes_on_before_a_capital() -> None:
    text = (
        "The patients of the second group were given a single dose of\n"
        "Metformin in the evening, and those of the third were seen by\n"
        "Doctor Miller, who knew nothing of it. Nobody was harmed by it."
    )
    assert [sentence.split()[0] for sentence in split(text)] == ["The", "Nobody"]


@given(st.text(), st.integers(0, 20), st.integers(0, 40))
def test_spans_are_trimmed_ordered_and_within_the_part_asked_for(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    at = start
    for span in split_sentences(text, start, end):
        assert at <= span.start < span.end <= end
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end


@given(st.text(alphabet="ab AB.!?-:\n|•1#", max_size=80))
def test_only_white_space_and_marks_of_lists_stand_between_sentences(text: str) -> None:
    left = list(text)
    for start, end in split_sentences(text):
        left[start:end] = " " * (end - start)
    assert not set("".join(left)) - set(" \n-•#ab1.")
    assert "aa" not in "".join(left)


@each_row(
    "hostile",
    ["." * 100_000, "a" * 100_000, "\n" * 100_000, " - A" * 25_000, "A. " * 33_000, "a.\n" * 33_000, ".)" * 50_000],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    started = time.process_time()
    split_sentences(hostile)
    assert time.process_time() - started < 5


@each_row(
    "sentence",
    [
        "Allopurinol is recommended as the preferred first-line agent for all patients.",
        "Aspirin reduced mortality by 23% (p<0.05).",
        "Beta-blockers reduce mortality in heart failure.",
        "Do not stop low-dose aspirin solely because of gout.",
        "Thiazide diuretics increase serum urate by reducing renal urate excretion.",
        "CONCLUSIONS: Lactin-V after treatment for cystitis is associated with a reduction in recurrent UTI.",
        "Anesthesia is not needed.",
    ],
)
def test_a_whole_sentence_is_prose(sentence: str) -> None:
    assert is_prose(sentence)


@each_row(
    "fragment",
    [
        "Key Points",
        "Two-Step Algorithm",
        "FIB-4 Result | Age < 65 | Age ≥ 65 | Action",
        "Smith J, Doe A. N Engl J Med 2010;363:1–9.",
        "The following tests and procedures may be used:",
        "What are the signs and symptoms of Charlie M syndrome?",
        "IV bolus: 80 units/kg, then continuous infusion at 18 units/kg/hour.",
        "To determine current practice and to assess the value of follow-up.",
        "Pap test: A procedure to collect cells from the surface of the cervix and vagina.",
        "Fever or night sweats.",
        "https://www.ncbi.nlm.nih.gov/books is the address of the books.",
        "and those who were treated had a better outcome.",
        "The administration of Bacillus Calmette-Guérin has become",
        "Increased risk of stroke in women.",
    ],
)
def test_a_heading_row_lead_in_question_or_fragment_is_not_prose(fragment: str) -> None:
    assert not is_prose(fragment)


@each_row(
    "sentence",
    [
        "These drugs block the enzyme.",
        "They should be avoided.",
        "It was well tolerated.",
        "However, few studies have looked at women.",
        "In contrast, aspirin did not.",
        "The latter was better tolerated.",
        "CONCLUSION: This suggests an effect.",
        "Most of these resolve.",
        "For example, a child may fall.",
    ],
)
def test_an_opening_that_leans_on_the_sentence_before_is_noticed(sentence: str) -> None:
    assert has_back_reference(sentence)


@each_row(
    "sentence",
    [
        "Aspirin is safe.",
        "It is recommended that adults be screened.",
        "No significant difference was found.",
        "Both metformin and insulin lower glucose.",
        "In conclusion, aspirin is safe.",
        "Thisbe is a name.",
        "If you have diabetes, eat well.",
    ],
)
def test_an_opening_that_stands_alone_is_left_alone(sentence: str) -> None:
    assert not has_back_reference(sentence)
