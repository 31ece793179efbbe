"""The short answer of a guideline: the units that decide, and no more."""

from tests.tables import each_row
from tests.world import Knowing
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.models.unit_selection import MAX_WORDS, load_short_answer_model
from wellsourced.prompts.writing import Draft, WriteAnswer
from wellsourced.types import Evidence, Passage, Question, Reference

POTASSIUM = """Potassium

Serum potassium | What to do in ketoacidosis
K+ < 3.5 mmol/L | Delay insulin and replace potassium
K+ 3.5-5.0 mmol/L | Start insulin and add potassium
K+ > 5.0 mmol/L | Start insulin without potassium
"""

NITROGLYCERIN = """Nitroglycerin in chest pain

- Nitroglycerin: 0.4 mg sublingual every 5 minutes for ongoing chest pain.
- Nitroglycerin: Contraindications: systolic pressure below 90 mmHg, sildenafil within 24 hours.
- Nitroglycerin: Store the tablets in a dark bottle.
"""

SCORE = """Points of the chest pain score

- Heart rate above 100 per minute: 1.5 points
- Hemoptysis: 1 point
- Malignancy: 1 point
- Immobilization for more than 3 days: 1.5 points
"""


async def answer(question: str, text: str, leads: int = 2) -> Draft:
    reference = Reference(id="g", title=text.partition("\n")[0], kind="guideline")
    section = f"{reference.title} › {reference.title}"
    passage = Passage(reference=reference, text=text, start=0, end=len(text), section=section)
    evidence = (Evidence(passage=passage, relevance=0.95),)
    prompt = WriteAnswer(question=Question(text=question), evidence=evidence, statements=8, leads=leads)
    return await ExtractiveModel(Knowing(["insulin", "Nitroglycerin", "point"])).complete(prompt)


def lead_of(draft: Draft) -> str:
    return "\n".join(one.text for one in draft.statements if one.lead)


@each_row(
    ("figure", "advice", "others"),
    [
        ("3.1", "Delay insulin", ("Start insulin",)),
        ("4.2", "add potassium", ("Delay insulin", "without potassium")),
        ("5.9", "without potassium", ("Delay insulin", "add potassium")),
    ],
)
async def test_the_row_that_the_figure_of_the_question_falls_into_leads_alone(
    figure: str, advice: str, others: tuple[str, ...]
) -> None:
    draft = await answer(f"Ketoacidosis, K came back {figure}. Start the insulin and potassium?", POTASSIUM)
    assert advice in lead_of(draft)
    assert not any(other in lead_of(draft) for other in others)


async def test_the_other_rows_are_said_below_what_leads() -> None:
    draft = await answer("Ketoacidosis, K came back 3.1. Start the insulin and potassium?", POTASSIUM)
    rest = "\n".join(one.text for one in draft.statements if not one.lead)
    assert "add potassium" in rest
    assert "without potassium" in rest


async def test_who_must_not_have_it_leads_with_its_contraindications() -> None:
    draft = await answer("Who shouldn't get nitroglycerin for chest pain?", NITROGLYCERIN)
    first = next(one for one in draft.statements if one.lead)
    assert "Contraindications" in first.text


async def test_a_list_that_is_asked_for_leads_whole() -> None:
    draft = await answer("List the points for each thing in the chest pain score", SCORE)
    assert all(item in lead_of(draft) for item in ("Heart rate", "Hemoptysis", "Malignancy", "Immobilization"))


async def test_no_more_statements_lead_than_may() -> None:
    draft = await answer("Who shouldn't get nitroglycerin for chest pain?", NITROGLYCERIN, leads=1)
    assert sum(one.lead for one in draft.statements) == 1


async def test_nothing_is_lost_or_said_twice_where_a_statement_is_divided() -> None:
    draft = await answer("Ketoacidosis, K came back 3.1. Start the insulin and potassium?", POTASSIUM)
    said = " ".join(one.text for one in draft.statements)
    assert [said.count(words) for words in ("Delay insulin", "add potassium", "without potassium")] == [1, 1, 1]
    assert len(lead_of(draft).split()) <= MAX_WORDS


def test_the_model_says_what_it_was_fitted_on() -> None:
    model = load_short_answer_model()
    assert model.n > 200
    assert "questions_blind_7" in model.fitted_on


@each_row(
    ("question", "first"),
    [("How is delayed ischemia treated?", "Raise the pressure"), ("How is delayed ischemia defined?", "Delayed")],
)
async def test_what_something_is_does_not_lead_where_it_is_asked_what_is_done(question: str, first: str) -> None:
    said = {
        "Definition": "Delayed ischemia is a new deficit, treated or not treated, of one hour in delayed ischemia.",
        "Step 1": "Raise the pressure of patients in whom ischemia is delayed.",
    }
    reference = Reference(id="g", title="Delayed ischemia", kind="guideline")
    evidence = tuple(
        Evidence(
            passage=Passage(
                reference=reference, text=text, start=at, end=at + len(text), section=f"Delayed ischemia › {heading}"
            ),
            relevance=0.95,
        )
        for at, (heading, text) in zip((0, 200), said.items(), strict=True)
    )
    prompt = WriteAnswer(question=Question(text=question), evidence=evidence, statements=8, leads=2)
    draft = await ExtractiveModel(Knowing(["ischemia"])).complete(prompt)
    assert lead_of(draft).startswith(first)
