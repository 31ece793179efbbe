"""Which of what was found is of the values and the branch that are asked of."""

from tests.world import document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.models.direct_answers import drop_mismatched_ranges, find_unanswered, has_figure_asked, promote_direct
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.models.unit_fitness import unit_fitness
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Document, Evidence, Question


def candidates(text: str, section: str, score: float = 0.8) -> list[QuoteCandidate]:
    made: Document = document("a", text)
    reference = made.reference.model_copy(update={"kind": "guideline"})
    (passage,) = passages(made.model_copy(update={"reference": reference}))
    placed = passage.model_copy(update={"section": section})
    return [QuoteCandidate(unit, placed, score - n / 100) for n, unit in enumerate(find_quotable_spans(placed))]


def list_sections(question: str, *sections: str) -> list[str]:
    choices = [one for section in sections for one in candidates("A team comes to look.", section)]
    return [one.passage.section for one in drop_mismatched_ranges(read_question(Question(text=question)), choices)]


def test_where_one_section_holds_for_the_value_those_beside_it_that_do_not_are_left_out() -> None:
    sections = ("Response › Score 1–4", "Response › Score ≥ 7", "Response › Limits", "Other › Score 5–6")
    asked = "What is done at a score of 8?"
    assert list_sections(asked, *sections) == [sections[1], sections[2], sections[3]]
    assert list_sections(asked, sections[0], sections[2]) == [sections[0], sections[2]]
    assert list_sections(asked, sections[1], "Response › Score 0", "Response › Score 8") == [
        sections[1],
        "Response › Score 8",
    ]
    assert list_sections("What does the score mean?", *sections) == list(sections)


def test_between_two_drugs_no_branch_leads_of_which_nobody_asked() -> None:
    asked = read_question(Question(text="Acamprosate or naltrexone in alcohol use disorder?"))
    branch = candidates(
        "Alcohol use disorder\n  → Opioids needed?\n      → YES → No naltrexone, but acamprosate\n", "Choice", 0.9
    )
    offered = candidates("Naltrexone or acamprosate is offered in alcohol use disorder.", "Drugs", 0.8)
    assert branch[0].unit.layout == "step"
    assert promote_direct(asked, [*branch, *offered])[0] is offered[0]
    assert promote_direct(asked, branch) == branch


def test_a_figure_is_of_the_drug_that_its_list_says_it_is_on() -> None:
    asked = read_question(Question(text="How much hydrocortisone in septic shock?"))
    stated = candidates("- Drug: Hydrocortisone\n- Dose: 200 mg a day\n- Not with fludrocortisone 50 mcg\n", "Shock")
    assert [has_figure_asked(asked, one) for one in stated] == [False, True, False]
    assert not any(has_figure_asked(asked, one) for one in candidates("- Dose: 200 mg a day\n", "Shock"))


def test_where_it_is_asked_who_must_not_have_it_the_warning_comes_first() -> None:
    asked = read_question(Question(text="Which women must not be given romosozumab?"))
    warning, advice = (
        candidates(f"Anabolic\n\n{text}", "Anabolic")[0]
        for text in ("Romosozumab should not be given after a stroke.", "Romosozumab is recommended after a fracture.")
    )
    item = Evidence(passage=warning.passage, relevance=0.9)
    assert unit_fitness(warning.unit, item, asked) > unit_fitness(advice.unit, item, asked)


def list_unanswered(question: str, text: str) -> tuple[str, ...]:
    chosen = candidates(text, "Beta-blockers")
    return find_unanswered(question, read_question(Question(text=question)), chosen, chosen)


def test_two_drugs_beside_each_other_are_no_comparison() -> None:
    asked = "Is carvedilol better than metoprolol?"
    listed = "Carvedilol or metoprolol is recommended to reduce mortality.\n"
    compared = "Carvedilol lowers mortality more than metoprolol tartrate.\n"
    assert list_unanswered(asked, listed) == ("a comparison of carvedilol and metoprolol",)
    assert list_unanswered(asked, compared) == ()
    assert list_unanswered("Carvedilol or metoprolol?", listed) == ()


def test_a_time_that_is_asked_of_a_drug_may_be_said_of_its_class() -> None:
    said = "Patients should start a beta-blocker at least 7 days before surgery.\n"
    assert list_unanswered("How long before surgery is bisoprolol begun?", said) == ()
    assert list_unanswered("How long before surgery is midodrine begun?", said) == ("midodrine",)


def find_lead(question: str, *sections: tuple[str, str]) -> str:
    """The heading of what leads, of sections that were chosen in this order."""
    chosen = [candidates(text, section, 0.9 - n / 10)[0] for n, (section, text) in enumerate(sections)]
    return promote_direct(read_question(Question(text=question)), chosen)[0].passage.section


def test_who_must_not_have_it_is_told_under_contraindications() -> None:
    indications = (
        "Lysis › Indications",
        "In the absence of contraindications, patients should be given lysis.",
    )
    against = ("Lysis › Absolute Contraindications", "Patients should not be given lysis after any haemorrhage.")
    assert find_lead("Who must not get lysis?", indications, against) == against[0]
    assert find_lead("When is lysis given?", indications, against) == indications[0]


def test_what_how_much_is_asked_of_is_in_the_heading_or_in_the_words() -> None:
    insulin = ("Mixed states", "Patients should be given a fixed-rate insulin infusion at 0.1 units/kg.")
    fluid = ("Fluid resuscitation", "Patients should be given isotonic saline at 500 mL/hour at first.")
    assert find_lead("How much fluid in ketoacidosis?", insulin, fluid) == fluid[0]


def test_what_is_mandatory_leads_before_what_may_be_considered() -> None:
    may = ("Referral › Consider referral", "Referral is advised for refractory hypertension.")
    must = ("Referral › Mandatory referral", "Referral is advised with an eGFR below 30.")
    assert find_lead("When is kidney disease referred?", may, must) == must[0]
    assert find_lead("When should I consider referral?", must, may) == must[0]
