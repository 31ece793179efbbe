"""A model's copy of a source's words: what it may change at its ends and leave out, and what it may never change."""

import re
import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.citations.quote_alignment import align_quote, locate_quote

TRIAL = (
    "BACKGROUND: Gout is painful. Colchicine 0.5 mg twice daily significantly reduced the number of flares "
    "(1.2 vs 2.9; p = 0.01) in adults with chronic gout, but not in women. Mortality was 5% in the placebo group and "
    "3% in the colchicine group. There was no increase in serious infections. Serum pH was unchanged in patients who "
    "had received the hepatitis A vaccine. Crohn disease was an exclusion criterion."
)


def found(quote: str, text: str = TRIAL) -> list[str]:
    return [text[start:end] for start, end, _ in align_quote(quote, text)]


@each_row(
    ("quote", "places"),
    [
        ("Gout is painful.", ["Gout is painful."]),
        ("gout is painful", ["Gout is painful"]),
        ("There was no increase.", ["There was no increase"]),
        ("There was no increase in serious infections,", ["There was no increase in serious infections"]),
        ("Significantly reduced the number", ["significantly reduced the number"]),
        ("there was no increase in serious infections", ["There was no increase in serious infections"]),
        ("“Gout is painful.”", ["Gout is painful."]),
        ('"Gout is painful".', ["Gout is painful."]),
        ("… significantly reduced the number of flares …", ["significantly reduced the number of flares"]),
        ("[...] in adults with chronic gout", ["in adults with chronic gout"]),
        (
            "Colchicine 0.5 mg twice daily significantly reduced the number of flares … in adults with chronic gout.",
            [
                "Colchicine 0.5 mg twice daily significantly reduced the number of flares",
                "in adults with chronic gout",
            ],
        ),
        (
            "Colchicine 0.5 mg twice daily ... reduced the number of flares [...] adults with chronic gout",
            ["Colchicine 0.5 mg twice daily", "reduced the number of flares", "adults with chronic gout"],
        ),
        ("Gout is painful. (…) There was no increase", ["Gout is painful.", "There was no increase"]),
    ],
)
def test_a_copy_may_differ_at_its_ends_and_leave_out_what_turns_nothing_round(quote: str, places: list[str]) -> None:
    assert found(quote) == places


@each_row(
    "quote",
    [
        "Colchicine 0.5 mg twice daily significantly increased the number of flares",
        "Colchicine 5 mg twice daily",
        "Mortality was 5% … in the colchicine group",
        "in adults with chronic gout … in women",
        "in adults with chronic gout … not in women",
        "in the colchicine group … significantly reduced the number",
        "There was … serious infections",
        "reduced the number … of flares",
        "There was an increase in serious infections",
        "Serum PH was unchanged",
        "a vaccine",
        "received the hepatitis a vaccine",
        "Mg twice daily significantly",
        "0.5 Mg twice daily",
        "…",
        "",
        " … ".join(["patients who had"] * 50),
    ],
)
def test_a_copy_that_changes_a_word_a_number_or_the_sense_stands_nowhere(quote: str) -> None:
    assert align_quote(quote, TRIAL) == ()


@each_row(
    ("quote", "text"),
    [
        ("the dose was 2.", "the dose was 2.5 mg"),
        (".5 mg daily", "a dose of 2.5 mg daily"),
        ("-5 mmHg", "a range of 2-5 mmHg"),
        ("a dose of 5 mg", "a dose of 5 mg/kg"),
        ("a dose of 5 mg.", "a dose of 5 mg / kg"),
        ("the result was non-", "the result was non-significant"),
    ],
)
def test_no_quote_ends_in_the_middle_of_a_number_or_a_unit(quote: str, text: str) -> None:
    assert align_quote(quote, text) == ()
    assert locate_quote(quote, text) is None


def test_a_capital_in_mid_sentence_is_a_name_and_stays_one() -> None:
    assert found("vitamin … a deficiency in adults", "the vitamin A deficiency in adults") == []
    assert found("polish patients were included", "In all, Polish patients were included") == []
    assert found("Polish patients were included", "In all, Polish patients were included") != []


LISTED = (
    "## Follow-up\n\n- Repeat the **same instrument** after a month.\n- Monitor adherence and side effects.\n"
    "- Ferritin rose, but not in women.\n1. Inform the **obstetric** team\n"
)


