"""A question for one patient: what was read in the record, the answer, and the lines to check beside it."""

import re
from dataclasses import replace
from typing import Any

from tests.presentation.written import terminal_text
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.events import AnswerCompleted, Event
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.planning import MakePico, PicoReply
from wellsourced.prompts.writing import DraftQuote, DraftStatement, Recommend, RecommendationDraft
from wellsourced.recommendation import (
    NO_PATIENT_NOTE,
    find_asked_drugs,
    recommend,
    split_patient,
)
from wellsourced.types import Answer, Pico, Question, Turn

SAID = "Colchicine is recommended for gout flares (Class I, LOE A)."
GUIDELINE = document("doi:10.1000/gout", f"{SAID} Adults aged 18 to 65 years were enrolled.", title="Gout 2021")
OLD = "81-year-old man with gout, seen on the ward with a red and swollen toe."


def without_model(**given: Any) -> Context:
    return replace(context(source("trials", GUIDELINE), relevant=(SAID,)), **given)


def with_model(model: ScriptedModel, **given: Any) -> Context:
    known = {
        "model": model,
        "has_model": True,
        "sees_patient": True,
        "read": ReadPolicy(relevance="score"),
        "check": CheckPolicy(consistency=False, repair=False),
    }
    return without_model(**{**known, **given})


def writer(limits: tuple[str, ...] = (), strength: str = "not reported") -> ScriptedModel:
    def written(prompt: Recommend) -> RecommendationDraft:
        quoted = DraftQuote(passage_id=prompt.evidence[0].passage.id, quote=SAID)
        drafted = DraftStatement(text=SAID, quotes=(quoted,), topic="Recommendation", lead=True)
        return RecommendationDraft(statements=(drafted,), limits=limits, strength=strength)

    made = PicoReply(population="older men with gout", intervention="colchicine", question="Colchicine in older men?")
    return ScriptedModel({MakePico: made, Recommend: written})


async def test_without_a_model_the_answer_is_that_of_ask_and_nothing_is_graded() -> None:
    question = Question(text="Is colchicine recommended?", patient=OLD)
    given, asked = await recommend(question, without_model()), await ask(question, without_model())
    assert (given.statements, given.abstained) == (asked.statements, asked.abstained)
    assert given.recommendation is not None
    assert (given.recommendation.strength, given.recommendation.fit) == ("not reported", ())
    assert [row.name for row in given.recommendation.record if row.kind == "condition"] == ["gout"]
    shown = terminal_text(given, TerminalPage(width=100))
    assert shown.index("Read in the record") < shown.index("In short")
    assert "strength" not in shown


async def test_with_a_model_what_it_says_of_itself_is_kept() -> None:
    model = writer(limits=("He takes other drugs.",), strength="Class I")
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), with_model(model))
    assert given.recommendation is not None
    assert (given.recommendation.strength, given.recommendation.fit) == ("Class I", ("He takes other drugs.",))
    assert given.recommendation.record
    (asked,) = [prompt for prompt in model.prompts if isinstance(prompt, Recommend)]
    assert asked.patient == OLD
    assert asked.pico == Pico(population="older men with gout", intervention="colchicine")


async def test_a_model_that_may_not_see_the_patient_recommends_without_and_the_rules_still_read() -> None:
    model = writer()
    context_ = with_model(model, sees_patient=False)
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), context_)
    assert all("swollen toe" not in getattr(prompt, "patient", "") for prompt in model.prompts)
    assert given.recommendation is not None
    assert given.recommendation.record
    assert any("patient_to" in note for note in given.notes)


async def test_the_patients_text_stands_in_no_query() -> None:
    context_ = with_model(writer())
    await recommend(Question(text="Is colchicine recommended?", patient=OLD), context_)
    (held,) = context_.sources
    assert [query.terms for query in held.queries] == [("Colchicine in older men?",)]  # type: ignore[attr-defined]


async def test_where_nothing_is_answered_the_record_is_shown_all_the_same() -> None:
    given = await recommend(Question(text="Is febuxostat recommended?", patient=OLD), context(source("t", GUIDELINE)))
    assert given.abstained
    assert given.recommendation is not None
    assert given.recommendation.record


