"""What of an answer is one to this patient: new drugs first, nothing for adults in a child, warnings in their place."""

from tests.tables import each_row
from tests.world import SUPPORTS
from wellsourced.medicine.drugs import find_drugs
from wellsourced.recommend.patient_answer import (
    bars_what_is_recommended,
    explain_adult_sources,
    lead_with_earlier_steps,
    promote_concerned,
    promote_new,
    refuse,
)
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.types import Answer, Citation, Evidence, Passage, PatientWarning, Question, Reference, Statement
from wellsourced.types.answers import WarningSeverity

TAKES = read_patient_record("60M with HFrEF. Drugs: sacubitril-valsartan, bisoprolol 10 mg od.")
METOPROLOL, DAPAGLIFLOZIN = "Use metoprolol succinate or bisoprolol.", "Use dapagliflozin."


def passage(text: str, title: str = "A guideline") -> Passage:
    return Passage(reference=Reference(id="doi:10.1/a", title=title), text=text, start=0, end=len(text))


def said(text: str, lead: bool = False, of: str = "") -> Statement:
    """A statement in the words of a passage, which has no others unless it is given."""
    at = (of or text).index(text)
    citation = Citation(passage_id=passage(of or text).id, quote=text, start=at, end=at + len(text))
    return Statement(text=text, citations=(citation,), verdict=SUPPORTS, lead=lead)


def warning(drug: str, severity: WarningSeverity = "contraindicated") -> PatientWarning:
    quote = f"{drug} is contraindicated in heart failure."
    where = passage(quote)
    citation = Citation(passage_id=where.id, quote=quote, start=0, end=len(quote))
    return PatientWarning(
        severity=severity, drugs=(drug,), about=("heart failure",), record=("HFrEF",), is_asked=True, passage=where,
        citations=(citation,),
    )  # fmt: skip


def test_what_is_taken_already_does_not_lead() -> None:
    statements = (said(METOPROLOL, lead=True), said("Weigh daily."), said(DAPAGLIFLOZIN))
    ordered = promote_new(statements, TAKES, ())
    assert [(one.text, one.lead) for one in ordered] == [
        (DAPAGLIFLOZIN, True),
        (METOPROLOL, False),
        ("Weigh daily.", False),
    ]


def test_a_lead_that_names_something_new_stays_beside_one_that_does_not() -> None:
    ordered = promote_new((said(METOPROLOL, lead=True), said(DAPAGLIFLOZIN, lead=True)), TAKES, ())
    assert [(one.text, one.lead) for one in ordered] == [(DAPAGLIFLOZIN, True), (METOPROLOL, False)]


@each_row("asked", ["bisoprolol", ""])
def test_it_leads_where_it_is_asked_about_or_nothing_new_is_said(asked: str) -> None:
    statements = (said(METOPROLOL, lead=True), said("Weigh daily."), *([said(DAPAGLIFLOZIN)] if asked else []))
    assert promote_new(statements, TAKES, find_drugs(asked)) == statements


def test_what_comes_before_a_step_leads_with_the_list_that_has_it() -> None:
    steps = "Start octreotide; give ceftriaxone. Endoscopy: within 12 hours."
    given = (said("Start octreotide; give ceftriaxone.", of=steps), said("Endoscopy: within 12 hours.", True, of=steps))
    led = lead_with_earlier_steps("What treatment before endoscopy?", given)
    assert [one.lead for one in led] == [True, True]
    assert lead_with_earlier_steps("When is endoscopy done?", given) == given
    assert lead_with_earlier_steps("What treatment before surgery?", given) == given


AGAINST = "Platelet transfusion should not be administered (Class III: Harm)."


@each_row(
    "text",
    [
        AGAINST,
        "Fenofibrate is conditionally recommended against; continue it where it is indicated.",
        "Do not give NSAIDs.",
    ],
)
def test_what_is_not_to_be_done_does_not_lead_where_something_is(text: str) -> None:
    ordered = promote_new((said(text, lead=True), said(DAPAGLIFLOZIN)), TAKES, ())
    assert [(one.text, one.lead) for one in ordered] == [(DAPAGLIFLOZIN, True), (text, False)]


def test_a_statement_for_one_thing_and_against_another_leads() -> None:
    statements = (said("Give labetalol; do not give ACE inhibitors.", lead=True), said(DAPAGLIFLOZIN))
    assert promote_new(statements, TAKES, ()) == statements


def answered(text: str, title: str) -> Answer:
    where = passage(text, title)
    return Answer(
        question=Question(text="Next step?"),
        statements=(said(text, lead=True),),
        evidence=(Evidence(passage=where, relevance=0.9),),
    )


@each_row(
    ("record", "title", "reason"),
    [
        ("4-year-old with septic shock", "Sepsis in adults", "The patient is 4 years old"),
        ("8-month-old with septic shock", "Sepsis in adults", "The patient is 8 months old"),
        ("4-year-old with septic shock", "Sepsis in children", ""),
        ("40-year-old with septic shock", "Sepsis in adults", ""),
    ],
)
def test_a_child_is_recommended_nothing_of_sources_that_do_not_speak_of_children(
    record: str, title: str, reason: str
) -> None:
    told = explain_adult_sources(read_patient_record(record), answered("Give norepinephrine.", title))
    assert told.startswith(reason) if reason else told == ""


def test_what_is_refused_is_shown_as_nearest_alone() -> None:
    given = answered("Give norepinephrine.", "Sepsis in adults")
    refused = refuse(given, "Too young.", nearest=given.statements)
    assert (refused.statements, refused.found_instead, refused.abstained) == ((), given.statements, True)
    assert Answer.model_validate(refused.model_dump()).reason == "Too young."


def test_a_warning_of_a_drug_beside_what_is_recommended_leaves_its_strength() -> None:
    leading = (said(DAPAGLIFLOZIN, lead=True),)
    assert not bars_what_is_recommended([warning("saxagliptin")], (), leading, {"Avoid saxagliptin."})
    assert bars_what_is_recommended([warning("dapagliflozin")], (), leading, {DAPAGLIFLOZIN})
    second = (said("Metformin is given.", lead=True), *leading)
    assert not bars_what_is_recommended([warning("dapagliflozin")], (), second, {DAPAGLIFLOZIN})
    assert bars_what_is_recommended([warning("dapagliflozin")], (), second[::-1], {DAPAGLIFLOZIN})
    assert bars_what_is_recommended([warning("saxagliptin")], find_drugs("saxagliptin"), leading, set())
    assert not bars_what_is_recommended([warning("saxagliptin", "dose")], find_drugs("saxagliptin"), leading, set())


def test_the_first_warning_is_on_what_is_asked_for_or_recommended_first() -> None:
    found = [warning("saxagliptin"), warning("dapagliflozin")]
    ordered = promote_concerned(found, (), (said(DAPAGLIFLOZIN, lead=True),))
    assert [one.drugs for one in ordered] == [("dapagliflozin",), ("saxagliptin",)]
    assert promote_concerned(found, find_drugs("saxagliptin"), ()) == found
