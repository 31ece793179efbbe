"""A figure of a claim that its source gives otherwise, and everything that explains one."""

from tests.tables import each_row
from wellsourced.compare.figure_clash import find_figure_clash

SENTENCE = (
    "Pollen testing in the 42 adults with asthma was repeated after a 12 week wash-out interval in 9.6% of the cases."
)


def test_another_number_in_a_sentence_that_is_repeated_word_for_word_is_a_clash() -> None:
    claim = "Pollen testing in the 42 adults with asthma was repeated after a 3 week wash-out interval."
    clash = find_figure_clash(claim, SENTENCE)
    assert clash is not None
    assert (clash.claim_figure, clash.source_figure) == ("3", "12")
    assert claim[clash.claim_start : clash.claim_end] == "3"
    assert SENTENCE[clash.source_start : clash.source_end] == "12"
    assert clash.describe() == "the number differs: “3” in the statement, “12” in the source"


@each_row(
    ("claim", "sentence", "figures"),
    [
        ("Patients in the bolus group had 2 g of meropenem over 30 minutes every 12 hours.",
         "Patients in the bolus group had 2 g of meropenem over 30 minutes every 8 hours.",
         ("every 12 hours", "every 8 hours")),
        ("Oral bisphosphonates are continued in the women for at least 3-5 years.",
         "Oral bisphosphonates are continued in the women for at least 1-2 years.", ("3-5", "1-2")),
        ("The prevalence of the syndrome was 10% in the vitamin group and 2% in the placebo group.",
         "The prevalence of the syndrome was 2% in the vitamin group and 10% in the placebo group.", ("10", "2")),
    ],
)  # fmt: skip
def test_frequencies_ranges_and_exchanged_figures_clash(claim: str, sentence: str, figures: tuple[str, str]) -> None:
    clash = find_figure_clash(claim, sentence)
    assert clash is not None
    assert (clash.claim_figure, clash.source_figure) == figures


@each_row(
    ("claim", "sentence"),
    [
        (
            "Late relapse fell with it by 9.6% of cases.",
            "Late relapse fell with it by 9.6% of cases.",
        ),
        (
            "Late relapse fell with it in 10% of cases.",
            "Late relapse fell with it in 9.6% of cases.",
        ),
        (
            "Late relapse fell with it in about 200 cases.",
            "Late relapse fell with it in 198 cases.",
        ),
        (
            "Late relapse fell with it after 2 weeks.",
            "Late relapse fell with it after 14 days.",
        ),
        (
            "Late relapse fell with it within 4 weeks.",
            "Late relapse fell with it within 6 months.",
        ),
        (
            "Late relapse was seen in 30 adults on the drug.",
            "Late relapse was seen in 12 adults on the drug and 18 on placebo.",
        ),
        (
            "Late relapse was seen in 25% of adults on the drug.",
            "Late relapse was seen in 3 of 12 adults on the drug.",
        ),
        (
            "Late relapse with the drug took 5 weeks in adults.",
            "Late relapse with the drug took 4-8 weeks in adults.",
        ),
        (
            "Late relapse fell with warfarin to 5% of cases.",
            "Late relapse fell with aspirin to 9% of cases.",
        ),
        (
            "Relapse in 30 days fell with the drug to 5% of cases.",
            "Relapse in 90 days fell with the drug to 9% of cases.",
        ),
        (
            "Relapse fell by more than 10% of the cases on the drug.",
            "Relapse fell by more than 12% of the cases on the drug.",
        ),
        (
            "It fell to 5%.",
            "It fell to 9%.",
        ),
        (
            "Relapse was 5% and 9% in adults and children on the drug.",
            "Relapse was 9% in children and 5% in adults on the drug.",
        ),
        (
            "Nothing is the same here, 5 times.",
            "Late relapse fell with it in 9.6% of cases.",
        ),
        ("", SENTENCE),
        (SENTENCE, ""),
    ],
)  # fmt: skip
def test_what_something_explains_is_no_clash(claim: str, sentence: str) -> None:
    assert find_figure_clash(claim, sentence) is None