async def test_without_a_patient_that_is_told_and_the_answer_stands() -> None:
    given = await recommend(Question(text="Is colchicine recommended?"), without_model())
    assert given.tldr == SAID
    assert NO_PATIENT_NOTE in given.notes


async def test_the_answer_is_told_once_and_whole() -> None:
    heard: list[Event] = []
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), without_model(), heard.append)
    assert [event.answer for event in heard if isinstance(event, AnswerCompleted)] == [given]


LIMIT = "Colchicine is contraindicated if eGFR < 30 mL/min."
LIMITED = document("doi:10.1000/kidney", f"{SAID} {LIMIT}", kind="guideline", title="Gout in kidney disease")
KIDNEY = "81-year-old man with gout. eGFR 24, K 4.4. Drugs: amlodipine. No allergies. Weight 70 kg."


def with_guideline(**given: Any) -> Context:
    return replace(context(source("guidelines", LIMITED, kind="guideline"), relevant=(SAID,)), **given)


async def test_a_line_to_check_is_shown_before_the_answer_with_the_words_of_the_record() -> None:
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), with_guideline())
    assert given.recommendation is not None
    (line,) = given.recommendation.lines
    assert line.citations[-1].quote == LIMIT
    assert "eGFR 24" in line.record
    shown = " ".join(terminal_text(given, TerminalPage(width=80)).split())
    assert shown.index("Lines to check for this patient") < shown.index("“eGFR 24”", 2_00) < shown.index("In short")
    assert LIMIT in shown
    assert not any(word in shown for word in ("not for this patient", "Before you act", "Contraindicated ("))


async def test_a_limit_that_the_record_does_not_reach_is_nothing_to_check() -> None:
    healthy = KIDNEY.replace("eGFR 24", "eGFR 88")
    given = await recommend(Question(text="Is colchicine recommended?", patient=healthy), with_guideline())
    assert given.recommendation is not None
    assert given.recommendation.lines == ()


async def test_what_is_written_has_no_words_of_the_record_and_is_read_back() -> None:
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), with_guideline())
    assert given.recommendation is not None
    assert not any(words in given.recommendation.model_dump_json() for words in ("eGFR 24", "81-year-old", "70 kg"))
    written = given.model_dump_json()
    back = Answer.model_validate_json(written)
    assert back.recommendation is not None
    assert [line.about for line in back.recommendation.lines] == [("eGFR",)]
    assert "for" in terminal_text(back, TerminalPage(width=80))


async def test_for_a_child_it_is_told_that_nothing_shown_mentions_children() -> None:
    child = "4-year-old boy with gout. No allergies."
    given = await recommend(Question(text="Is colchicine recommended?", patient=child), without_model())
    assert given.recommendation is not None
    assert "the patient is a child, and nothing shown mentions children" in given.recommendation.missing


async def test_only_names_of_conditions_and_drugs_are_searched_for_on_this_machine() -> None:
    context_ = with_guideline()
    await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    (held,) = context_.sources
    terms = {term for query in held.queries for term in query.terms}  # type: ignore[attr-defined]
    assert "contraindicated in kidney disease" in terms
    assert not any("81" in term or "eGFR 24" in term for term in terms)


async def test_a_model_is_told_of_the_lines_and_cannot_displace_them() -> None:
    model = writer()
    known = {"model": model, "has_model": True, "sees_patient": True, "read": ReadPolicy(relevance="score")}
    context_ = with_guideline(**known, check=CheckPolicy(consistency=False, repair=False))
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    (asked,) = [prompt for prompt in model.prompts if isinstance(prompt, Recommend)]
    assert LIMIT in asked.warnings
    assert given.recommendation is not None
    assert given.recommendation.lines[0].citations[-1].quote == LIMIT


async def test_a_model_that_may_not_see_the_patient_is_not_told_of_lines_that_quote_the_record() -> None:
    model = writer()
    known = {"model": model, "has_model": True, "sees_patient": False, "read": ReadPolicy(relevance="score")}
    context_ = with_guideline(**known, check=CheckPolicy(consistency=False, repair=False))
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    assert all(not getattr(prompt, "warnings", ()) for prompt in model.prompts)
    assert given.recommendation is not None
    assert given.recommendation.lines


