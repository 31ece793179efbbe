"""When something happened to a patient, and when that counts."""

from datetime import date

import pytest

from tests.recommend.test_patient_warnings import warn
from tests.tables import each_row
from wellsourced.recommend.event_times import find_days_ago, find_window
from wellsourced.recommend.patient_record import read_patient_record

TODAY = date(2026, 6, 1)


@each_row(
    ("record", "event", "days"),
    [
        ("NSTEMI 5 months ago, gout", "NSTEMI", 152),
        ("stroke (3 weeks ago)", "stroke", 21),
        ("two years ago MI, gout", "MI", 730),
        ("5 months after an NSTEMI, well", "NSTEMI", 152),
        ("MI last year", "MI", 365),
        ("DVT yesterday", "DVT", 0),
        ("stroke in 2012", "stroke", 4900),
        ("had an MI. Gout 3 years ago", "MI", None),
        ("asthma, MI 4 years ago", "asthma", None),
        ("fusion in 2022 with chronic pain: oxycodone 20 mg", "oxycodone", None),
    ],
)
def test_an_event_is_dated_by_the_words_of_its_own_clause(record: str, event: str, days: float | None) -> None:
    start = record.index(event)
    found = find_days_ago(record, start, start + len(event), TODAY)
    assert found == (days if days is None else pytest.approx(days, rel=0.02, abs=0.5))


@each_row(
    ("text", "event", "days", "counts"),
    [
        ("MI or stroke in the past year", "MI", 152, True),
        ("MI or stroke in the past year", "MI", 730, False),
        ("Ischemic stroke within 3 months", "stroke", 60, True),
        ("Ischemic stroke within 3 months", "stroke", 120, False),
        ("Ischemic stroke > 3 months prior", "stroke", 60, False),
        ("myocardial infarction in the preceding 12 months", "infarction", 365.25, True),
        ("recent MI", "MI", 900, False),
        ("recent MI", "MI", None, True),
    ],
)
def test_an_event_counts_within_the_time_that_the_guideline_gives(
    text: str, event: str, days: float | None, counts: bool
) -> None:
    start = text.index(event)
    window = find_window(text, start, start + len(event))
    assert window is not None
    assert window.holds(days) is counts


@each_row(
    ("text", "record", "asked", "warned"),
    [
        ("Avoid romosozumab with MI or stroke in the past year.", "NSTEMI 5 months ago.", "romosozumab?", True),
        ("Avoid romosozumab with MI or stroke in the past year.", "NSTEMI 4 years ago.", "romosozumab?", False),
        ("Women at high risk of cardiovascular disease should not be given romosozumab.", "MI 2 years ago.",
         "romosozumab?", True),
        ("Alteplase is contraindicated after major surgery within 14 days.", "Hip replacement 9 days ago.",
         "alteplase?", True),
        ("Alteplase is contraindicated after major surgery within 14 days.", "Hip replacement 9 weeks ago.",
         "alteplase?", False),
        ("Avoid fluoroquinolones if exposed to a fluoroquinolone in the past 12 months.", "Ciprofloxacin 3 months ago.",
         "levofloxacin?", True),
        ("Avoid fluoroquinolones if exposed to a fluoroquinolone in the past 12 months.", "Ciprofloxacin 3 years ago.",
         "levofloxacin?", False),
    ],
)  # fmt: skip
def test_what_happened_before_is_warned_of_while_it_counts(text: str, record: str, asked: str, warned: bool) -> None:
    assert bool(warn(text, record, asked)) is warned


def test_a_drug_that_was_given_months_ago_is_not_taken_and_one_that_was_begun_then_is() -> None:
    read = read_patient_record("Ciprofloxacin 3 months ago. Apixaban started 3 months ago.")
    assert [one.words for one in read.current_drugs] == ["Apixaban"]
