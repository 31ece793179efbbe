"""`wellsourced evaluate build …` as it is typed: what is written, what is told, and that the other commands take it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking, saying

COLCHICINE = (
    "Colchicine shortened gout flares by two days in adults compared with placebo. Pain was lower in the colchicine "
    "group than in the placebo group (12% vs 31%, p=0.01). Patients received 0.5 mg daily for 6 months. In conclusion, "
    "colchicine reduces the length of flares in adults with gout, and diarrhea was not more frequent."
)
SIMVASTATIN = (
    "Simvastatin did not improve outcomes of aneurysmal subarachnoid hemorrhage in a trial of 803 patients. Mortality "
    "was 10% in the simvastatin group and 9% with placebo (p=0.6). Simvastatin 40 mg was given daily for 21 days."
)
QUESTIONS = (
    {"id": "q1", "question": "Does colchicine shorten flares of gout?", "answer": "yes", "source": "t1"},
    {
        "id": "q2",
        "question": "Does simvastatin improve outcomes of subarachnoid hemorrhage?",
        "answer": "no",
        "source": "t2",
    },
    {"id": "q3", "question": "Does zinc help against colds?", "source": "t9"},
    {"id": "q4", "question": "Does rest help against colds?"},
)


def write(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def articles(tmp_path: Path) -> str:
    rows = (
        {"_id": "t1", "title": "Effect of colchicine on flares in adults with gout", "text": COLCHICINE},
        {"_id": "t2", "title": "Simvastatin after hemorrhage", "text": SIMVASTATIN},
    )
    return write(tmp_path / "articles.jsonl", *rows)


def test_questions_that_no_library_answers_are_mixed_with_those_that_one_does(
    run: Run, tmp_path: Path, articles: str
) -> None:
    assert run("library", "create", "trials", "--lexical", "--add", articles).exit_code == 0
    out = tmp_path / "mixed.jsonl"
    words = ("--set", "guidelines=false", "evaluate", "build", "unanswerable-questions")
    given = write(tmp_path / "given.jsonl", *QUESTIONS)
    told = run(*words, given, "--out", str(out), "--json")
    assert told.exit_code == 0, told.stderr
    rows = {str(row["id"]): row for row in read(out)}
    assert rows["q1"] == {
        "id": "q1", "question": QUESTIONS[0]["question"], "answerable": True, "source": ["t1"], "answer": "yes",
        "group": "q1",
    }  # fmt: skip
    assert json.loads(told.stdout)["left_out"] == {
        "no library has what it was made from": 1,
        "it does not say from what it was made": 1,
    }
    removed = rows["q1-source-removed"]
    assert (removed["question"], removed["exclude"]) == (QUESTIONS[0]["question"], ["t1"])
    run_it = ("--set", "guidelines=false", "evaluate", "run", str(out), "--json")
    (report,) = json.loads(run(*run_it, "--out", str(tmp_path / "answered"), encoder="minilm").stdout)
    assert "refusal_recall" in json.dumps(report)
    (answers,) = (tmp_path / "answered").glob("*.jsonl")
    records = {one["case"]: one for one in read(answers)[1:]}
    assert records["q1-source-removed"]["own_source"] is False
    assert records["q1"]["own_source"] is True


@pytest.fixture
def _asked_on_loopback() -> Iterator[None]:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    with models.override_allow_model_requests(True):
        yield


@pytest.mark.usefixtures("_asked_on_loopback")
def test_pages_give_questions_with_the_page_as_source(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "gout.md"
    page.write_text("# Gout\n\n" + "Colchicine shortened the flare of gout by two days in this trial. " * 6)
    out = tmp_path / "pages.jsonl"

    def build(url: str, *pages: str) -> object:
        model = ("--model", "compatible:sim", "--set", f"compatible.url={url}/v1", "--set", "models.cache=false")
        return run(*model, "evaluate", "build", "page-questions", *pages, "--out", str(out), "--json")

    with serving(Thinking()) as served:
        told = build(served.url, str(page), str(tmp_path / "none.md"))
    made = json.loads(told.stdout)  # type: ignore[attr-defined]
    assert (made["rows"], made["left_out"]) == (1, {"the page cannot be read": 1})
    (row,) = read(out)
    assert str(row["excerpt"]) in page.read_text()
    assert row["must_have"] == [row["human_answer"]]
    with serving(Thinking(saying(question="What does this page say?"))) as served:
        out = tmp_path / "none.jsonl"
        told = build(served.url, str(page))
    assert told.exit_code == 3  # type: ignore[attr-defined]
    assert "is not complete by itself" in told.stderr  # type: ignore[attr-defined]


def test_without_a_model_no_page_gives_a_question_and_the_remedy_is_named(run: Run) -> None:
    told = run("evaluate", "build", "page-questions", "page.md")
    assert told.exit_code == 2
    assert "--model ollama:NAME" in told.stderr


def test_a_set_is_json_lines_and_no_file_of_others_is_overwritten(run: Run, tmp_path: Path, articles: str) -> None:
    assert run("library", "create", "trials", "--lexical", "--add", articles).exit_code == 0
    words = ("evaluate", "build", "unanswerable-questions", write(tmp_path / "given.jsonl", *QUESTIONS))
    assert run(*words, "--out", "mine.csv").exit_code == 2
    mine = write(tmp_path / "mine.jsonl", {"id": "1"})
    told = run(*words, "--out", mine)
    assert told.exit_code == 1
    assert "exists already" in told.stderr
    assert read(Path(mine)) == [{"id": "1"}]
