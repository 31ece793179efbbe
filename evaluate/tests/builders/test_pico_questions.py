"""Clinical questions from articles: the forms that are read, what does not stand alone, and what a model may write."""

import json
from pathlib import Path
from typing import Any

import pytest

from wellsourced.errors import SourceRefused
from wellsourced.models.scripted_model import ScriptedModel
from wellsourced.prompts.probing import PicoQuestionReply, WritePicoQuestion
from wellsourced_evaluate.builders.articles import ArticlePart, find_conclusion, trim_to_finding
from wellsourced_evaluate.builders.pico_questions import PicoTask, build_pico_questions, find_flaw
from wellsourced_evaluate.builders.pico_rules import ask_by_aim, ask_by_title
from wellsourced_evaluate.questions.cases import read_questions


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("Effect of vitamin D on proteinuria in type 2 diabetic patients: a randomized trial",
         "What is the effect of vitamin D on proteinuria in type 2 diabetic patients?"),
        ("Efficacy and safety of selinexor in relapsed multiple myeloma",
         "What are the efficacy and safety of selinexor in relapsed multiple myeloma?"),
        ("Gatifloxacin versus cefixime for uncomplicated enteric fever",
         "How does Gatifloxacin compare with cefixime for uncomplicated enteric fever?"),
        ("Duloxetine in the treatment of major depressive disorder",
         "How effective is Duloxetine for the treatment of major depressive disorder?"),
        ("Efficacy of acupuncture for back pain: trial protocol", ""),
        ("Low versus standard pressure gas injection on nausea in laparoscopy", ""),
        ("Metformin improves survival: a study of effects on mice versus rats in cages", ""),
    ],
)  # fmt: skip
def test_a_title_of_an_effect_or_a_comparison_asks(title: str, asked: str) -> None:
    assert ask_by_title(title).text == asked


@pytest.mark.parametrize(
    ("aim", "asked"),
    [
        ("To determine if zinc reduces diarrhea prevalence in children.",
         "Does zinc reduce diarrhea prevalence in children?"),
        ("The aim of this study was to assess whether needle size was associated with pain in adults.",
         "Is needle size associated with pain in adults?"),
        ("We compared losigamone with placebo in adults with partial epilepsy.",
         "How does losigamone compare with placebo in adults with partial epilepsy?"),
        ("To evaluate the effect of esomeprazole on pulmonary exacerbations in cystic fibrosis using a cross-over.",
         "What is the effect of esomeprazole on pulmonary exacerbations in cystic fibrosis?"),
        ("To develop a questionnaire on pain.", ""),
        ("To determine whether diet reduces weight and results in fewer flares.", ""),
    ],
)  # fmt: skip
def test_an_aim_asks_in_the_words_of_the_article(aim: str, asked: str) -> None:
    assert ask_by_aim(aim).text == asked


@pytest.mark.parametrize(
    ("question", "flaw"),
    [
        ("What is the effect of vitamin D on proteinuria in adults?", ""),
        ("What is the effect of this intervention on pain in adults?", "its question rests on the article"),
        ("What is the effect of XQZT on pain in adults?", "its question has an abbreviation"),
        ("What is the effect of gabapentin (a drug on pain in adults?", "its question has a bracket"),
        ("What about pain?", "its question is too short"),
    ],
)
def test_what_does_not_stand_alone_is_told(question: str, flaw: str) -> None:
    assert find_flaw(question).startswith(flaw)
    assert bool(find_flaw(question)) == bool(flaw)


def test_a_conclusion_is_its_findings_without_research_to_come() -> None:
    said = "Zinc helps. Zinc reduced diarrhea by a third, but larger trials are needed. Future studies should add iron."
    assert find_conclusion([ArticlePart("CONCLUSIONS", said), ArticlePart("METHODS", "Zinc was given to all.")]) == (
        "Zinc reduced diarrhea by a third.",
    )
    assert trim_to_finding("Our trial will show whether zinc helps children.") == ""


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "trials.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


ZINC = {
    "_id": "t1",
    "title": "Effect of Zinc Supplementation on Diarrhea in Children: A Randomized Trial",
    "text": "BACKGROUND: Diarrhea is common in children. RESULTS: With zinc supplementation there was less of it. "
    "CONCLUSIONS: Zinc reduced diarrhea by a third.",
}
CASE = {"_id": "t2", "title": "A man with a rash", "text": "CONCLUSIONS: The rash went away by itself after a week."}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_articles_give_cases_with_their_source_and_the_share_is_told(tmp_path: Path) -> None:
    out = tmp_path / "pico.jsonl"
    made = await build_pico_questions(PicoTask((write(tmp_path, ZINC, CASE),), out), None, lambda _a, _b: None)
    (row,) = read(out)
    assert row["question"] == "What is the effect of zinc supplementation on diarrhea in children?"
    assert (row["source"], row["must_have"]) == (["t1"], ["Zinc reduced diarrhea by a third."])
    assert row["pico"]["intervention"] == "Zinc Supplementation"
    assert made.notes == ("1 of 2 articles gave a question (50%).",)
    assert read(tmp_path / "pico.left-out.jsonl")[0]["key"] == "t2"
    assert [case.id for case in read_questions(out).cases] == ["pico-t1"]


async def test_a_model_writes_what_the_article_says_or_nothing(tmp_path: Path) -> None:
    def reply(prompt: WritePicoQuestion) -> PicoQuestionReply:
        if "rash" in prompt.text:
            return PicoQuestionReply()
        asked = "Does zinc reduce diarrhea in children?"
        parts = {"population": "children", "intervention": "zinc", "outcome": "diarrhea"}
        return PicoQuestionReply(question=asked, answer="yes", finding="Zinc reduced diarrhea by a third.", **parts)

    out = tmp_path / "pico.jsonl"
    model = ScriptedModel({WritePicoQuestion: reply})
    task = PicoTask((write(tmp_path, ZINC, CASE),), out, model="scripted")
    made = await build_pico_questions(task, model, lambda _a, _b: None)
    assert [(row["answer"], row["form"]) for row in read(out)] == [("yes", "model")]
    assert made.left_out == {"the model says that it answers no clinical question": 1}


async def test_a_finished_build_is_not_repeated_and_another_one_is_refused(tmp_path: Path) -> None:
    out, articles = tmp_path / "pico.jsonl", write(tmp_path, ZINC, CASE)
    first = await build_pico_questions(PicoTask((articles,), out), None, lambda _a, _b: None)
    assert await build_pico_questions(PicoTask((articles,), out), None, lambda _a, _b: None) == first
    with pytest.raises(SourceRefused, match="limit"):
        await build_pico_questions(PicoTask((articles,), out, limit=1), None, lambda _a, _b: None)
    assert (await build_pico_questions(PicoTask((articles,), out, limit=1, fresh=True), None, lambda _a, _b: None)).rows
