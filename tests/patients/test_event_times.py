"""When something happened to a patient, and when that counts."""

from datetime import date

import pytest

from tests.patients.test_lines_to_check import check
from tests.tables import each_row
from wellsourced.patients.record import find_time, read_patient_record


@each_row(
    ("record", "event", "days"),
    [
        ("NSTEMI 5 months ago, gout", "NSTEMI", 152),
        ("stroke (3 weeks ago)", "stroke", 21),
        ("two years ago MI, gout", "MI", 730),
        ("5 months after an NSTEMI, well", "NSTEMI", 152),
        ("MI last year", "MI", 365),
        ("DVT yesterday", "DVT", 0),
        ("stroke in 1999", "stroke", (date.today() - date(1999, 12, 31)).days),
        ("had an MI. Gout 3 years ago", "MI", None),
        ("asthma, MI 4 years ago", "asthma", None),
        ("fusion in 2022 with chronic pain: oxycodone 20 mg", "oxycodone", None),
    ],
)
def test_an_event_is_dated_by_the_words_of_its_own_clause(record: str, event: str, days: float | None) -> None:
    start = record.index(event)
    _, found = find_time(record, start, start + len(event))
    assert found == (days if days is None else pytest.approx(days, rel=0.02, abs=0.5))


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
        ("Alteplase is contraindicated with ischemic stroke within 3 months.", "Stroke 60 days ago.",
         "alteplase?", True),
        ("Alteplase is contraindicated with ischemic stroke within 3 months.", "Stroke 1 year ago.",
         "alteplase?", False),
        ("Avoid romosozumab after a recent MI.", "MI 5 years ago.", "romosozumab?", False),
        ("Avoid romosozumab after a recent MI.", "MI.", "romosozumab?", True),
    ],
)  # fmt: skip
def test_what_happened_before_is_checked_while_it_counts(text: str, record: str, asked: str, warned: bool) -> None:
    assert bool(check(text, record, asked)) is warned


def test_a_drug_that_was_given_months_ago_is_not_taken_and_one_that_was_begun_then_is() -> None:
    read = read_patient_record("Ciprofloxacin 3 months ago. Apixaban started 3 months ago.")
    assert [one.words for one in read.current_drugs] == ["Apixaban"]