@each_row(
    ("quote", "places"),
    [
        ("Repeat the same instrument after a month.", ["Repeat the **same instrument** after a month."]),
        (
            "Repeat the same instrument after a month. Monitor adherence and side effects.",
            ["Repeat the **same instrument** after a month.\n- Monitor adherence and side effects."],
        ),
        (
            "Monitor adherence and side effects. … Repeat the same instrument after a month.",
            ["Repeat the **same instrument** after a month.", "Monitor adherence and side effects."],
        ),
        (
            "Monitor adherence and side effects. Repeat the same instrument after a month.",
            ["Repeat the **same instrument** after a month.", "Monitor adherence and side effects."],
        ),
        (
            "Inform the obstetric team … Monitor adherence and side effects.",
            ["Monitor adherence and side effects.", "Inform the **obstetric** team"],
        ),
        ("Repeat another instrument after a month. Monitor adherence and side effects.", []),
        ("but not in women … Monitor adherence and side effects.", []),
        ("Monitor adherence and side effects. Monitor adherence and side effects.", []),
    ],
)
def test_a_copy_may_lack_marks_of_markdown_and_put_whole_sentences_in_another_order(
    quote: str, places: list[str]
) -> None:
    assert found(quote, LISTED) == places


WORDS = st.sampled_from(
    ["aspirin", "warfarin", "reduced", "mortality", "stroke", "in", "adults", "with", "diabetes", "placebo", "after"]
)
ALTERATIONS = {
    "reduced": "increased",
    "mortality": "morbidity",
    "stroke": "strokes",
    "adults": "children",
    "with": "without",
    "after": "before",
    "placebo": "control",
    "aspirin": "warfarin",
}


@given(st.lists(WORDS, min_size=4, max_size=14), st.integers(0, 13), st.sampled_from(["", ".", ",", " …", "… "]))
def test_no_copy_with_another_word_is_aligned(words: list[str], at: int, end: str) -> None:
    place = at % len(words)
    if words[place] not in ALTERATIONS:
        return
    altered = [*words[:place], ALTERATIONS[words[place]], *words[place + 1 :]]
    text = f"In this trial {' '.join(words)} was seen."
    copy = " ".join(altered) + end
    assert align_quote(copy, text) == () or copy.rstrip(" .,…") in text


@given(st.lists(WORDS, min_size=6, max_size=12), st.integers(1, 11), st.sampled_from(["not", "no", "never", "without"]))
def test_no_copy_that_loses_or_gains_a_negation_is_aligned(words: list[str], at: int, negation: str) -> None:
    place = at % (len(words) - 1) + 1
    negated = " ".join([*words[:place], negation, *words[place:]])
    plain = " ".join(words)
    assert align_quote(plain, f"We found that {negated}.") == ()
    assert align_quote(negated, f"We found that {plain}.") == ()
    parted = f"{' '.join(words[:place])} … {' '.join(words[place:])}"
    assert align_quote(parted, f"We found that {negated}.") == ()


@given(st.decimals(0, 500, places=1), st.decimals(0, 500, places=1), st.sampled_from(["mg", "%", "mmHg", "mg/kg"]))
def test_no_copy_with_another_number_is_aligned(one: object, other: object, unit: str) -> None:
    text = f"Systolic pressure fell by {one} {unit} in the treated group."
    copy = f"pressure fell by {other} {unit} in the treated group."
    assert bool(align_quote(copy, text)) == (str(one) == str(other))


@given(st.lists(WORDS, min_size=7, max_size=20), st.data())
def test_fragments_stand_in_order_without_overlap_and_hold_the_words_of_the_copy(
    words: list[str], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(3, len(words) - 4))
    skip = data.draw(st.integers(cut, len(words) - 3))
    copy = f"{' '.join(words[:cut])} … {' '.join(words[skip:])}"
    text = " ".join(words)
    places = align_quote(copy, text)
    assert all(one.end <= other.start for one, other in pairwise(places))
    if places:
        said = [text[place.start : place.end] for place in places]
        assert re.split(" … ", copy) == said


@each_row("quote", ["a b c … " * 6 + "x y z", "(" * 50_000 + "…", "… " * 50_000, '"' * 50_000, ". . . " * 20_000])
def test_hostile_copies_do_not_hang(quote: str) -> None:
    started = time.process_time()
    align_quote(quote, "a b c ( " * 12_500)
    assert time.process_time() - started < 4


@each_row(
    ("quote", "text", "same"),
    [
        ("Platelets were 150 × 10⁹/L.", "Platelets were 150 × 10^9/L.", True),
        ("It was 10⁻⁹ mol/L in all.", "It was 10^−9 mol/L in all.", True),
        ("It was 31 kg/m^2 on arrival.", "It was 31 kg/m² on arrival.", True),
        ("Vitamin D₃ and CO₂ rose.", "Vitamin D3 and CO2 rose.", True),
        ("Platelets were 150 × 10⁹/L.", "Platelets were 150 × 109/L.", False),
        ("It was 10⁸/L in all of them.", "It was 10^9/L in all of them.", False),
    ],
)
def test_a_raised_digit_is_the_same_in_every_notation_and_never_an_ordinary_one(
    quote: str, text: str, same: bool
) -> None:
    assert bool(found(quote, text)) == same
