"""What of a question could turn general advice, and what rules something out for it."""

from tests.models.test_yes_no_decision import candidates
from tests.tables import each_row
from wellsourced.claims.guideline_advice import read_asked_advice
from wellsourced.claims.question_profile import read_question
from wellsourced.claims.question_terms import list_asked_words
from wellsourced.models.modifiers import find_modifiers, list_unsaid
from wellsourced.models.yes_no_decision import decide_yes_no, find_excluding_sentences, find_exclusion
from wellsourced.types import Question


def count_unsaid(question: str, text: str) -> int:
    core = read_asked_advice(question).core
    return len(list_unsaid(find_modifiers(question, core, list_asked_words(Question(text=question))), text))


def exclude(question: str, text: str) -> int:
    found = find_exclusion(Question(text=question), candidates(text))
    return found.sign if found else 0


def say(question: str, text: str) -> str:
    asked = Question(text=question)
    decision = decide_yes_no(asked, candidates(text), read_question(asked).terms)
    return decision.label if decision else "nothing"


@each_row(
    ("question", "text", "unsaid"),
    [
        ("Can apixaban be given in AF with a mechanical valve?", "Apixaban is recommended in AF.", 1),
        ("Can apixaban be given in AF with no mechanical valve?", "Apixaban is recommended in AF.", 0),
        ("Can aspirin be given with haemophilia?", "Aspirin is recommended.", 1),
        ("Can naproxen be given on warfarin?", "Naproxen is recommended.", 1),
        ("Can naproxen be given on warfarin?", "Naproxen is not for those on anticoagulants.", 0),
        ("On ramipril. Ok to add losartan?", "First-line are ACE inhibitors, ARBs or CCBs.", 1),
        ("On ramipril. Ok to add losartan?", "Do not combine ACE inhibitors with ARBs.", 0),
        ("Can statins be given in cirrhosis?", "Statins are safe in liver disease.", 0),
        ("eGFR 22. Can metformin be given?", "Metformin is recommended.", 1),
        ("eGFR 22. Can metformin be given?", "Metformin: not if eGFR < 30.", 0),
        ("Can ceftriaxone be given with anaphylaxis to penicillin?", "Ceftriaxone is recommended.", 2),
        ("Can topiramate be given to a woman planning pregnancy?", "Topiramate is recommended.", 1),
    ],
)  # fmt: skip
def test_what_a_sentence_does_not_speak_of(question: str, text: str, unsaid: int) -> None:
    assert count_unsaid(question, text) == unsaid


DOACS = "Warfarin is recommended only when DOACs are contraindicated (e.g., severe mitral stenosis, mechanical valves)."


@each_row(
    ("question", "text", "sign"),
    [
        ("Can apixaban be given with a mechanical valve?", DOACS, -1),
        ("Is apixaban contraindicated with a mechanical valve?", DOACS, 1),
        ("Can warfarin be given with a mechanical valve?", DOACS, 0),
        ("Can apixaban be given in cirrhosis?", DOACS, 0),
        ("Can colchicine be given in kidney disease?", "Avoid colchicine unless there is kidney disease.", 0),
        ("Can colchicine be given in kidney disease?", "Avoid colchicine in severe kidney disease.", 0),
        ("Can colchicine be given in severe kidney disease?", "Avoid colchicine in severe kidney disease.", -1),
        ("Can colchicine be given in kidney disease?", "Colchicine is not contraindicated in kidney disease.", 0),
        ("Can colchicine be given in stroke?", "Colchicine is contraindicated in stroke within 3 months.", 0),
        ("Can metformin be given at an eGFR of 22?", "Metformin is contraindicated if eGFR < 30.", -1),
        ("Can metformin be given at an eGFR of 42?", "Metformin is contraindicated if eGFR < 30.", 0),
    ],
)
def test_what_rules_something_out_for_a_case(question: str, text: str, sign: int) -> None:
    assert exclude(question, text) == sign


def test_what_rules_a_case_out_decides_before_what_is_advised_in_general() -> None:
    text = f"Apixaban is recommended in patients.\n\n{DOACS}"
    assert say("Can apixaban be given with a mechanical valve?", text) == "no"


@each_row(
    "text",
    [
        "The 2016 edition recommended statins.",
        "Some centres use statins.",
        "Trials showed that statins were useful.",
        "Statins are recommended in statin-eligible patients.",
    ],
)
def test_what_is_no_advice_of_the_guideline_does_not_say_yes(text: str) -> None:
    assert say("Should statins be given?", text) in ("nothing", "depends")


@each_row(("drug", "found"), [("prasugrel", 1), ("aspirin", 0)])
def test_what_rules_something_out_is_of_the_nearest_drug_above_it(drug: str, found: int) -> None:
    asked = read_asked_advice(f"Can {drug} be given after a stroke?")
    particulars = find_modifiers(asked.question, asked.core)
    above = "Coronary syndromes\nAntiplatelet therapy › Prasugrel"
    assert len(list(find_excluding_sentences(asked, particulars, "Contraindicated after a stroke.", above))) == found
