"""The signs of a prescription are put into plain words, and what is none is left alone."""

from tests.tables import each_row
from wellsourced.orders.terms import find_order_sentences, find_prescribing_signs, find_unknown_words
from wellsourced.text.tables import read_rows


def meanings(order: str) -> dict[str, str]:
    return {one.sign: one.meaning for one in find_prescribing_signs(order)}


@each_row(
    ("order", "told"),
    [
        ("lisinopril 10 mg PO daily", {"10 mg": "10 milligrams each time", "PO": "by mouth", "daily": "every day"}),
        ("apixaban 5 mg p.o. BID.", {"5 mg": "5 milligrams each time", "p.o.": "by mouth", "BID": "twice a day"}),
        ("albuterol 1-2 puffs q4-6h PRN", {"1-2 puffs": "1 to 2 puffs each time", "q4-6h": "every 4 to 6 hours",
                                           "PRN": "only when it is needed"}),
        ("enoxaparin 1 mg/kg SC q12h", {"1 mg/kg": "1 milligram for each kilogram of body weight, each time",
                                        "SC": "injected under the skin", "q12h": "every 12 hours"}),
        ("methotrexate 15 mg once weekly", {"15 mg": "15 milligrams each time", "once weekly": "once a week"}),
        ("NPO, troponin stat", {"NPO": "nothing to eat or drink", "stat": "right away"}),
        ("amoxicillin 500 mg tds 7/7", {"500 mg": "500 milligrams each time", "tds": "three times a day",
                                        "7/7": "for 7 days"}),
        ("ramipril 5 mg od, paracetamol 1 g qds prn", {"5 mg": "5 milligrams each time", "od": "once a day",
                                                       "1 g": "1 gram each time", "qds": "four times a day",
                                                       "prn": "only when it is needed"}),
        ("bisoprolol 2.5 mg mane", {"2.5 mg": "2.5 milligrams each time", "mane": "in the morning"}),
    ],
)  # fmt: skip
def test_signs_and_doses_are_told_in_plain_words(order: str, told: dict[str, str]) -> None:
    assert meanings(order) == told


@each_row(
    "order",
    [
        "NYHA class IV heart failure",
        "Go to the ER if it gets worse",
        "HS of the armpits, SC joint pain",
        "PR interval 200 ms",
        "glucose > 180 mg/dL",
        "paracetamol, at most 4 g a day",
        "2 g sodium diet",
        "Please come back in two weeks.",
    ],
)
def test_what_only_looks_like_a_sign_is_none(order: str) -> None:
    assert meanings(order) == {}


def test_a_daily_amount_in_parts_is_not_told_as_a_dose() -> None:
    assert "1000 mg" not in meanings("mesalamine 1000 mg daily in two divided doses")


def test_a_sign_that_stands_twice_is_told_once_where_it_stands_first() -> None:
    (first,) = find_prescribing_signs("BMP daily, weight daily")
    assert (first.start, first.end) == (4, 9)


def test_every_row_says_what_it_tells_and_whose_list_has_it() -> None:
    rows = read_rows("wellsourced.orders", "order_abbreviations.tsv")
    assert {len(row) for row in rows} == {5}
    assert {row[3] for row in rows} <= {"when", "how", "food", "duration", "other"}
    (bd, *_) = find_prescribing_signs("bd")
    assert bd.source.startswith("NHS")


ORDER = (
    "NPO after midnight. CT abdomen tomorrow.\nMetformin 500 mg PO BID; hold on the day of the scan. "
    "Amoxicillin 500 mg tds 7/7.\nParacetamol 1 g qds prn."
)


@each_row(
    ("asked", "own"),
    [
        ("Can I eat before the test?", ["NPO after midnight."]),
        ("How often do I take amoxicillin?", ["Amoxicillin 500 mg tds 7/7."]),
        ("How long do I take the antibiotic?", ["Amoxicillin 500 mg tds 7/7."]),
        ("How much paracetamol?", ["Paracetamol 1 g qds prn."]),
        ("How do I take the paracetamol?", ["Paracetamol 1 g qds prn."]),
        ("What about the scan?", ["Metformin 500 mg PO BID; hold on the day of the scan."]),
        ("Is it safe to fly?", []),
    ],
)
def test_the_orders_own_sentences_are_found_for_what_is_asked(asked: str, own: list[str]) -> None:
    found = find_order_sentences(ORDER, asked)
    assert [one.text for one in found] == own
    assert all(ORDER[one.start : one.end] == one.text for one in found)


def test_words_that_nobody_explained_are_listed() -> None:
    assert find_unknown_words("Check FBC and zymolin. Ramipril 5 mg od.", ["Ramipril"]) == ("FBC", "zymolin")
