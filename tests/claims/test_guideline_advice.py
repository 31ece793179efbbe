"""What a guideline's text says to a question of yes or no: each test is a sentence that was once read wrongly."""

from tests.tables import each_row
from wellsourced.claims.guideline_advice import (
    MAX_SENTENCES,
    AdviceReading,
    cover_question,
    list_readings,
    read_asked_advice,
)


def read(question: str, text: str, above: str = "") -> list[AdviceReading]:
    found = list_readings(read_asked_advice(question), text, above)
    return [one for one in found if not one.failed and one.tier != "factual"]


def say(question: str, text: str, above: str = "") -> str:
    found = read(question, text, above)
    if len({one.sign for one in found}) != 1:
        return "nothing"
    return "depends" if found[0].is_conditional else {1: "yes", -1: "no"}[found[0].sign]


@each_row(
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


@each_row(
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
)  # fmt: skip
def test_what_does_not_speak_of_what_is_asked_says_nothing(question: str, text: str) -> None:
    assert say(question, text) == "nothing"


@each_row(
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


def test_a_line_above_may_advise() -> None:
    above = "Gout\nContraindications to colchicine:"
    (lead_in,) = read("Is colchicine contraindicated in renal failure?", "Renal failure", above)
    (itself,) = read("Is colchicine contraindicated in renal failure?", "Contraindicated in renal failure", above)
    assert (lead_in.sign, lead_in.tier) == (1, "lead-in")
    assert (itself.sign, itself.tier) == (1, "graded")


@each_row(
    ("question", "text", "said"),
    [
        ("Can the statin be left off?", "Statins may be withheld.", "yes"),
        ("Should I hold off the statin?", "Statins should not be withheld or delayed.", "no"),
        ("Can naltrexone be given if he hasn't stopped drinking?", "Naltrexone can be given to a man.", "yes"),
        ("Is a statin safe?", "Statin discontinuation has been associated with death.", "yes"),
        ("Should statins be given?", "Statins are recommended unless contraindicated.", "yes"),
        ("Should statins be given early?", "Starting statins early is suggested over delaying them.", "yes"),
        ("Can statins be given?", "Statins may be considered.", "yes"),
        ("Is lidocaine recommended?", "Lidocaine is not recommended (Class III: No Benefit, LOE: B).", "no"),
        ("Should statins be given if the enzymes rise?", "Give statins even if enzymes rise.", "yes"),
        ("Start the insulin?", "Delay insulin.", "no"),
        ("Do all patients need steroids?", "Steroids are not recommended.", "no"),
    ],
)  # fmt: skip
def test_both_ways_of_asking_and_of_advising_are_read(question: str, text: str, said: str) -> None:
    assert say(question, text) == said


@each_row(
    ("question", "text", "test"),
    [
        ("Is metformin recommended in type 1 diabetes?", "Metformin is recommended in type 2 diabetes.", "other kind"),
        ("Can ramipril and losartan be given together?", "Losartan is recommended.", "together"),
        ("Is atenolol as good as bisoprolol?", "Atenolol should be used.", "comparison"),
        ("Should insulin be started?", "Stop insulin.", "action"),
    ],
)
def test_what_is_said_of_another_case_fails_a_test_by_name(question: str, text: str, test: str) -> None:
    (found,) = list_readings(read_asked_advice(question), text)
    assert test in found.failed


@each_row(
    ("question", "sign"),
    [
        ("Should the statin be given?", 1),
        ("Should the statin be stopped?", -1),
        ("Is the statin contraindicated?", -1),
        ("Is it unsafe to stop the statin?", 1),
        ("Can it be given if he hasn't stopped drinking?", 1),
    ],
)
def test_yes_to_stopping_is_no_to_giving(question: str, sign: int) -> None:
    assert read_asked_advice(question).sign == sign


def test_what_is_not_what_it_is_asked_to_be_is_denied() -> None:
    text = "With an infarct the event is classified as stroke, not TIA."
    signs = [
        [one.sign for one in list_readings(read_asked_advice(f"Is that still called a {name}?"), text)]
        for name in ("TIA", "stroke")
    ]
    assert signs == [[-1], [1]]


def test_a_sentence_that_advises_both_ways_is_read_clause_by_clause() -> None:
    found = list(list_readings(read_asked_advice("Is colchicine safe?"), "Colchicine is safe, but dapsone is harmful."))
    assert [(one.sign, one.is_clause) for one in found] == [(1, True), (-1, True)]


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
