"""The signs of bounds of abstracts from before Unicode, wherever figures are compared."""

from tests.tables import each_row
from wellsourced.compare.results import read_direction
from wellsourced.compare.slots import Slot, find_disagreements, list_open_slots
from wellsourced.compare.terms import read_terms
from wellsourced.medicine.measurements import extract_age_ranges
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.pipeline.read.screening import has_all_numbers

AT_LEAST = (
    *(">/=", ">/ =", ">or=", "> or =", ">or equal to", "> or = to", ">=", "> =", "&gt;/=", "&gt;or=", "&ge;", "&#62;="),
    *(">\u2060/=", ">/\u200b=", "⩾", "≧", "≥"),
)
AT_MOST = tuple(
    sign.replace(">", "<").replace("&g", "&l").replace("62", "60").translate(str.maketrans("⩾≧≥", "⩽≦≤"))
    for sign in AT_LEAST
)


@each_row(("signs", "key"), [(AT_LEAST, "≥"), (AT_MOST, "≤")])
@each_row("blank", ["", " "])
def test_a_bound_is_read_in_every_spelling(signs: tuple[str, ...], key: str, blank: str) -> None:
    for sign in signs if blank else [one for one in signs if not one[-1].isalpha()]:
        text = f"cholesterol {sign}{blank}200 mg/dL"
        (quantity,) = extract_quantities(text)
        assert (quantity.comparator, quantity.bounded_words) == (key, f"{key}{blank}200 mg/dL"), sign
        term = next(one for one in read_terms(text) if one.kind == "comparator")
        assert (term.key, text[term.start : term.end]) == (key, sign)
        for same in (f"cholesterol {key} 200 mg/dL", text):
            assert find_disagreements(same, text) == find_disagreements(text, same) == []


@each_row(
    ("text", "comparators"),
    [
        ("5 > 3", ["", ">"]),
        ("LDL &lt;100 mg/dL and HDL &gt; 40 mg/dL", ["<", ">"]),
        ("less than or equal to 5 mg, greater than or equal to 2 mg", ["≤", "≥"]),
        ("P = 0.05", ["="]),
        ("yes or = 5", ["="]),
    ],
)
def test_other_signs_stay_as_they_are(text: str, comparators: list[str]) -> None:
    assert [one.comparator for one in extract_quantities(text)][: len(comparators)] == comparators


def test_ages_are_read_and_shown_as_they_are_printed() -> None:
    (ages,) = extract_age_ranges("Men aged>/= 65 years were seen.")
    assert (ages.low, ages.words) == (65.0, "aged>/= 65 years")
    (ages,) = extract_age_ranges("children aged < or = 5 years")
    assert ages.low <= 5.5 <= ages.high
    assert ages.words == "aged < or = 5 years"


def test_a_p_value_behind_an_old_sign_is_read() -> None:
    for text, direction in (("it fell (P < or = 0.05)", "down"), ("it fell (p>/=0.05)", "same")):
        assert read_direction(text) == direction


def test_nothing_is_asked_about_a_bound_in_another_spelling() -> None:
    for claim, source in (
        ("The men were aged 65 or older.", "The men were aged>/= 65 years."),
        ("Cholesterol was 200 mg/dL or more in 135 children.", "Cholesterol was >or=200 mg/dL in 135 children."),
        ("Infants had a birth weight ≤ 1,500 g.", "Infants had a birth weight <or = 1,500 grams."),
    ):
        assert list_open_slots(claim, [source], source) == ()


def test_a_bound_is_shown_as_it_is_printed() -> None:
    claim, source = "Infants had a birth weight ≤ 1,500 g.", "Infants had a birth weight >/= 1,500 g."
    (one,) = find_disagreements(claim, source)
    assert "≤ 1,500 g" in one.claim
    assert "≥ 1,500 g" in one.source
    assert "“> 70”" in Slot("figure", "contradicted", "< 70", "> 70").phrase


def test_a_cards_ages_are_those_of_the_passage_though_its_items_are_numbered() -> None:
    source = (
        "The aims were 1) to verify a difference in levels in young adults born preterm at extremely low birth weight "
        "(< 1000 g) and adults born at term and 2) to seek correlations. They were adults aged 17-29years."
    )
    assert has_all_numbers("adults of 17 to 29 years born at < 1000 g", source)
    assert not has_all_numbers("adults of 17 to 28 years born at < 1000 g", source)
    assert not has_all_numbers("12 of 30 improved", "Of 30 patients (overall 11) improved.")
