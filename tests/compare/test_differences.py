"""The words that differ between a claim and its source's sentence, and the sentence that a claim is nearest to."""

import time

import pytest

from tests.samples import a_tenth_as_long
from tests.tables import each_row
from wellsourced.compare.alignment import find_source_sentence
from wellsourced.compare.differences import describe_differences, find_differences

HOSTILE = [
    "a" * 100_000,
    "1" * 100_000,
    ".5" * 50_000,
    "1-1-" * 25_000,
    "(AB " * 25_000,
    "aspirin 5 mg or more " * 5_000,
    "Mortality was 5 percent. " * 4_000,
    "- if not 5\n" * 9_000,
]


def marks(claim: str, sentence: str, context: str = "") -> list[tuple[str, str, str]]:
    """Kind, words of the claim, words of the sentence."""
    return [
        (one.kind, claim[one.claim_start : one.claim_end], sentence[one.source_start : one.source_end])
        for one in find_differences(claim, sentence, context)
    ]


@each_row(
    ("claim", "sentence"),
    [
        ("Two patients died.", "2 patients died."),
        ("Give 5 mg twice daily.", "Give 5 mg BID."),
        ("Mortality was below 5%.", "Mortality was < 5 percent."),
        ("At least two doses are needed.", ">= 2 doses are needed."),
        ("Two or more doses are needed.", "At least 2 doses are needed."),
        ("The anaemia improved.", "The **anemia** improved"),
        ("Heart rate falls with beta-blockers.", "The heart rate falls with beta blockers"),
        ("CAD is common.", "Coronary artery disease (CAD) is common."),
        ("Blood pressure was 140 mmHg.", "BP was 140 mmHg."),
        ("Surgery lasted 2 weeks.", "Surgery lasted 14 days."),
        ("The incision was 15 mm long.", "The incision was 1.5 cm long."),
        ("Sixty-nine of 1,200 had it.", "69 of 1200 had it."),
        ("No nausea or vomiting was seen.", "Neither nausea nor vomiting was seen."),
        ("During the first six hours, oxygen helps adults.", "Oxygen helps adults during the first 6 hours."),
        ("Yes: statins lower LDL.", "Statins lower LDL."),
        ("Patients should avoid alcohol.", "Avoid alcohol."),
        ("Metformin should be given.", "Metformin is recommended."),
        ("Body weight fell.", "Bodyweight fell."),
        ("Children from 4 to 15 years were included.", "Children (4–15 years) were included."),
        ("Chronically raised troponin is common.", "Chronic raised troponin is common."),
        ("Among 120 patients, 40 (33%) died.", "40 of 120 patients (33%) died."),
        ("Survival was 7 months with ice and 5 months with heat.",
         "Survival was 7 and 5 months with ice and heat, respectively."),
        ("Pain was 12% with heat.", "Pain was 12% with heat and 20% with ice."),
        ("Give heparin after 24 hours.", "--> Heparin after 24 hours"),
    ],
)  # fmt: skip
def test_what_is_the_same_in_other_words_or_signs_is_not_marked(claim: str, sentence: str) -> None:
    assert marks(claim, sentence) == []


