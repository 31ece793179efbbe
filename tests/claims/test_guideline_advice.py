"""What a guideline's text says to a question of yes or no: each test is a sentence that was once read wrongly."""

import pytest

from wellsourced.claims.guideline_advice import MAX_SENTENCES, cover_question, find_advice


def say(question: str, text: str, above: str = "") -> str:
    advice = find_advice(question, text, above)
    if advice is None:
        return "nothing"
    return "depends" if advice.is_conditional else {1: "yes", -1: "no"}[advice.sign]


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Should steroids be given in head injury?", "Steroids are not recommended in head injury.", "no"),
        ("Is it contraindicated in head injury?", "It is contraindicated in severe head injury.", "yes"),
        ("Should protein be restricted?", "Do NOT restrict protein.", "no"),
        ("Should ACE inhibitors be avoided?", "ACE inhibitors are contraindicated in pregnancy.", "yes"),
        ("Should ACE inhibitors be avoided?", "ACE inhibitors are recommended.", "no"),
        ("Is surgery recommended?", "We recommend against surgery.", "no"),
        ("Should statins be stopped?", "**Statins should be continued** before surgery.", "no"),
    ],
)
def test_advice_says_yes_or_no(question: str, text: str, said: str) -> None:
    assert say(question, text) == said


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Should lactulose be given?", "Rifaximin is recommended."),
        ("Is warfarin recommended?", "Apixaban is recommended over warfarin."),
        ("Should beta-blockers be stopped before surgery?", "Beta-blockers should not be started before surgery."),
        ("Do all patients with fibrillation need warfarin?", "Warfarin is recommended in fibrillation."),
        ("Is warfarin alone enough?", "Warfarin is recommended."),
        ("Can metformin be given with an eGFR of 25?", "Metformin is safe with an eGFR > 30."),
        ("Is it safe in children with gout?", "It is safe in adults with gout."),
        ("Can denosumab be given on dialysis?", "Denosumab: no dose adjustment is required on dialysis."),
        ("Is colchicine safe in gout?", "Colchicine is safe in gout but colchicine should be avoided in gout."),
        ("Is colchicine safe in gout?", "Gout hurts, and colchicine is a plant's."),
    ],
    ids=[
        "another drug", "what another is preferred over", "another action", "not of all", "not of it alone",
        "another value", "other people", "not required is not forbidden", "both", "no advice",
    ],
)  # fmt: skip
def test_what_does_not_speak_of_what_is_asked_says_nothing(question: str, text: str) -> None:
    assert say(question, text) == "nothing"


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Is colchicine recommended?", "Colchicine is recommended unless the kidneys fail.", "depends"),
        ("Is colchicine recommended if the kidneys fail?", "Colchicine is recommended unless the kidneys fail.", "yes"),
        ("Should edoxaban be given at a clearance of 110?", "Edoxaban: not recommended if clearance > 95.", "no"),
        ("Should colchicine be given in gout?", "Colchicine may be considered in gout.", "depends"),
        ("May colchicine be considered in gout?", "Colchicine may be considered in gout.", "yes"),
    ],
)
def test_under_a_condition_that_is_not_asked_of_it_depends(question: str, text: str, said: str) -> None:
    assert say(question, text) == said


def test_advice_against_a_class_is_advice_against_its_drugs_and_advice_for_it_is_for_some_of_them() -> None:
    assert say("Should furosemide be given in kidney injury?", "Do not use diuretics in kidney injury.") == "no"
    assert say("Is atenolol recommended in failure?", "Beta-blockers are recommended in failure.") == "nothing"


def test_a_line_above_may_advise_and_counts_less() -> None:
    above = "Gout\nContraindications to colchicine:"
    lead_in = find_advice("Is colchicine contraindicated in renal failure?", "Renal failure", above)
    itself = find_advice("Is colchicine contraindicated in renal failure?", "Contraindicated in renal failure", above)
    assert lead_in is not None
    assert itself is not None
    assert (lead_in.sign, itself.sign) == (1, 1)
    assert lead_in.weight < itself.weight


def test_of_several_sentences_the_one_that_covers_the_question_best_advises() -> None:
    text = "Steroids are recommended in croup. Steroids are not recommended in bronchiolitis."
    advice = find_advice("Are steroids recommended in bronchiolitis?", text)
    assert advice is not None
    assert advice.sentence == "Steroids are not recommended in bronchiolitis."


def test_of_a_row_each_cell_stands_under_its_name() -> None:
    row = "Statins: Already taking: Continue; Initiation: Consider for vascular surgery"
    assert say("Should statins be continued?", row) == "yes"


def test_a_number_of_the_question_has_to_stand_there_or_in_a_range() -> None:
    assert cover_question("Is 40 mg of simvastatin recommended?", "Simvastatin 20 mg is recommended.") == 0.0
    assert cover_question("Is 40 mg of simvastatin recommended?", "Simvastatin 40 mg is recommended.") == 1.0
    assert cover_question("Is a potassium of 6 dangerous?", "A potassium > 5.5 is dangerous.") == 1.0
    assert cover_question("Is it recommended?", "Anything.") == 1.0


def test_of_a_long_text_only_its_beginning_is_read() -> None:
    long = "Rest is good. " * (MAX_SENTENCES + 1) + "Colchicine is recommended."
    assert say("Is colchicine recommended?", long) == "nothing"