def test_a_recommendation_of_an_earlier_version_is_read_without_its_verdicts() -> None:
    passage = {"reference": {"id": "doi:10.1/a", "title": "Gout"}, "text": LIMIT, "start": 0, "end": len(LIMIT)}
    citation = {"passage_id": f"doi:10.1/a#0-{len(LIMIT)}", "quote": LIMIT, "start": 0, "end": len(LIMIT)}
    warning = {
        "severity": "contraindicated", "drugs": ["colchicine"], "about": ["eGFR"], "is_asked": True,
        "passage": passage, "citations": [citation], "also": [],
    }  # fmt: skip
    former = {
        "strength": "Class I", "certainty": "not reported", "fit": [], "warnings": [warning], "is_barred": True,
        "limited": [{"text": SAID, "drugs": ["colchicine"]}], "contradictions": [],
        "unchecked": ["weight: not checked"],
    }  # fmt: skip
    made = Answer.model_validate({"question": {"text": "Colchicine?"}, "recommendation": former}).recommendation
    assert made is not None
    assert [(line.drugs, line.about) for line in made.lines] == [(("colchicine",), ("eGFR",))]
    assert made.missing == ("weight: not checked",)


@each_row(
    ("question", "asked"),
    [
        ("How should I lower his blood pressure?", ["antihypertensive"]),
        ("What for rate control?", ["AV nodal blocker"]),
        ("What is her blood pressure target?", []),
        ("Which drugs besides antiplatelets?", []),
        ("Is apixaban or a DOAC right?", ["factor Xa inhibitor", "DOAC"]),
    ],
)
def test_what_a_question_asks_for_or_wants_is_a_drug_or_a_class(question: str, asked: list[str]) -> None:
    assert [one.own_class for one in find_asked_drugs(question)] == asked


@each_row(
    ("typed", "asked", "patient"),
    [
        ("58-year-old woman with gout: what should I add?", "What should I add?", "58-year-old woman with gout"),
        ("A 70M has AF, eGFR 28. Which anticoagulant?", "Which anticoagulant?", "A 70M has AF, eGFR 28"),
        ("70M with BP: 90/50, cirrhosis: what now?", "What now?", "70M with BP: 90/50, cirrhosis"),
    ],
)
def test_the_patient_that_a_question_tells_of_is_told_apart(typed: str, asked: str, patient: str) -> None:
    split = split_patient(Question(text=typed))
    assert (split.text, split.patient, split.asked) == (asked, patient, typed)


@each_row(
    "given",
    [
        Question(text="Gout: which drug is first?"),
        Question(text="60M with gout: what now?", patient="60M with gout and asthma."),
        Question(text="60M with gout: what now?", history=(Turn(role="user", text="Is it gout?"),)),
        Question(text="60M with gout: what now?", pico=Pico(population="men with gout")),
    ],
)
def test_a_question_on_a_topic_or_with_a_patient_or_a_past_of_its_own_stays_as_it_is(given: Question) -> None:
    assert split_patient(given) == given


ADVISED = document("doi:10.1000/gout", SAID, title="Gout 2021", kind="guideline")


@each_row(
    ("given", "searched"),
    [
        ({}, "Gout and asthma: What now?"),
        ({"outbound": True}, "What now?"),
    ],
)
async def test_conditions_of_the_record_are_searched_for_on_this_machine_alone(
    given: dict[str, Any], searched: str
) -> None:
    held = source("guidelines", ADVISED, kind="guideline")
    open_ = replace(context(held, relevant=(SAID,)), **given)
    patient = "Mr Okafor, 60M, a baker, gout, asthma."
    answer = await recommend(Question(text="What now?", patient=patient), open_)
    assert answer.question.text == searched
    assert not any("Okafor" in term or "baker" in term for query in held.queries for term in query.terms)


@each_row(
    ("patient", "is_shown"),
    [
        ("60M, gout, penicillin allergy.", True),
        ("A boy of 7, gout, penicillin allergy.", False),
        ("28F, 20 weeks pregnant, gout, penicillin allergy.", False),
    ],
)
async def test_no_dose_for_others_is_shown_to_who_asks_for_a_child_or_a_pregnancy(patient: str, is_shown: bool) -> None:
    text = "Flares\n\nColchicine 2 g at once in gout.\n\nPenicillin allergy: erythromycin 1 g every 6 hours in gout."
    held = source(
        "guidelines", document("doi:10.1000/gout", text, title="Gout 2021", kind="guideline"), kind="guideline"
    )
    answer = await recommend(Question(text="Which dose?", patient=patient), context(held, relevant=(text,)))
    assert answer.recommendation
    assert bool(answer.sections) is is_shown
    if "boy" in patient:
        assert not answer.recommendation.lines