def test_another_row_of_the_same_form_leaves_open_which_is_meant() -> None:
    claim = "The target of glycated haemoglobin in healthy adults is 8% (grade B)."
    sentence = "The target of glycated haemoglobin in healthy adults is 7% (grade B)."
    assert find_figure_clash(claim, sentence, sentence)
    row = "The target of glycated haemoglobin in frail adults is 8% (grade B)."
    assert find_figure_clash(claim, sentence, f"{sentence}\n\n{row}") is None


@each_row(
    ("clashing", "explained", "sentence"),
    [
        # rounded
        ("Late relapse in adults with asthma fell after the infusion in 4% of cases.",
         "Late relapse in adults with asthma fell after the infusion in 10% of cases.",
         "Late relapse in adults with asthma fell after the infusion in 9.6% of cases."),
        # told to be rough
        ("Late relapse in adults with asthma fell after the infusion in 200 cases.",
         "Late relapse in adults with asthma fell after the infusion in about 200 cases.",
         "Late relapse in adults with asthma fell after the infusion in 198 cases."),
        # another unit
        ("Late relapse in adults with asthma fell after the infusion of 5 mg.",
         "Late relapse in adults with asthma fell after the infusion of 5 g.",
         "Late relapse in adults with asthma fell after the infusion of 9 mg."),
        # no unit
        ("Late relapse in adults with asthma fell after the infusion of 5 mg.",
         "Late relapse in adults with asthma fell after the infusion of 5.",
         "Late relapse in adults with asthma fell after the infusion of 9 mg."),
        # a sum
        ("Late relapse in asthma after the infusion was seen in 31 adults.",
         "Late relapse in asthma after the infusion was seen in 30 adults.",
         "Late relapse in asthma after the infusion was seen in 12 adults and 18 children."),
        # a range that holds it
        # another drug
        ("Late relapse on warfarin in adults with asthma fell after the infusion in 5 weeks.",
         "Late relapse on aspirin in adults with asthma fell after the infusion in 5 weeks.",
         "Late relapse on warfarin in adults with asthma fell after the infusion in 9 weeks."),
        # another time
        ("Late relapse in adults with asthma within 30 days fell after the infusion to 5% of cases.",
         "Late relapse in adults with asthma within 60 days fell after the infusion to 5% of cases.",
         "Late relapse in adults with asthma within 30 days fell after the infusion to 9% of cases."),
        # a bound that follows from the other
        ("Late relapse in adults with asthma fell after the infusion by more than 14% of cases.",
         "Late relapse in adults with asthma fell after the infusion by more than 12% of cases.",
         "Late relapse in adults with asthma fell after the infusion by more than 13% of cases."),
        # much besides
        ("Late relapse in adults with asthma fell after the infusion in 5% of cases.",
         "In a small pilot of Danish nurses with gout, asthma, late relapse fell after the infusion in 5% of cases.",
         "Late relapse in adults with asthma fell after the infusion in 9% of cases."),
        # other words around
        ("Late relapse in adults with asthma fell after the infusion in 5% of cases.",
         "Early death of nurses with asthma rose after the surgery in 5% of cases.",
         "Late relapse in adults with asthma fell after the infusion in 9% of cases."),
    ],
)  # fmt: skip
def test_each_explanation_alone_makes_a_figure_no_clash(clashing: str, explained: str, sentence: str) -> None:
    assert find_figure_clash(clashing, sentence)
    assert find_figure_clash(explained, sentence) is None


def test_two_groups_that_are_named_in_another_order_with_their_figures_are_no_clash() -> None:
    sentence = "Consider it in long-standing diabetes (10 years for type 2 DM; 20 years for type 1 DM) of young adults."
    turned = "Consider it in long-standing diabetes (20 years for type 1 DM; 10 years for type 2 DM) of young adults."
    wrong = "Consider it in long-standing diabetes (20 years for type 2 DM; 10 years for type 1 DM) of young adults."
    assert find_figure_clash(turned, sentence) is None
    assert find_figure_clash(wrong, sentence)
