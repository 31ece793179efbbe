"""`wellsourced evaluate planner …` as it is typed, from questions to a planner in use; models are on loopback."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.app.conftest import Run
from tests.scripted_model import ScriptedModel
from tests.servers.base import serving
from tests.servers.models.base import Fails, Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from tests.tables import each_row
from wellsourced.models.prompt_rendering import render_prompt
from wellsourced.planners.searches import summarize_source
from wellsourced.prompts.planning import PlannedQuery, PlanSources, SourcePlan, SourceQueries
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Query, Question
from wellsourced_evaluate.planning.diversity import measure_diversity
from wellsourced_evaluate.planning.exploration import (
    ExploredQuestion,
    ExploreSources,
    RecordedSearch,
    ask_model,
    read_exploration,
)
from wellsourced_evaluate.planning.judging import AnswerShortly, ShortAnswer, judge_by_reader, read_judgements
from wellsourced_evaluate.planning.published_tags import read_tags

BARE = ("--set", "guidelines=false", "--set", "reranker=none")

QUESTIONS = (
    {"_id": "q1", "text": "Does colchicine shorten gout flares?"},
    {"id": "q2", "question": "Does allopurinol prevent gout flares?", "answer": "Allopurinol prevented gout flares."},
    {"id": "q3", "question": "Does metformin lower haemoglobin?", "options": {"A": "Yes"}, "answer": "A"},
    {"id": "q4", "question": "Who painted the ceiling?", "answer": "Nobody knows."},
)
"""As BEIR, as our own, as multiple choice; and one that nothing here answers."""

QRELS = "query-id\tcorpus-id\tscore\nq1\ttrial-1\t1\nq2\ttrial-2\t1\nq3\ttrial-3\t1\nq4\ttrial-9\t1\n"


@pytest.fixture
def work(tmp_path: Path, trials: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with questions and gold documents, in which commands are typed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return tmp_path


def step(run: Run, *words: str, status: int = 0) -> str:
    told = run(*BARE, "evaluate", "planner", *words)
    assert told.exit_code == status, told.output
    return told.output


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


EXPLORE = ("explore", "--questions", "mine.jsonl")
JUDGE = ("judge", "explored.jsonl", "--qrels", "qrels.tsv")
ROWS = ("rows", "explored.jsonl", "judged.jsonl")


def test_rows_are_the_same_after_every_step_was_killed_and_resumed(run: Run, work: Path) -> None:
    steps = {("explored.jsonl",): EXPLORE, ("judged.jsonl",): JUDGE, ("rows/sft.jsonl", "rows/dpo.jsonl"): ROWS}
    for words in steps.values():
        step(run, *words)
    whole = {name: (work / name).read_bytes() for names in steps for name in names}
    for names, words in steps.items():
        for name in names:
            # Killed in the middle of the third line.
            first = whole[name].split(b"\n")
            (work / name).write_bytes(b"\n".join(first[:2]) + b"\n" + first[min(2, len(first) - 1)][:20])
        step(run, *words)
        assert {name: (work / name).read_bytes() for name in names} == {name: whole[name] for name in names}


def test_an_exploration_that_was_stopped_goes_on(run: Run, work: Path) -> None:
    step(run, *EXPLORE)
    header, *lines = (work / "explored.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (work / "explored.jsonl").write_text(header + "".join(lines[:2]), encoding="utf-8")
    step(run, *EXPLORE)
    assert len(read_exploration(work / "explored.jsonl").questions) == len(lines)


def test_a_row_shows_what_the_planner_is_shown_and_says_what_was_found(run: Run, work: Path) -> None:
    step(run, *EXPLORE, "--queries", "4")
    step(run, *JUDGE)
    told = step(run, *ROWS)
    assert "1 questions: no query found support." in told
    manifest = json.loads((work / "rows" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["sft"], manifest["left_out"]["no query found support"]) == (3, ["q4"])
    explored = read_exploration(work / "explored.jsonl")
    for row in read_lines(work / "rows" / "sft.jsonl"):
        question = explored.questions[row["id"]]
        prompt = PlanSources(question=question.asked, options=question.options, cards=explored.header.cards, most=3)
        system, user, assistant = (message["content"] for message in row["messages"])
        assert (user, render_prompt(prompt).instruction in system) == (render_prompt(prompt).material, True)
        plan = SourcePlan.model_validate_json(assistant)
        positive = {
            search.query.text
            for search, verdict in zip(
                question.searches, read_judgements(work / "judged.jsonl").questions[row["id"]].verdicts, strict=True
            )
            if verdict.label == "positive"
        }
        assert [entry.source for entry in plan.entries] == ["trials"]
        assert {query.text for query in plan.entries[0].queries} <= positive
        assert 1 <= len(plan.entries[0].queries) <= 3
    for pair in read_lines(work / "rows" / "dpo.jsonl"):
        assert pair["chosen"] != pair["rejected"]


def test_an_outage_is_no_negative_label_and_its_question_is_explored_again(run: Run, work: Path) -> None:
    dead = (
        "--set",
        "live=pubmed",
        "--set",
        "pubmed.url=http://127.0.0.1:9/",
        "--set",
        "network.private_hosts=127.0.0.1:9",
    )
    told = step(run, *EXPLORE, "--queries", "2", "--limit", "1", *dead, "--set", "policy.source_seconds=1", status=1)
    assert "1 questions had failed searches" in told
    assert "asked of others too" in told
    # By rules every source is asked the same.
    assert told.count("2 of 2") >= 2
    step(run, *JUDGE)
    explored = read_exploration(work / "explored.jsonl")
    [(id, judged)] = read_judgements(work / "judged.jsonl").questions.items()
    labels = {
        (search.source, verdict.label)
        for search, verdict in zip(explored.questions[id].searches, judged.verdicts, strict=True)
    }
    assert {label for source, label in labels if source == "pubmed"} == {"excluded"}
    before = len(read_lines(work / "explored.jsonl"))
    step(run, *EXPLORE, "--queries", "2", "--limit", "1", *dead, "--set", "policy.source_seconds=1", status=1)
    assert len(read_lines(work / "explored.jsonl")) == before + 1


def test_a_judge_of_support_is_compared_with_gold_documents(run: Run, work: Path) -> None:
    step(run, *EXPLORE)
    step(run, *JUDGE)
    told = step(run, "judge", "explored.jsonl", "--judge", "overlap", "--out", "o.jsonl", "--compare", "judged.jsonl")
    assert "1 questions have no known answer and were not judged." in told
    assert "kappa" in told


def test_a_model_that_judges_and_does_not_answer_excludes_and_is_asked_again(run: Run, work: Path) -> None:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    (work / "mine.jsonl").write_text(json.dumps(QUESTIONS[1]) + "\n", encoding="utf-8")
    step(run, *EXPLORE, "--queries", "2")
    silent = Provider(OpenAIChat(), Fails(401, "no"))
    with serving(silent) as served, models.override_allow_model_requests(True):
        model = ("--model", "compatible:sim", "--set", f"compatible.url={served.url}/v1", "--set", "models.cache=false")
        told = run(*model, *BARE, "evaluate", "planner", "judge", "explored.jsonl", "--judge", "model")
    assert told.exit_code == 1, told.output
    assert "could not be judged. Run the command again" in told.output
    labels = {v["label"] for line in read_lines(work / "judged.jsonl")[1:] for v in line["verdicts"]}
    assert labels <= {"excluded", "negative"}
    assert "excluded" in labels


def test_nearness_to_the_question_is_a_signal_with_a_threshold_of_its_own(run: Run, work: Path) -> None:
    step(run, *EXPLORE, "--queries", "2")
    step(run, *JUDGE)
    near = ("judge", "explored.jsonl", "--judge", "ranker", "--compare", "judged.jsonl")
    settings = ("--set", "encoder=none", "--set", "reranker=splade")
    assert "reranker=none" in step(run, *near, "--out", "none.jsonl", status=2)
    shares: dict[str, int] = {}
    for above in ("-99", "99"):
        told = run(*BARE, *settings, "evaluate", "planner", *near, "--above", above, "--out", f"{above}.jsonl")
        assert told.exit_code == 0, told.output
        assert "precision" in told.output
        verdicts = [verdict for line in read_lines(work / f"{above}.jsonl")[1:] for verdict in line["verdicts"]]
        shares[above] = sum(verdict["label"] == "positive" for verdict in verdicts)
        assert all("mean logit" in one["reason"] or one["reason"] == "nothing was found" for one in verdicts)
    assert shares["-99"] > shares["99"] == 0


async def test_a_reader_has_to_answer_strictly_better_with_the_passages_than_without() -> None:
    question = ExploredQuestion(id="q", question="Does it help?", options={"A": "Yes", "B": "No"}, gold="Yes")
    good, bad = ("it helps",), ("it does not",)
    replies = {(): "B", good: "A.", bad: "B"}
    model = ScriptedModel({AnswerShortly: lambda prompt: ShortAnswer(answer=replies[prompt.passages])})
    judge = judge_by_reader(model)
    open_judge = judge_by_reader(ScriptedModel({AnswerShortly: lambda prompt: ShortAnswer(answer="Yes, it helps")}))

    def found(text: str) -> tuple[ExploredQuestion, RecordedSearch]:
        search = RecordedSearch(source="s", query=Query(terms=("x",)), status="ok", passages=("p",))
        return question.model_copy(update={"texts": {"p": text}}), search

    labels = [(await judge.judge(*found(text))).label for [text] in (good, bad)]
    assert labels == ["positive", "negative"]
    # The baseline is read once.
    assert len(model.prompts) == 3
    pytest.importorskip("rouge_score_rs", reason="the extra `text-metrics` is not installed")
    asked, search = found("it helps")
    alike = await open_judge.judge(asked.model_copy(update={"options": {}}), search)
    assert (alike.label, alike.reason) == ("negative", "0.50, and 0.50 without")


def test_planners_are_compared_at_equal_queries_and_by_source(run: Run, work: Path) -> None:
    step(run, *EXPLORE)
    step(run, *EXPLORE, "--planned", "--out", "rules.jsonl")
    told = step(run, "compare", "rules.jsonl", "explored.jsonl", "--qrels", "qrels.tsv", "--queries", "1")
    assert "explored (rules)" in told
    assert "rules (planner rules)" in told
    assert "Without one source" in told
    shown = step(run, "compare", "rules.jsonl", "explored.jsonl", "--question", "q1")
    assert "Does colchicine shorten gout flares?" in shown
    other = run(*BARE, "evaluate", "planner", *EXPLORE, "--queries", "3")
    assert (other.exit_code, "another exploration (queries: 6 → 3)" in other.output) == (1, True)
    wrong = run(*BARE, "evaluate", "planner", "rows", "rules.jsonl", "mine.jsonl")
    assert (wrong.exit_code, "it holds no judgements of queries" in wrong.output) == (1, True)


TAGS = {
    "good": ("<book>gout ; flares</book> <graph>gout , its cause</graph>", ["gout", "flares"], [("gout", "its cause")]),
    "empty": ("<book></book><graph> </graph>", [], []),
    "missing": ("<graph>gout, cause</graph>", None, [("gout", "cause")]),
    "nested": ("<book><q>gout</q> ; flares</book>", ["gout", "flares"], None),
    "five": ("<book>a1;b1;c1;d1;e1</book>", ["a1", "b1", "c1", "d1", "e1"], None),
    "stray semicolons": ("<book>; gout ;; ;</book>", ["gout"], None),
    "upper case": ("<BOOK>gout</Book>", ["gout"], None),
    "code fence": ("```xml\n<book>gout</book>\n```", ["gout"], None),
    "text around": ("I would ask <book>gout</book> first.", ["gout"], None),
    "unknown": ("<papyrus>gout</papyrus><book>gout</book>", ["gout"], None),
    "quoted": ('<book>"gout; chronic" ; flares</book>', ["gout; chronic", "flares"], None),
    "no comma": ("<graph>gout</graph>", None, [("gout", "gout")]),
}  # fmt: skip
"""Reply → queries of the book, and terms with their queries of the graph; None: it does not say."""


@each_row("name", TAGS)
def test_the_tags_of_a_published_planner_are_read(name: str) -> None:
    cards = [SourceInfo("textbooks", "book", documents=3), SourceInfo("umls", "graph", documents=3, asks=("term",))]
    reply, book, graph = TAGS[name]
    entries = {one.source: one.queries for one in read_tags(reply, cards).entries}
    assert (name == "unknown") == ("papyrus" in entries)
    assert (None if book is None else [one.text for one in entries["textbooks"]]) == book
    assert ("umls" in entries) == (graph is not None)
    assert graph is None or [(one.term, one.text) for one in entries["umls"]] == graph


def test_plans_that_a_published_planner_replied_are_searched_and_counted(run: Run, work: Path) -> None:
    replies = {"q1": "<research> colchicine flares ; gout ; gout </research>", "q2": "<research></research>", "q3": "?"}
    lines = "".join(json.dumps({"id": id, "reply": reply}) + "\n" for id, reply in replies.items())
    (work / "replies.jsonl").write_text(lines, encoding="utf-8")
    told = step(run, *EXPLORE, "--replies", "replies.jsonl", "--out", "theirs.jsonl", status=1)
    assert "replies replies.jsonl" in told
    found = read_exploration(work / "theirs.jsonl").questions
    assert [one.query.terms for one in found["q1"].searches] == [("colchicine flares",), ("gout",)]
    # Nothing is to be asked, nothing could be read, and nothing was replied: three different things.
    assert (found["q2"].searches, found["q2"].error) == ((), "")
    assert all("no pair of tags" in found[id].error for id in ("q3", "q4"))


PLAN = SourcePlan(entries=(SourceQueries(source="trials", queries=(PlannedQuery(text="allopurinol every day"),)),))


def test_a_trained_planner_behind_a_server_plans_for_the_preset(run: Run, work: Path) -> None:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    server = Provider(OpenAIChat(), Writes(PLAN.model_dump_json()))
    with serving(server) as served, models.override_allow_model_requests(True):
        planner = ("--set", "planner=trained:compatible:spo", "--set", f"compatible.url={served.url}/v1")
        asked = ("ask", "--preset", "omni-spo", *planner, "--json", "Does colchicine shorten gout flares?")
        told = run(*BARE, *asked)
        again = run(*BARE, *planner, "evaluate", "planner", *EXPLORE, "--planned", "--out", "spo.jsonl")
    assert told.exit_code == 0, told.output
    answer = json.loads(told.stdout)
    assert [one["search"]["query"]["terms"] for one in answer["attempts"]] == [["allopurinol every day"]]
    # No model is set to write: the sources' own sentences are shown, and the trained one only plans.
    assert (answer["writer"], {body["model"] for body in server.bodies}) == ("", {"spo"})
    assert again.exit_code == 0, again.output
    plans = [line["searches"] for line in read_lines(work / "spo.jsonl")[1:]]
    assert all(len(searches) == 1 for searches in plans)
    question = read_exploration(work / "spo.jsonl").questions["q1"]
    prompt = PlanSources(
        question=question.asked, options={}, cards=read_exploration(work / "spo.jsonl").header.cards, most=3
    )
    shown = [message["content"] for body in server.bodies for message in body["messages"] if message["role"] == "user"]
    assert render_prompt(prompt).material in shown


def test_a_folder_that_holds_no_trained_planner_is_refused_before_anything_is_asked(run: Run, work: Path) -> None:
    for planner in ("trained", f"trained:{work}"):
        told = run(*BARE, "ask", "--set", f"planner={planner}", "Does colchicine help?")
        assert told.exit_code == 2, told.output
        assert "holds no trained planner" in told.stderr


def test_doctor_loads_the_planner_that_is_named(run: Run, work: Path) -> None:
    pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    missing = run(*BARE, "--set", f"planner=trained:{work}", "doctor")
    # It says that it is one; but there are no weights, or nothing that loads them.
    (work / "planner.json").write_text("{}", encoding="utf-8")
    broken = run(*BARE, "--set", f"planner=trained:{work}", "doctor")
    served = ("--set", "planner=trained:compatible:spo", "--set", "compatible.url=http://127.0.0.1:9/v1")
    named = run(*BARE, *served, "doctor")
    assert "!!  planner:" in missing.output
    assert "holds no trained planner" in missing.output
    assert "!!  planner:" in broken.output
    assert (missing.exit_code, broken.exit_code) == (1, 1)
    assert "ok  planner: trained: compatible:spo" in named.output


def test_training_refuses_rows_that_are_not_what_their_manifest_describes(run: Run, work: Path) -> None:
    step(run, *EXPLORE, "--queries", "2")
    step(run, *JUDGE)
    step(run, *ROWS)
    train = ("train", "rows", "--base", "mine.jsonl", "--out", "spo")
    assert "Options: batch, sft_rate" in step(run, *train, "--option", "epochs=3", status=2)
    with (work / "rows" / "dpo.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    assert "it is not what its manifest describes" in step(run, *train, status=1)
    manifest = work / "rows" / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"schema_version": 1', '"schema_version": 2'))
    assert "its rows are of schema 2, not 1" in step(run, *train, status=1)


@each_row(("first", "second", "kept", "calls"), [(6, 0, 6, 1), (5, 1, 6, 2), (4, 0, 4, 2)])
async def test_a_model_is_asked_once_more_for_the_queries_that_are_missing(
    first: int, second: int, kept: int, calls: int
) -> None:
    card = SourceInfo("trials", "research", documents=3)

    def plan(names: range) -> SourcePlan:
        queries = tuple(PlannedQuery(text=f"query {name}") for name in names)
        return SourcePlan(entries=(SourceQueries(source="trials", queries=queries),))

    replies = [plan(range(first)), plan(range(10, 10 + second))]
    model = ScriptedModel({ExploreSources: lambda prompt: replies[bool(prompt.asked)]})
    searches, _ = await ask_model(Question(text="Does it help?"), [card], model, 6)
    assert (len(searches), len(model.prompts)) == (kept, calls)
    assert model.prompts[0].cards == (summarize_source(card),)  # type: ignore[attr-defined]


def test_diversity_is_the_mean_of_one_less_cosines() -> None:
    one, other = [1.0, 0.0], [0.0, 1.0]
    expected = {0.0: [one, one], 1.0: [one, other], 2 / 3: [one, one, other]}
    for value, vectors in expected.items():
        assert measure_diversity(np.array(vectors, dtype=np.float32)) == pytest.approx(value)
    assert measure_diversity(np.array([one, [0.0, 0.0]], dtype=np.float32)) is None
