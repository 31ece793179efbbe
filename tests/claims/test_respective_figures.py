"""Figures of rows with “respectively”, given to another thing of the list than theirs."""

import time

from tests.tables import each_row
from wellsourced.claims.discrepancy_questions import list_discrepancy_questions
from wellsourced.claims.guard import find_disagreements
from wellsourced.claims.guard.groups import compare_respective_figures, read_respective_figures

FOSQ = (
    "A statistically significant improvement was observed in the FOSQ at 1, 3, and 6 months after CPAP initiation "
    "(baseline 12.9 ± 2.9 vs. 14.7 ± 2.6 vs. 15.8 ± 2.1 vs. 16.9 ± 1.9, respectively, p = 0.02)."
)
BLADDER = (
    "The relative risk of bladder cancer developing after external beam radiotherapy, brachytherapy and external beam "
    "radiotherapy-brachytherapy compared to radical prostatectomy was 1.88, 1.52 and 1.85, respectively."
)
RELAPSE = "Relapse rates in the aspirin, clopidogrel and placebo groups were 12%, 18% and 25%, respectively."
SURVIVAL = (
    "Five-year survival rates of patients in the SLL, and NSLL groups were 37 per cent (95%CI = 7%-69%), and "
    "88 per cent (95%CI = 65%-96%) respectively (P<0.001)."
)


@each_row(
    ("sentence", "values", "things"),
    [
        (FOSQ, "12.9 14.7 15.8 16.9", ["baseline", "1 month", "3 months", "6 months"]),
        (
            BLADDER,
            "1.88 1.52 1.85",
            ["external beam radiotherapy", "brachytherapy", "external beam radiotherapy-brachytherapy"],
        ),
        (RELAPSE, "12 18 25", ["aspirin", "clopidogrel", "placebo groups"]),
        (SURVIVAL, "37 88", ["SLL", "NSLL groups"]),
    ],
)
def test_a_row_is_read_with_the_things_of_its_list(sentence: str, values: str, things: list[str]) -> None:
    ((row,), _) = read_respective_figures(sentence)
    assert " ".join(f"{value:f}" for value in row.values) == values
    assert [thing.words for thing in row.things] == things


@each_row(
    "sentence",
    [
        "Weight and height of boys and girls were 20 kg and 1.1 m, respectively.",
        "UD and UDR were predictors of resolution and recurrence (P <.007 and .001, respectively).",
        "At 1, 3 and 6 months the values were 5, 6 and 7 and 8, respectively.",
    ],
)
def test_of_a_row_that_can_be_read_in_two_ways_nothing_is_told(sentence: str) -> None:
    assert read_respective_figures(sentence)[0] == []


@each_row(
    ("claim", "source", "shown"),
    [
        ("The FOSQ rose from 12.9 at baseline to 16.9 after 3 months.", FOSQ, "3 months: 16.9"),
        ("After 1 month the FOSQ was 15.8.", FOSQ, "1 month: 15.8"),
        ("The relative risk of bladder cancer was 1.88 after brachytherapy.", BLADDER, "brachytherapy: 1.88"),
        ("Relapse occurred in 18% on aspirin.", RELAPSE, "aspirin: 18"),
        ("Relapse occurred in 18% on aspirin and 12% on clopidogrel.", RELAPSE, "aspirin: 18"),
    ],
)
def test_a_figure_of_another_thing_is_objected_to(claim: str, source: str, shown: str) -> None:
    assert next(compare_respective_figures(claim, source)).claim == shown
    assert shown in [one.claim for one in list_discrepancy_questions(claim, [source], source)]
    assert any(one.kind == "number" for one in find_disagreements(claim, source))


@each_row(
    ("claim", "source"),
    [
        ("The FOSQ rose from 12.9 at baseline to 16.9 after 6 months.", FOSQ),
        ("Within 6 months the FOSQ rose from 12.9 to 16.9.", FOSQ),
        ("The FOSQ was 14.7 at 1 month, 15.8 at 3 months and 16.9 at 6 months.", FOSQ),
        ("The risk was 1.88 after external beam radiotherapy, 1.52 after brachytherapy and 1.85 after both.", BLADDER),
        ("Relapse was rarer than with placebo: 12% on aspirin.", RELAPSE),
        ("Compared with placebo, fewer relapsed (12%).", RELAPSE),
        ("Relapse occurred in 18% on aspirin.", f"{RELAPSE} In the extension 18% relapsed."),
    ],
)
def test_a_right_or_doubtful_figure_is_not(claim: str, source: str) -> None:
    assert list(compare_respective_figures(claim, source)) == []


@each_row("junk", ["a ", "a, ", "a and ", "1, ", "1 mg (", "a/b ", "12.5 vs. ", "A (b ", "1 ± 2 and "])
def test_hostile_texts_take_a_bounded_time(junk: str) -> None:
    text = f"{junk * (20_000 // len(junk))} respectively"
    begun = time.process_time()
    list(compare_respective_figures("It was 1 at 5.", text))
    list(compare_respective_figures(junk * 2_000, RELAPSE))
    assert time.process_time() - begun < 5
