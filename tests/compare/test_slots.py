"""What a model is asked to look at: words of a claim beside words of its source."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import a_tenth_as_long
from tests.tables import each_row
from tests.text import minimal_pairs
from wellsourced.compare.slots import MAX_SLOTS, find_disagreements, list_open_slots, list_slots_of_text

APIXABAN = (
    "Apixaban: standard dose is 5 mg BID. Reduce to 2.5 mg BID if the patient has at least two of the following: age "
    ">= 80 years, weight <= 60 kg, creatinine >= 1.5 mg/dL."
)


def test_a_word_that_only_another_line_has_is_elsewhere_and_not_nowhere() -> None:
    claim, cited = "If it is stopped for any reason, a bisphosphonate follows.", "A bisphosphonate follows it."
    [alone] = list_open_slots(claim, [cited], cited)
    [other] = list_open_slots(claim, [cited], f"{cited}\nIf denosumab is discontinued for any reason, switch.")
    assert (alone.state, alone.source) == ("nowhere", "")
    assert (other.kind, other.state, other.source) == ("quantity word", "elsewhere", cited)


def asked(claim: str, sentence: str, around: str = "", case: str = "") -> str:
    """All questions about a claim in one text."""
    questions = list_open_slots(claim, [sentence], f"{sentence}\n{around}", case)
    return "\n".join(f"{one.kind}: {one.claim} / {one.source}" for one in questions)


@each_row(
    ("claim", "sentence", "around", "said", "given"),
    [
        ("It was done in six patients.", "Splenectomy was performed on six pigs.", "", "patients", "pigs"),
        ("In AF every patient over 80 takes apixaban 2.5 mg BID.", APIXABAN, "", "every", ""),
        ("All patients responded to treatment.", "Patients with deficiency responded to treatment.", "", "All", ""),
        ("Vericiguat is recommended in HFrEF.", "Vericiguat may be considered in HFrEF.", "", "recommended", "may be"),
        (
            "Benzodiazepines cause relapse in alcohol use disorder.",
            "Benzodiazepines are associated with relapse in alcohol use disorder.",
            "",
            "cause",
            "associated",
        ),
        (
            "EDGE significantly reduced hospital admissions.",
            "Hospital admissions with EDGE were not significantly different (P=.37).",
            "",
            "reduced",
            "not significantly different",
        ),
        ("Digoxin lowered mortality.", "Digoxin was linked to fewer admissions.", "", "mortality", ""),
        ("Low-dose aspirin did not reduce stroke.", "Low-dose aspirin did reduce stroke.", "", "not", ""),
        ("Statins prevent dementia.", "There is no evidence that statins prevent dementia.", "", "Statins", "no evid"),
        ("Give 20-30 mmol per hour.", "Add 20-30 mmol potassium per liter of fluid.", "", "per hour", "per liter"),
        ("Reduce the dose to 20% of that.", "Reduce the dose by 20% for safety.", "", "to 20%", "by 20%"),
        ("Warfarin is preferred over apixaban.", "Apixaban is preferred over warfarin.", "", "Warfarin", "Apixaban"),
        (
            "Diagnosis of kidney disease requires both of: low GFR and albuminuria.",
            "Diagnosis of kidney disease requires at least one of: low GFR, albuminuria.",
            "",
            "both of",
            "at least one of",
        ),
        ("In pregnant women aim for 7%.", "Nonpregnant adults: aim for 7%.", "", "pregnant", "Nonpregnant"),
        ("Give it above 10 mm.", "Give it below 10 mm.", "", "above", "below"),
        ("Cilostazol 100 mg is given to adults.", "In children cilostazol 100 mg is given daily.", "", "adults", ""),
    ],
)
def test_what_models_overlook_is_asked_about(claim: str, sentence: str, around: str, said: str, given: str) -> None:
    questions = asked(claim, sentence, around)
    assert said in questions
    assert given in questions
    assert questions


@each_row(
    ("claim", "sentence"),
    [
        ("Colchicine shortened flares by two days.", "Colchicine shortened gout flares by 2 days."),
        ("Potassium goes in at 10 mmol an hour.", "Potassium: replace at 10 mmol/hour IV"),
        (
            "The initial treatment of venous thromboembolism takes 3 months.",
            "Treat venous thromboembolism for 3 months.",
        ),
        ("Neither aspirin nor warfarin has proven safety.", "None of them (aspirin, warfarin) have proven safety."),
        ("Aspirin and ticagrelor work alike on platelets.", "| Platelet inhibitors | Aspirin, ticagrelor |"),
        ("There were five men for every two women.", "The ratio of men to women was 2.5:1 there."),
        ("It is given to adults who are not pregnant.", "It is given to nonpregnant adults."),
        ("Flares were rare and pain fell.", "Flares were rare, but pain fell."),
        ("In chronic kidney disease the dose is lower.", "In CKD the dose is lower."),
        ("An ICS must never be given alone in COPD.", "ICS monotherapy is strictly contraindicated in COPD."),
        ("After each dose the level of calcium matters.", "Monitor for hypocalcemia after each dose."),
        ("Potassium has to be below 5.0 mEq/L at first.", "Start if K+ < 5.0 at first."),
        ("Stop it only if the eGFR falls by more than 30%.", "Do not stop it unless the eGFR falls by more than 30%."),
    ],
)
def test_other_words_for_the_same_raise_none(claim: str, sentence: str) -> None:
    assert asked(claim, sentence) == ""


def test_what_the_patient_has_needs_no_source() -> None:
    claim, sentence = "At a creatinine of 130 apixaban 5 mg BID is kept.", "Apixaban: standard dose is 5 mg BID."
    assert "130" in asked(claim, sentence)
    assert asked(claim, sentence, case="A man with a creatinine of 130") == ""


@each_row(
    ("claim", "sentence"),
    [
        (
            "All trials found that prednisone is not superior in treating severe asthma exacerbations.",
            "All trials found that prednisone is not superior in treating mild to moderate asthma exacerbations.",
        ),
        (
            "Meropenem was infused over 30 minutes every 12 hours.",
            "Meropenem was infused over 30 minutes every 8 hours.\nThey stayed 12 (7 to 19) days.",
        ),
        (
            "Pollen testing was carried out twice, with a 3-week wash-out interval.",
            "Pollen testing was carried out twice, with a 1-week wash-out interval.",
        ),
    ],
)
def test_a_difference_is_asked_about_once(claim: str, sentence: str) -> None:
    assert len(list_open_slots(claim, sentence.split("\n"), sentence)) == 1


def test_a_question_shows_words_as_they_are_read() -> None:
    [one] = list_open_slots(
        "Gentamicin is recommended (Class IIb) for it.",
        ["Gentamicin is **not recommended** ( Class III ) for it ."],
        "",
    )[:1]
    assert "**" not in one.phrase
    assert not re.search(r"\s[.,;:)]|\(\s", one.phrase)


def test_an_answer_word_denies_nothing() -> None:
    text = "Hypervolemia is avoided, because it increases complications."
    assert list_slots_of_text(f"No: {text}", text) == ()


def test_few_slots_are_asked_about_in_plain_words() -> None:
    claim = "All patients were cured by calcitonin; it is proven, 20 mg suffice, and it causes no harm."
    found = list_open_slots(claim, ["Ten pigs may take pills, which are associated with less pain."], "Ten pigs.")
    assert len(found) == MAX_SLOTS
    assert all(one.phrase.endswith("? If not, the claim is not supported.") for one in found)


@each_row(
    ("claim", "sentence", "around"),
    [
        (  # a guideline's name
            "In HFrEF, check potassium every 6 months (2022 AHA/ACC/HFSA guideline).",
            "In HFrEF, check potassium every 6 months.",
            "2022 AHA/ACC/HFSA Guideline for the Management of Heart Failure, 1 of 3",
        ),
        ("High burden may favour a less stringent goal.", "High burden may be favoring a less stringent goal.", ""),
        (
            "In severe disease it recommends anabolic therapy before all others.",
            "In severe disease the Endocrine Society recommends anabolic therapy before all others.",
            "",
        ),
        ("The tumour was no larger than 4 cm.", "The tumor was ≤4 cm.", ""),
    ],
)
def test_what_only_looks_different_is_not_asked_about(claim: str, sentence: str, around: str) -> None:
    assert asked(claim, sentence, around) == ""


def test_what_a_pronoun_stands_for_may_deny() -> None:
    assert "neither" in asked(
        "In severe disease it recommends anabolic therapy before others.",
        "In severe disease neither society recommends anabolic therapy before others.",
    )


PIECES = [
    "aspirin",
    "stroke",
    "not",
    "no",
    "without",
    "reduced",
    "increased",
    "mg",
    "12",
    "0.5",
    "<",
    "hypo",
    ",",
    "unsafe",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_a_text_never_disagrees_with_itself_and_what_follows_it(text: str) -> None:
    assert find_disagreements(text, text) == []
    assert find_disagreements(text, f"{text}. Gout is painful.") == []


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(claim: str, evidence: str) -> None:
    for found in find_disagreements(claim, evidence):
        assert found.claim or found.source


@a_tenth_as_long
@each_row(
    "hostile",
    [
        "not " * 5_000,
        "a1" * 20_000 + "_",
        "1 " * 500,
        "1" * 50_000,
        "increased " * 10_000,
        "1 " * 20_000,
        "5 vs 6 " * 5_000,
    ],
)
def test_hostile_text_does_not_hang(hostile: str, step: int) -> None:
    hostile = hostile[: len(hostile) // step]
    started = time.process_time()
    find_disagreements(hostile, hostile + "x")
    assert time.process_time() - started < 10


needs_corpus = pytest.mark.skipif(
    not minimal_pairs.CORPUS.exists(), reason="the development data (../shared/data) are not on this machine"
)


@needs_corpus
@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.nightly)])
@each_row("change", minimal_pairs.HARMFUL)
def test_of_real_sentences_with_one_fact_changed_19_in_20_are_caught(change: str, count: int) -> None:
    pairs = minimal_pairs.pairs(change, count)
    missed = [pair.claim for pair in pairs if not find_disagreements(pair.claim, pair.evidence)]
    assert len(pairs) == count
    assert len(missed) <= count / 20, missed


@needs_corpus
@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.nightly)])
@each_row("change", minimal_pairs.HARMLESS)
def test_of_real_sentences_written_otherwise_1_in_20_is_refused_at_most(change: str, count: int) -> None:
    pairs = minimal_pairs.pairs(change, count)
    refused = [pair.claim for pair in pairs if find_disagreements(pair.claim, pair.evidence)]
    assert len(pairs) == count
    assert len(refused) <= count / 20, refused