AF = document(
    "doi:10.1000/af",
    "Standard dosing and criteria for dose reduction in non-valvular AF:\n\n"
    "- Apixaban: Reduce to 2.5 mg BID if the patient has at least two of: Age ≥ 80 years, Body weight ≤ 60 kg, or "
    "Serum creatinine ≥ 1.5 mg/dL.\n- eGFR < 45 → stop naproxen → recheck creatinine in 1 week.\n"
    "- Stop concomitant NSAID use in patients on an anticoagulant.",
    kind="guideline",
    title="Guideline for Atrial Fibrillation",
)
HUGHES = (
    "Mr. Daniel Hughes, born 4 May 1951. 72-year-old man with atrial fibrillation, CKD stage 3b (eGFR 38), weight "
    "58 kg, serum creatinine 1.7 mg/dL. Taking naproxen for knee osteoarthritis."
)
RESTATED = (
    "In an older adult with atrial fibrillation, CKD stage 3b (eGFR 38), weight 58 kg, serum creatinine 1.7 mg/dL, "
    "which oral anticoagulant at which dose is recommended?"
)


def af_writer() -> ScriptedModel:
    def written(prompt: Recommend) -> RecommendationDraft:
        (passage,) = [item.passage for item in prompt.evidence]
        stop, dose = "Stop concomitant NSAID use in patients on an anticoagulant.", "Reduce to 2.5 mg BID"
        return RecommendationDraft(
            statements=(
                DraftStatement(
                    text="Apixaban 2.5 mg twice daily: weight and creatinine meet two criteria.",
                    quotes=(DraftQuote(passage_id=passage.id, quote=dose),),
                    lead=True,
                ),
                DraftStatement(text=stop, quotes=(DraftQuote(passage_id=passage.id, quote=stop),), topic="Naproxen"),
            )
        )

    made = PicoReply(population="older adults, CKD stage 3b (eGFR 38), weight 58 kg", question=RESTATED)
    return ScriptedModel({MakePico: made, Recommend: written})


async def recommended(model: ScriptedModel) -> Answer:
    held = with_model(model, sources=(source("guidelines", AF, kind="guideline"),))
    return await recommend(Question(text="Which anticoagulant and dose should he get?", patient=HUGHES), held)


async def test_the_question_keeps_its_figures_and_is_not_mangled() -> None:
    given = await recommended(af_writer())
    for told in (given.question.text, given.question.pico.population if given.question.pico else ""):
        assert "CKD stage 3b (eGFR of 38)" in told
        assert re.search(r"weight (?:of )?58 kg", told)
        assert "()" not in told


async def test_no_date_of_birth_reaches_a_prompt() -> None:
    model = af_writer()
    await recommended(model)
    assert {type(prompt) for prompt in model.prompts} >= {MakePico, Recommend}
    assert all("4 May" not in prompt.model_dump_json() for prompt in model.prompts)
    assert any("born 1951. 72-year-old" in prompt.model_dump_json() for prompt in model.prompts)


async def test_advice_to_stop_a_drug_stands_and_a_line_on_atrial_fibrillation_without_valve_disease_fits() -> None:
    given = await recommended(af_writer())
    assert [one.topic for one in given.statements][-1] == "Naproxen"
    shown = " ".join(terminal_text(given, TerminalPage(width=100)).split())
    assert "not for this patient" not in shown
    assert "does not fit" not in shown
    (line,) = [one for one in given.recommendation.lines if "Apixaban" in one.drugs]  # type: ignore[union-attr]
    assert line.record == ("weight 58 kg", "serum creatinine 1.7 mg/dL")


async def test_a_line_with_arrows_is_shown_whole() -> None:
    given = await recommended(af_writer())
    quotes = [one.citations[-1].quote for one in given.recommendation.lines]  # type: ignore[union-attr]
    assert any(quote.endswith("eGFR < 45 → stop naproxen → recheck creatinine in 1 week.") for quote in quotes)
