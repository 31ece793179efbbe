"""`wellsourced evaluate contexts` and its neighbours as they are typed, on real files, and on a model behind HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run, corpus, run, trials  # noqa: F401 (fixtures)
from tests.servers.base import serving
from tests.servers.models.base import Body, Writes
from tests.servers.models.thinking import Thinking
from wellsourced.models.base import Reply
from wellsourced.prompts.writing import Draft, DraftStatement
from wellsourced_evaluate.contexts.study import read_study

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

_PASSAGE = re.compile(r"<(?P<name>\w+)-(?P<code>[0-9A-F]{4,64}) id=\w+>\n.*?\n</\1-\2>", re.DOTALL)
EDGE = 3
DRUGS = ("colchicine", "allopurinol")
WORDS = ("spring", "summer", "autumn", "winter", "morning", "evening", "noon", "night", "dawn")


def decide(reply: Reply) -> Reply:
    """Of a draft only the finding, which begins with yes; else its first statement as it is."""
    if not isinstance(reply, Draft):
        return reply
    finding = [one for one in reply.statements if "by two days" in one.text]
    said = [DraftStatement(text=f"Yes: {one.text}", quotes=one.quotes, lead=True) for one in finding[:1]]
    return reply.model_copy(update={"statements": tuple(said) or reply.statements[:1]})


class EdgeReader(Thinking):
    """A model that reads only the first and the last passages of a long prompt: it is lost in the middle."""

    def writes(self, body: Body) -> Writes:
        messages = [{**one, "content": self._forget(one["content"])} for one in body["messages"]]
        return super().writes({**body, "messages": messages})

    def _forget(self, text: str) -> str:
        passages = list(_PASSAGE.finditer(text))
        for one in reversed(passages[EDGE:-EDGE]):
            text = text[: one.start()] + text[one.end() :]
        return text


class SeededReader(Thinking):
    """A model whose answer changes with its seed: with an odd one it says another sentence."""

    def writes(self, body: Body) -> Writes:
        chosen = super().writes(body)
        if body.get("seed", 0) % 2 and '"statements"' in chosen.text:
            draft = json.loads(chosen.text)
            draft["statements"] = draft["statements"][-1:]
            return chosen._replace(text=json.dumps(draft))
        return chosen


@pytest.fixture(autouse=True)
def real_requests() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


UNCONTROLLED = ("--set", "check.controls=false")


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def cases(tmp_path: Path) -> tuple[str, str]:
    """Two questions, and a corpus: one document answers each, nine speak of the same and do not answer."""
    questions, documents = [], []
    for number, drug in enumerate(DRUGS):
        questions.append(
            {"id": drug, "question": f"Does {drug} shorten gout flares?", "answer": "yes", "source": f"gold-{number}"}
        )
        text = f"A trial was made. In it {drug} shortened gout flares by two days compared with placebo."
        documents.append({"_id": f"gold-{number}", "title": f"Trial of {drug}", "text": text})
        documents += [
            {
                "_id": f"other-{number}-{place}",
                "title": f"Report {place} on {drug}",
                "text": f"In the {word} clinics gave {drug} to shorten gout flares.",
            }
            for place, word in enumerate(WORDS)
        ]
    return write(tmp_path / "mine.jsonl", questions), write(tmp_path / "corpus.jsonl", documents)


def column(told: dict[str, Any], arm: str, metric: str) -> dict[str, float]:
    return {
        one["condition"]: figure["value"]
        for one in told["conditions"]
        if one["arm"] == arm
        for figure in one["figures"]
        if figure["metric"] == metric
    }


def test_a_model_that_is_lost_in_the_middle_is_seen_and_reading_in_parts_helps(
    run: Run,  # noqa: F811
    cases: tuple[str, str],
    tmp_path: Path,
) -> None:
    questions, documents = cases
    with serving(EdgeReader(decide)) as model:
        # It reads what it is asked and judges nothing: controls would find it out.
        words = ("--model", "compatible:edge", "--set", f"compatible.url={model.url}/v1", *UNCONTROLLED)
        # With this seed the order is not that of BM25, so that the preflight lets the passages be read in parts.
        drawn = ("--documents", "8", "--limit", "1", "--seed", "9")
        done = run(
            *words,
            *("evaluate", "contexts", questions, "--corpus", documents, *drawn, "--html"),
            *(str(tmp_path / "page.html"), "--preset", "rag", "--preset", "briefcontext", "--out", str(tmp_path)),
            "--json",
        )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    # Of 8 passages the 1st to 3rd and 6th to 8th are read; at 50 % stands the 5th. Parts of four are read whole.
    rag = column(told, "rag", "answer_accuracy")
    assert [rag[f"gold at {percent} % of 8"] for percent in (0, 25, 50, 75, 100)] == [1, 1, 0, 1, 1]
    brief = column(told, "briefcontext", "answer_accuracy")
    assert [brief[f"gold at {percent} % of 8"] for percent in (0, 25, 50, 75, 100)] == [1, 1, 1, 1, 1]
    assert (rag["gold alone"], rag["nothing"], rag["7 distractors alone"]) == (1, 0, 0)
    assert told["misplaced"] == {"rag": 0, "briefcontext": 0}
    (tests,) = (one for one in told["tests"] if (one["arm"], one["metric"]) == ("rag", "answer_accuracy"))
    # k = 5; C = 1, 1, 0, 1, 1; T = 4; R = 4: Q = 4 · (5·4 - 16) / (5·4 - 16) = 4.
    assert tests["cochran"]["value"] == pytest.approx(4.0)
    assert [one["difference"]["mean"] for one in tests["against_first"]] == [0, -1, 0, 0]
    (gain,) = (one for one in told["arms"] if one["metric"] == "answer_accuracy")
    assert gain["difference"]["mean"] == pytest.approx(0.2)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "answer_accuracy by the place of the gold document among 8" in page
    assert "briefcontext: gold alone" in page


def test_a_cut_study_goes_on_with_the_same_settings_alone(
    run: Run,  # noqa: F811
    cases: tuple[str, str],
    tmp_path: Path,
) -> None:
    questions, documents = cases
    command = ("evaluate", "contexts", questions, "--corpus", documents, "--documents", "8", "--out", str(tmp_path))
    assert run(*command).exit_code == 0
    path = tmp_path / "mine.default.contexts.jsonl"
    whole = path.read_bytes()
    study = read_study(path)
    assert len(study.records) == 2 * 7
    # As if it had been killed while it wrote: the cut line is written anew, the lines before it stay.
    kept = whole.splitlines(keepends=True)[:9]
    path.write_bytes(b"".join(kept) + b'{"case":"colch')
    done = run(*command, "--json")
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(b"".join(kept))
    assert read_study(path).records.keys() == study.records.keys()
    told = json.loads(done.stdout)
    assert "nothing" not in column(told, "default", "abstention")
    refused = run(*command, "--seed", "8")
    assert refused.exit_code == 1
    assert "holds another study" in refused.stderr


def test_a_case_without_its_document_is_left_out_and_said(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    rows = [
        {"id": "a", "question": "Does colchicine help gout?", "answer": "yes", "context": ["Colchicine helps gout."]},
        {"id": "b", "question": "Does rest help gout?", "answer": "no", "context": ["Rest does not help gout."]},
        {"id": "c", "question": "Does water help gout?", "answer": "maybe"},
    ]
    command = ("evaluate", "contexts", write(tmp_path / "own.jsonl", rows), "--documents", "2", "--out", str(tmp_path))
    done = run(*command)
    assert done.exit_code == 0, done.output
    assert "Of 3 cases 1 are not asked (1: neither its source nor a context is named)" in done.stdout
    drawn = run(*command, "--per-answer", "1", "--fresh")
    assert "Known answers: 1 yes, 1 no." in drawn.stdout or "Known answers: 1 no, 1 yes." in drawn.stdout, drawn.output
    few = run(*command, "--per-answer", "2")
    assert (few.exit_code, "fewer than 2 cases of each known answer: 1 of “yes”" in few.stderr) == (1, True)
    refused = run(*command, "--documents", "9", "--fresh")
    assert refused.exit_code == 1
    assert "only 1 of 8 similar distractors are there" in refused.stderr


def test_what_an_answer_owes_to_a_document_and_to_its_words(
    run: Run,  # noqa: F811
    trials: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    facts = [{"fact": "two days", "pattern": "two days"}]
    row = {"id": "gout", "question": "Does colchicine shorten gout flares?", "answer": "yes", "facts": facts}
    asked = write(tmp_path / "mine.jsonl", [row])
    own = ("--set", "guidelines=false", "evaluate")
    done = run(*own, "ablation", asked, "--out", str(tmp_path), "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    # The other document is on another drug, and not shown.
    kept = {"without cited document 1": 0.0}
    assert column(told, "default", "facts_said") == {"all sources": 1.0, **kept}
    assert column(told, "default", "same_facts") == kept
    assert column(told, "default", "statements_kept") == kept
    assert [one["drop"] for one in told["relative_drops"] if one["metric"] == "facts_said"] == [1.0]
    variants = ("--variant", "capitals", "--variant", "typing errors", "--variant", "paraphrase of a model")
    done = run(*own, "robustness", asked, *variants, "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "no case could be asked so: paraphrase of a model" in done.stdout
    assert "| same_lead | default | capitals | 1.000 |" in done.stdout
    refused = run(*own, "robustness", asked, "--variant", "shouting")
    assert refused.exit_code == 2
    assert "No wording “shouting”" in refused.stderr


def test_how_sure_a_model_is_and_that_it_does_not_apply_without_one(
    run: Run,  # noqa: F811
    cases: tuple[str, str],
    tmp_path: Path,
) -> None:
    questions, documents = cases
    command = ("evaluate", "uncertainty", questions, "--corpus", documents, "--limit", "1", "--samples", "2", "--json")
    done = run(*command, "--out", str(tmp_path / "extractive"))
    assert done.exit_code == 0, done.output
    (arm,) = json.loads(done.stdout)["arms"]
    assert arm["luq"]["mean"] is None
    assert "the same each time" in arm["reason"]
    with serving(SeededReader()) as model:
        words = ("--model", "compatible:seeded", "--set", f"compatible.url={model.url}/v1", *UNCONTROLLED)
        done = run(*words, *command, "--preset", "rag", "--out", str(tmp_path / "model"))
    assert done.exit_code == 0, done.output
    (arm,) = json.loads(done.stdout)["arms"]
    assert (arm["luq"]["cases"], arm["questions"][0]["answers"]) == (1, 2)
    assert arm["luq"]["mean"] > 0
    answered = read_study(tmp_path / "model" / "mine.rag.uncertainty.jsonl").records
    assert len({one.text for one in answered.values()}) == 2


def test_answers_of_a_file_are_compared_and_a_bad_line_refuses_it(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    said = "Colchicine shortened gout flares by two days."
    rows = [
        {"id": "sure", "answers": [said, said, said], "correct": True},
        {"id": "unsure", "answers": [said, "Colchicine did not shorten gout flares."], "correct": False},
        {"id": "alone", "answers": [said], "correct": 0.5},
    ]
    done = run("evaluate", "uncertainty", "--answers", write(tmp_path / "said.jsonl", rows), "--json")
    assert done.exit_code == 0, done.output
    (arm,) = json.loads(done.stdout)["arms"]
    found = {one["id"]: one["uncertainty"] for one in arm["questions"]}
    assert found["alone"] is None
    assert found["sure"] < found["unsure"]
    assert (arm["luq"]["cases"], arm["luq"]["undefined"], arm["spearman"]["items"]) == (2, 1, 2)
    bad = [*rows, {"id": "sure", "answers": ["x"]}, {"id": "odd", "answers": "x"}]
    refused = run("evaluate", "uncertainty", "--answers", write(tmp_path / "bad.jsonl", bad))
    assert refused.exit_code == 1
    assert "line 4: the id “sure” is on line 1 already" in refused.stderr
    assert "line 5: answers: Input should be a valid array" in refused.stderr
    assert run("evaluate", "uncertainty").exit_code == 2