@each_row(
    ("claim", "sentence", "mark"),
    [
        ("Give 10 mg at night.", "Give 5 mg at night.", ("figure", "10", "5")),
        ("Relapse is likeliest in 6 weeks.", "Relapse is likeliest in 6 months.", ("figure", "weeks", "months")),
        ("The target is > 8%.", "The target is < 8%.", ("figure", ">", "<")),
        ("It suits polyps above 10 mm.", "It suits polyps below 10 mm.", ("figure", "above", "below")),
        ("Give 2 g every 12 hours.", "Give 2 g every 8 hours.", ("figure", "every 12 hours", "every 8 hours")),
        ("Continue for 3-5 years.", "Continue for **1-2 years**.", ("figure", "3-5", "1-2")),
        ("The dose is 5 mg.", "The dose is 5 mg/kg.", ("figure", "", "kg")),
        ("Growth was related to size.", "Growth was not related to size.", ("negation", "", "not")),
        ("Excision with FI failed.", "Excision without FI failed.", ("negation", "", "without")),
        ("LVEF alone is sufficient.", "LVEF alone is insufficient.", ("negation", "sufficient", "insufficient")),
        ("It suits cardiac surgery.", "It suits noncardiac surgery.", ("negation", "cardiac", "noncardiac")),
        ("Women completed more modules.", "Women completed fewer modules.", ("direction", "more", "fewer")),
        ("Measure it after meals.", "Measure it before meals.", ("direction", "after", "before")),
        ("Drugs are not to be used in any circumstance.", "Drugs are not to be used unless:",
         ("condition", "in any circumstance", "unless")),
        ("Stop metformin.", "Stop metformin if eGFR falls.", ("condition", "", "if eGFR falls")),
        ("Surgery is an option.", "Surgery is an option, unless the lung is affected.",
         ("condition", "", "unless the lung is affected")),
        ("Any fracture is a failure.", "Two or more fractures are a failure.",
         ("quantity word", "Any", "Two or more")),
        ("All patients improved.", "Most patients improved.", ("quantity word", "All", "Most")),
        ("CSF counts are not reliable.", "CSF counts may not be reliable.", ("certainty", "", "may")),
        ("Fentanyl reliably blunts pain.", "Fentanyl may blunt pain.", ("certainty", "reliably", "may")),
        ("Vericiguat is recommended in HFrEF.", "Vericiguat may be considered in HFrEF.",
         ("certainty", "is recommended", "may be considered")),
        ("Smoking causes the disease.", "Smoking is associated with the disease.",
         ("certainty", "causes", "associated")),
        ("Salmeterol helped in COPD.", "Placebo helped in COPD.", ("name", "Salmeterol", "Placebo")),
        ("FIB-4 has poor sensitivity.", "FIB-4 has poor specificity.", ("wording", "sensitivity", "specificity")),
        ("Children with asthma improved.", "Children with severe asthma improved.", ("left out", "", "severe")),
        ("It works in pregnant mice.", "It works in mice.", ("name", "pregnant", "")),
        ("It works in cheerful mice.", "It works in mice.", ("added", "cheerful", "")),
        ("The diet reduces waste.", "The diet is believed to reduce waste.", ("certainty", "", "believed")),
    ],
)  # fmt: skip
def test_what_changes_the_meaning_is_marked_on_both_sides(
    claim: str, sentence: str, mark: tuple[str, str, str]
) -> None:
    assert mark in marks(claim, sentence)


@each_row(
    ("claim", "sentence", "words"),
    [
        ("Warfarin is preferred over DOACs.", "DOACs are preferred over warfarin.", {"Warfarin", "DOACs"}),
        ("Pain was 10% with ice and 2% with heat.", "Pain was 2% with ice and 10% with heat.", {"10", "2"}),
        ("Group B had more pain than group A.", "Group A had more pain than group B.", {"A", "B"}),
        ("On-pump surgery is safer than off-pump surgery.", "Off-pump surgery is safer than on-pump surgery.",
         {"On-pump", "off-pump"}),
        ("Pain was 20 mm, 10 mm and 30 mm.", "Pain was 10 mm, 20 mm and 30 mm.", {"20", "10"}),
    ],
)  # fmt: skip
def test_arms_that_changed_places_are_marked_both(claim: str, sentence: str, words: set[str]) -> None:
    found = marks(claim, sentence)
    assert {kind for kind, _, _ in found} == {"order"}
    assert {said for _, said, _ in found} == words


def test_the_differences_come_in_order_and_cut_no_word() -> None:
    claim = "Ticagrelor 90 mg twice daily is given for up to 6 months."
    sentence = "Clopidogrel 75 mg daily is given for up to 12 months."
    assert marks(claim, sentence) == [
        ("name", "Ticagrelor", "Clopidogrel"),
        ("figure", "90", "75"),
        ("figure", "twice daily", "daily"),
        ("figure", "6", "12"),
    ]


