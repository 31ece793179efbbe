"""Clinical questions from articles: what does not stand alone, what a model may write, what a conclusion finds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel
from wellsourced.errors import SourceRefused
from wellsourced.prompts.probing import PicoQuestionReply, WritePicoQuestion
from wellsourced_evaluate.builders.built_set import Manifest, build_set
from wellsourced_evaluate.builders.review_questions import list_findings, trim_to_finding
from wellsourced_evaluate.builders.written_questions import QuestionWriter, find_flaw, pico_recipe
from wellsourced_evaluate.questions.cases import read_questions

FLAWS = {
    "What is the effect of vitamin D on proteinuria in adults?": "",
    "What is the effect of this intervention on pain in adults?": "its question rests on the article",
    "What is the effect of XQZT on pain in adults?": "its question has an abbreviation that it does not explain",
    "What is the effect of gabapentin (a drug on pain in adults?": "its question has a bracket or a quotation mark "
    "that is not closed",
    "What about pain?": "its question is too short or too long",
    "What is the effect of zinc on pain in a?": "its question breaks off",
}


def test_what_does_not_stand_alone_is_told() -> None:
    assert {question: find_flaw(question) for question in FLAWS} == FLAWS


def test_a_conclusion_is_its_findings_without_research_to_come() -> None:
    said = "Zinc helps. Zinc reduced diarrhea by a third, but larger trials are needed. Future studies should add iron."
    assert list_findings([said]) == ("Zinc reduced diarrhea by a third.",)
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


def reply(prompt: WritePicoQuestion) -> PicoQuestionReply:
    if "rash" in prompt.text:
        return PicoQuestionReply()
    asked = "Does zinc reduce diarrhea in children?"
    parts = {"population": "children", "intervention": "zinc", "outcome": "diarrhea"}
    return PicoQuestionReply(question=asked, answer="yes", finding="Zinc reduced diarrhea by a third.", **parts)


async def build(path: Path, out: Path, limit: int = 0, *, fresh: bool = False) -> Manifest:
    writer = QuestionWriter("scripted", ScriptedModel({WritePicoQuestion: reply}))
    return await build_set(out, pico_recipe([path], writer, limit), lambda _: None, fresh=fresh)


async def test_a_model_writes_what_the_article_says_or_nothing(tmp_path: Path) -> None:
    out = tmp_path / "pico.jsonl"
    made = await build(write(tmp_path, ZINC, CASE), out)
    (row,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert (row["source"], row["must_have"], row["answer"]) == (["t1"], ["Zinc reduced diarrhea by a third."], "yes")
    assert row["pico"] == {"population": "children", "intervention": "zinc", "outcome": "diarrhea"}
    assert made.left_out == {"the model says that it answers no clinical question": 1}
    assert (made.rows, made.items) == (1, 2)
    assert json.loads((tmp_path / "pico.left-out.jsonl").read_text())["key"] == "t2"
    assert [case.id for case in read_questions(out).cases] == ["pico-t1"]


async def test_a_finished_build_is_not_repeated_and_another_one_is_refused(tmp_path: Path) -> None:
    out, articles = tmp_path / "pico.jsonl", write(tmp_path, ZINC, CASE)
    first = await build(articles, out)
    assert await build(articles, out) == first
    with pytest.raises(SourceRefused, match="limit"):
        await build(articles, out, 1)
    assert (await build(articles, out, 1, fresh=True)).rows
