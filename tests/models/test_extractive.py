"""Answers without a language model: the sources' sentences, chosen and put in order."""

from typing import ClassVar

import pytest

from tests.tables import each_row
from tests.world import Knowing, document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.errors import UnsupportedPrompt
from wellsourced.models.base import Prompt, Reply
from wellsourced.models.extractive import ExtractiveModel, select_leads
from wellsourced.models.study_leads import choose_study_leads
from wellsourced.prompts.writing import Draft, LocatedQuote, NearDraft, WriteAnswer
from wellsourced.types import Document, Evidence, Passage, Question, Reference

QUESTION = Question(text="How is gout treated?")


async def drafted(*documents: Document, relevant: str = "gout", statements: int = 8) -> Draft:
    """The draft from all passages of the documents; what contains the word is relevant."""
    evidence = tuple(Evidence(passage=passage, relevance=0.9) for passage in passages(*documents))
    prompt = WriteAnswer(question=QUESTION, evidence=evidence, statements=statements, leads=2)
    return await ExtractiveModel(Knowing([relevant])).complete(prompt)


async def test_what_does_not_bear_on_the_question_is_not_said() -> None:
    draft = await drafted(document("a", "Colchicine treats gout flares well. The weather was mild in this region."))
    assert [statement.text for statement in draft.statements] == ["Colchicine treats gout flares well."]


async def test_nothing_is_said_twice() -> None:
    twice = (
        document("a", "Colchicine treats gout flares well in adults."),
        document("b", "In adults, colchicine treats gout flares well."),
    )
    assert len((await drafted(*twice)).statements) == 1


async def test_the_aim_of_a_study_gives_way_to_its_conclusion() -> None:
    text = (
        "The aim of this study was to find how gout should be treated. We conclude that colchicine treats gout flares."
    )
    draft = await drafted(document("a", text))
    assert [one.text for one in draft.statements if one.lead] == ["We conclude that colchicine treats gout flares."]


async def test_statements_of_one_source_stand_together_in_its_order() -> None:
    one = document("a", "Colchicine treats gout flares. Ice relieves the pain of an attack of gout.")
    other = document("b", "Febuxostat lowers urate in chronic gout for years.")
    draft = await drafted(one, other)
    homes = [statement.quotes[0].passage_id[0] for statement in draft.statements]
    assert homes == sorted(homes)
    assert [statement.text for statement in draft.statements][:2] == [
        "Colchicine treats gout flares.", "Ice relieves the pain of an attack of gout."
    ]  # fmt: skip


async def test_no_more_is_said_than_was_asked_for() -> None:
    many = [
        document(str(n), f"{drug} treats gout in most patients.") for n, drug in enumerate(("A1", "B2", "C3", "D4"))
    ]
    assert len((await drafted(*many, statements=2)).statements) <= 2


async def test_a_prompt_that_needs_a_language_model_is_refused_in_a_plain_sentence() -> None:
    class Poem(Prompt[Reply]):
        """Write a poem."""

        reply: ClassVar[type[Reply]] = Reply

    with pytest.raises(UnsupportedPrompt, match="this needs a language model, and none is configured"):
        await ExtractiveModel(Knowing([])).complete(Poem())


GUIDELINE = """Dosing

Drug | Dose
Colchicine | 1.2 mg orally, then 0.6 mg
Naproxen | 500 mg twice daily

Monitoring

Check the renal function of everyone who is treated for gout every 6 months.
"""


def guideline_evidence() -> tuple[Evidence, ...]:
    reference = Reference(id="g", title="Gout Guideline", kind="guideline")
    cut = GUIDELINE.index("Monitoring")
    parts = [(0, cut - 1, "Gout › Dosing"), (cut, len(GUIDELINE), "Gout › Monitoring")]
    return tuple(
        Evidence(
            passage=Passage(reference=reference, text=GUIDELINE[start:end], start=start, end=end, section=path),
            relevance=0.9,
        )
        for start, end, path in parts
    )


async def answered(question: str) -> Draft:
    prompt = WriteAnswer(question=Question(text=question), evidence=guideline_evidence(), statements=8, leads=2)
    return await ExtractiveModel(Knowing(["mg", "months"])).complete(prompt)


async def test_a_dose_is_said_of_the_drug_that_is_asked_about_and_of_no_other() -> None:
    draft = await answered("What dose of naproxen for gout?")
    assert [one.text for one in draft.statements if one.lead] == ["Dosing: Naproxen: 500 mg twice daily"]


async def test_each_row_is_cited_where_it_stands() -> None:
    draft = await answered("What dose of naproxen for gout?")
    quotes = [quote for one in draft.statements for quote in one.quotes]
    assert all(isinstance(quote, LocatedQuote) for quote in quotes)
    assert all(
        GUIDELINE[one.start : one.start + len(one.quote)] == one.quote for one in quotes if "#0-" in one.passage_id
    )


@each_row(
    ("question", "missing"),
    [
        ("What dose of prednisolone for gout?", ("prednisolone",)),
        ("What dose of colchicine for a 7-year-old with gout?", ("children",)),
        ("How long is naproxen given for gout?", ("the duration of naproxen",)),
    ],
)
async def test_what_nothing_answers_is_told_and_what_stands_near_is_no_answer(
    question: str, missing: tuple[str, ...]
) -> None:
    draft = await answered(question)
    assert isinstance(draft, NearDraft)
    assert draft.missing == missing