def test_an_abbreviation_of_the_text_around_is_the_words_that_it_stands_for() -> None:
    claim, sentence = "Delayed appendectomy time predicted nothing.", "DAT predicted nothing."
    assert marks(claim, sentence, "The delayed appendectomy time (DAT) was noted.") == []
    assert marks("Late appendectomy predicted nothing.", sentence, "The delayed appendectomy time (DAT) was noted.")


def test_one_letter_in_brackets_is_no_abbreviation_of_the_words_before() -> None:
    sentence = "Power was measured before treatment (T1), treated at 3 weeks (T2) and treated at 6 weeks (T3)."
    found = marks("Power was measured before treatment, at 3 weeks and at 6 weeks.", sentence)
    assert "figure" not in {kind for kind, _, _ in found}


def test_what_the_sentence_says_besides_is_not_marked() -> None:
    sentence = "Mean age was 60 years; smoking was lower with aspirin (12% v 20%; P=0.01), and nobody left the trial."
    assert marks("Smoking was lower with aspirin.", sentence) == []


@each_row(
    ("claim", "sentence"),
    [
        ("Surgery lowered pain.", "Elective surgery lowered pain."),
        ("Pain fell with aspirin.", "Pain fell in women with aspirin."),
    ],
)
def test_what_narrows_down_what_is_said_is_told_as_left_out(claim: str, sentence: str) -> None:
    assert {found for found, _, _ in marks(claim, sentence)} == {"left out"}


AROUND = """A total of 120 patients were studied. The drug was given for 6 weeks in two doses. Pain fell with both.

| Drug | Dose |
| Enalapril | 5 mg daily |
| Ramipril | 2 mg daily |
| Widens vessels | Ramipril |
"""


@each_row(
    ("claim", "sentence", "kinds"),
    [
        ("Pain fell with both doses of 6 weeks.", "Pain fell with both.", {"wording"}),
        ("Pain fell in 120 patients with both.", "Pain fell with both.", {"wording"}),
        ("Pain fell with both drugs after 9 weeks.", "Pain fell with both.", {"figure"}),
        ("Pain fell with both in 130 patients.", "Pain fell with both.", {"figure"}),
        ("Pain fell severely with both.", "Pain fell with both.", {"added"}),
        ("Enalapril: 2 mg daily.", "| Ramipril | 2 mg daily |", {"name"}),
        ("Enalapril widens vessels.", "| Widens vessels | Ramipril |", {"name"}),
    ],
)
def test_what_the_next_sentences_say_is_no_more_than_wording(claim: str, sentence: str, kinds: set[str]) -> None:
    assert {kind for kind, _, _ in marks(claim, sentence, AROUND)} == kinds


def test_a_word_far_from_what_the_claim_has_is_not_told() -> None:
    sentence = (
        "Iron reduced fatigue, which zinc, copper, selenium or calcium had seldom done in miners, nurses, sailors or "
        "farmers, and pain."
    )
    assert not [kind for kind, _, _ in marks("Iron reduced fatigue and pain.", sentence) if kind == "quantity word"]
    assert ("quantity word", "", "seldom") in marks("Iron reduced fatigue.", "Iron seldom reduced fatigue.")


def test_figures_that_merely_count_what_was_named_are_not_told_as_figures() -> None:
    found = marks("Pain did not differ between the two doses.", "Pain did not differ between doses.")
    assert "figure" not in {kind for kind, _, _ in found}
    assert ("figure", "two", "") in marks("Pain fell in two women.", "Pain fell in women.")