async def test_what_is_said_of_prophylaxis_comes_after_what_is_said_of_an_attack() -> None:
    text = "In acute gout give naproxen 500 mg by mouth. For prophylaxis of gout give naproxen 250 mg by mouth."
    made = document("g", text)
    made = made.model_copy(update={"reference": made.reference.model_copy(update={"kind": "guideline"})})
    evidence = tuple(Evidence(passage=one, relevance=0.9) for one in passages(made))
    for question, dose in (("acute gout", "500"), ("prophylaxis of gout", "250")):
        asked = Question(text=f"What dose of naproxen by mouth for {question}?")
        prompt = WriteAnswer(question=asked, evidence=evidence, statements=8, leads=1)
        draft = await ExtractiveModel(Knowing(["mg"])).complete(prompt)
        (lead,) = [one.text for one in draft.statements if one.lead]
        assert dose in lead


async def test_where_a_study_answers_best_what_leads_is_chosen_among_short_answers_of_studies() -> None:
    question = Question(text="Which kinase does fenebrutinib inhibit?")
    texts = (
        "Fenebrutinib does inhibit a kinase.",
        "Bruton tyrosine kinase is what fenebrutinib can inhibit in human blood (BTK).",
        "Fenebrutinib is an inhibitor of Bruton tyrosine kinase (BTK) that is given by mouth.",
    )
    evidence = tuple(
        Evidence(passage=passage, relevance=0.9)
        for passage in passages(*(document(str(n), text) for n, text in enumerate(texts)))
    )
    prompt = WriteAnswer(question=question, evidence=evidence, statements=8, leads=2)
    model = ExtractiveModel(Knowing(["kinase"]))
    ranked = await model.rank_units(prompt, read_question(question))
    draft = await model.complete(prompt)
    leads = [one.text for one in draft.statements if one.lead]
    assert sorted(leads) == sorted(one.unit.text for one in choose_study_leads(question.text, ranked, 2))
    assert leads != [one.unit.text for one in select_leads(question.text, ranked, 2)]
    assert draft.statements[0].lead


@each_row(("leads", "is_named"), [(1, False), (2, True)])
async def test_a_short_sentence_of_a_study_that_names_what_is_asked_for_leads_on_top(
    leads: int, is_named: bool
) -> None:
    question = Question(text="Which kinase is inhibited by fenebrutinib?")
    named = "Treated mice had no active kinase BTK1 for many weeks."
    texts = ("Fenebrutinib does inhibit a kinase.", "A kinase in blood is what fenebrutinib can well inhibit.", named)
    evidence = tuple(
        Evidence(passage=passage, relevance=0.9 / (1 + n))
        for n, text in enumerate(texts)
        for passage in passages(document(str(n), text))
    )
    prompt = WriteAnswer(question=question, evidence=evidence, statements=8, leads=leads)
    draft = await ExtractiveModel(Knowing(["kinase"])).complete(prompt)
    led = [one.text for one in draft.statements if one.lead]
    assert (named in led) == is_named
    assert len(led) <= leads + 1


STUDY = "In a trial of adults with gout, naproxen did relieve pain within a few days."


async def answered_beside_a_study(question: str, study: str) -> Draft:
    """The draft from a guideline that is near and a study that is more like the question."""
    evidence = tuple(one.model_copy(update={"relevance": 0.2}) for one in guideline_evidence())
    (passage,) = passages(document("s", study))
    both = (Evidence(passage=passage, relevance=0.95), *evidence)
    prompt = WriteAnswer(question=Question(text=question), evidence=both, statements=8, leads=2)
    return await ExtractiveModel(Knowing(["naproxen", "prednisolone"])).complete(prompt)


async def test_a_name_that_no_guideline_has_is_asked_of_the_studies_that_have_it() -> None:
    named = "In a trial of adults with gout on naproxen, fenebrutinib did relieve pain."
    draft = await answered_beside_a_study("What is fenebrutinib for, with naproxen as the target for pain?", named)
    assert not isinstance(draft, NearDraft)
    assert [one.text for one in draft.statements if one.lead] == [named]
    assert isinstance(await answered_beside_a_study("What is the target for pain on naproxen?", STUDY), NearDraft)


async def test_no_study_gives_a_dose_that_it_has_not() -> None:
    draft = await answered_beside_a_study("72 kg, gout in the knee, failed colchicine. Naproxen - what dose?", STUDY)
    assert not any("trial" in one.text for one in draft.statements if one.lead)
    alone = (Evidence(passage=passages(document("s", STUDY))[0], relevance=0.95),)
    asked = Question(text="What dose of naproxen?")
    prompt = WriteAnswer(question=asked, evidence=alone, statements=8, leads=2)
    assert isinstance(await ExtractiveModel(Knowing(["naproxen"])).complete(prompt), NearDraft)


async def test_what_is_near_is_shown_as_whole_sections() -> None:
    draft = await answered("How long is naproxen given for gout?")
    assert isinstance(draft, NearDraft)
    shown = "\n".join(one.text for one in draft.statements)
    assert "Colchicine: 1.2 mg orally, then 0.6 mg" in shown
    assert "Naproxen: 500 mg twice daily" in shown