def test_mere_wording_is_told_with_its_words_unless_something_else_differs() -> None:
    claim, sentence = "FIB-4 has poor sensitivity.", "FIB-4 has poor specificity."
    told = describe_differences(claim, sentence, find_differences(claim, sentence))
    assert told == "differs from its source in wording: “specificity” → “sensitivity”"
    claim = "FIB-5 has poor sensitivity."
    assert "sensitivity" not in describe_differences(claim, sentence, find_differences(claim, sentence))
    assert describe_differences(sentence, sentence, ()) == ""


def test_nothing_in_common_is_one_mark_and_nothing_at_all_is_none() -> None:
    assert marks("Statins lower cholesterol.", "Bees make honey.") == [("wording", "Statins lower cholesterol", "")]
    assert marks("", "Bees make honey.") == []
    assert marks("Bees make honey.", "Bees make honey.") == []


TEXT = """The aim was to find whether lutein improves the visual field in glaucoma.

Lutein was given to 40 adults. The visual field improved with lutein (p = 0.04).
Contrast sensitivity did not change. It was measured in 38 adults.

Doses:
- Adults: 10 mg once daily
- Children: 5 mg once daily

| Drug | Start | Target |
| Enalapril | 2.5 mg | 20 mg |
"""


@each_row(
    ("claim", "sentence"),
    [
        ("Lutein improved the visual field.", "The visual field improved with lutein (p = 0.04)."),
        ("Children get 5 mg a day.", "Children: 5 mg once daily"),
        ("The target dose of enalapril is 40 mg.", "| Enalapril | 2.5 mg | 20 mg |"),
        ("Contrast sensitivity, measured in 38 adults, did not change.",
         "Contrast sensitivity did not change. It was measured in 38 adults."),
    ],
)  # fmt: skip
def test_the_sentence_item_or_row_that_a_claim_is_near_is_found(claim: str, sentence: str) -> None:
    span = find_source_sentence(claim, TEXT)
    assert span is not None
    assert TEXT[span.start : span.end] == sentence


@each_row(
    ("claim", "text", "sentence"),
    [
        ("Placebo rose from 3.6 to 4.1 kg (11%).",
         "Placebo rose from 3.6 to 3.9 kg (8%). Salmeterol rose from 3.7 to 4.1 kg (11%).",
         "Placebo rose from 3.6 to 3.9 kg (8%)."),
        ("Sodium thiosulfate is the preferred antidote in smoke.",
         "Sodium thiosulfate acts late. Hydroxocobalamin is the preferred antidote in smoke.",
         "Hydroxocobalamin is the preferred antidote in smoke."),
        ("Placebo rose to 3.9 kg and salmeterol to 4.1 kg (11%).",
         "Placebo rose to 3.9 kg (8%). Salmeterol rose to 4.1 kg (11%).",
         "Placebo rose to 3.9 kg (8%). Salmeterol rose to 4.1 kg (11%)."),
    ],
)  # fmt: skip
def test_a_sentence_about_something_else_is_not_joined_for_its_figures_or_its_name(
    claim: str, text: str, sentence: str
) -> None:
    span = find_source_sentence(claim, text)
    assert span is not None
    assert text[span.start : span.end] == sentence


@each_row("claim", ["Warfarin prevents stroke after a valve operation.", "", "The of and."])
def test_no_sentence_is_named_where_none_is_near(claim: str) -> None:
    assert find_source_sentence(claim, TEXT) is None
    assert find_source_sentence(claim, "") is None


@pytest.mark.nightly
@a_tenth_as_long
@each_row("text", HOSTILE)
def test_a_hostile_text_of_100_000_characters_is_compared_in_time(text: str, step: int) -> None:
    text = text[: len(text) // step]
    began = time.process_time()
    for claim, other in ((text, text), ("Aspirin 5 mg reduced mortality.", text), (text, "Aspirin 5 mg was given.")):
        find_source_sentence(claim, other)
        found = find_differences(claim, other, other)
        assert all(0 <= one.claim_start <= one.claim_end <= len(claim) for one in found)
        assert all(0 <= one.source_start <= one.source_end <= len(other) for one in found)
    assert time.process_time() - began < 20
