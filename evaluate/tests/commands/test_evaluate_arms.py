"""`wellsourced evaluate run` with a model that costs, several cases at once, regimes, an oracle and shared searches."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_ai import models

from tests.app.conftest import Run
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models.thinking import Thinking
from wellsourced_evaluate.questions.answer_run import AnswerRecord, read_answer_run
from wellsourced_evaluate.questions.cost_model import predict_in_parts

ALONE = ("--set", "guidelines=false", "evaluate")
DRUGS = ("Colchicine", "Allopurinol", "Metformin", "Aspirin", "Warfarin", "Insulin", "Statin", "Heparin")
DOWN = "Warfarin"
"""What the model does not answer about."""


@pytest.fixture(scope="module")
def model() -> Iterator[Served]:
    """A model that fails at one of eight cases."""
    thinking = Thinking()

    def answer(asked: Asked) -> Said:
        if DOWN in asked.body.decode():
            return Said(b'{"error": {"message": "overloaded"}}', 500, "application/json")
        return thinking(asked)

    with serving(answer) as served, models.override_allow_model_requests(True):
        yield served


@pytest.fixture
def asked(tmp_path: Path, trials: str) -> str:
    """Eight cases, of which the last says no date."""
    rows = [
        {"id": drug, "question": f"Does {drug} shorten gout flares?", "answer": "yes", "as_of": f"20{20 + at}-06-30"}
        for at, drug in enumerate(DRUGS)
    ]
    del rows[-1]["as_of"]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def records(path: Path) -> dict[str, AnswerRecord]:
    """What was recorded, without what differs from one time to the next."""
    every = read_answer_run(path).records
    return {case: one.model_copy(update={"seconds": 0.0, "steps": {}, "at_once": 1}) for case, one in every.items()}


def test_a_run_stops_at_its_budget_and_goes_on_to_what_one_without_a_budget_gives(
    run: Run, asked: str, model: Served, tmp_path: Path
) -> None:
    priced = {"models.price_in": "1", "models.price_out": "1", "models.cache": "false", "compatible.key": "x"}
    settings = {"compatible.url": f"{model.url}/v1", "models.attempts": "1", **priced}
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    command = ("--model", "compatible:sim", *options, *ALONE, "run", asked, "--judge", "overlap", "--parallel", "3")
    first = run(*command, "--out", str(tmp_path / "out"), "--max-calls", "8")
    assert first.exit_code == 1, first.output
    assert "Not every case was asked: " in first.stderr
    assert "of 8 calls are spent" in first.stderr
    assert "cases were asked so far" in first.stdout
    path = tmp_path / "out" / "mine.default.allowed.jsonl"
    before = records(path)
    assert 0 < len(before) < 8
    assert sum(one.calls for one in before.values()) == len(model.asked) <= 8
    done = run(*command, "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 0, done.output
    after = records(path)
    assert {case: after[case] for case in before} == before
    assert {*after} == {*DRUGS}
    assert sum(one.calls for one in after.values()) == len(model.asked)
    assert all(one.prompts and one.model == "compatible:sim" and one.seed == 7 for one in after.values())
    # A call that is not answered has cost nothing that is known.
    assert {case for case, one in after.items() if not one.cost} == {DOWN}
    assert len({one.prompts for one in after.values()}) == 8
    assert {case for case, one in after.items() if one.lacks_its_model} == {DOWN}
    whole = run(*command, "--out", str(tmp_path / "whole"))
    assert whole.exit_code == 0, whole.output
    assert f"1 cases have what is said without compatible:sim, which failed ({DOWN}: " in whole.stdout
    assert records(tmp_path / "whole" / path.name) == after


def test_who_names_a_set_and_no_command_is_told_how_it_is_typed(run: Run) -> None:
    told = run("evaluate", "pubmedqa", "--limit", "3")
    assert told.exit_code == 2
    assert "type `wellsourced evaluate run pubmedqa …`" in told.stderr
    near = run("evaluate", "raport", "out")
    assert "Did you mean `wellsourced evaluate report`?" in near.stderr


GOLD = "Colchicine shortened gout flares by two days compared with placebo."


def write_rows(path: Path, *rows: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def reviews(run: Run, tmp_path: Path) -> None:
    """A trial, the review that a case is compared with, and what is younger, or may be."""
    texts = {
        "pubmed:1": ("2021-03-01", GOLD),
        "pubmed:2": ("2021-06", "This review finds that colchicine shortens gout flares by two days."),
        "pubmed:3": ("2022", "Colchicine did not shorten gout flares in a later trial."),
        "pubmed:4": ("2021", "Colchicine and gout flares: a comment."),
    }
    rows = [
        {"_id": id, "title": "Colchicine in gout flares", "text": text, "metadata": {"published": day}}
        for id, (day, text) in texts.items()
    ]
    made = run("library", "create", "trials", "--add", write_rows(tmp_path / "reviews.jsonl", *rows))
    assert made.exit_code == 0, made.output


REVIEW = {
    "id": "r1",
    "question": "Does colchicine shorten gout flares?",
    "reference": "This review finds that colchicine shortens gout flares by two days.",
    "source": ["pubmed:2"],
    "as_of": "2021-06-14",
}


@pytest.mark.parametrize(
    ("typed", "regime", "read"),
    [
        ((), "allowed", {"pubmed:1", "pubmed:2", "pubmed:3", "pubmed:4"}),
        (("excluded",), "excluded", {"pubmed:1", "pubmed:3", "pubmed:4"}),
        (("as-of",), "as-of", {"pubmed:1"}),
        (("restricted",), "restricted", {"pubmed:1"}),
        (("as-of", "excluded"), "restricted", {"pubmed:1"}),
    ],
)
def test_a_regime_keeps_the_review_and_what_is_younger_from_answering(
    run: Run, reviews: None, tmp_path: Path, typed: tuple[str, ...], regime: str, read: set[str]
) -> None:
    options = [word for one in typed for word in ("--regime", one)]
    path = write_rows(tmp_path / "mine.jsonl", REVIEW)
    done = run(*ALONE, "run", path, *options, "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 0, done.output
    (record,) = records(tmp_path / "out" / f"mine.default.{regime}.jsonl").values()
    assert {*record.cited} <= read
    assert "pubmed:1" in record.cited
    assert (record.own_source, record.reference_read) == (regime == "allowed", regime == "allowed")


def test_as_of_a_date_a_case_without_reference_may_be_answered_by_its_source(
    run: Run, reviews: None, tmp_path: Path
) -> None:
    case = {"id": "q1", "question": "Does colchicine shorten gout flares?", "source": "pubmed:1", "as_of": "2021-05-01"}
    path = write_rows(tmp_path / "mine.jsonl", case)
    assert run(*ALONE, "run", path, "--regime", "as-of", "--out", str(tmp_path / "out")).exit_code == 0
    assert records(tmp_path / "out" / "mine.default.as-of.jsonl")["q1"].own_source


def test_an_oracle_is_given_the_gold_passages_and_nothing_else(run: Run, trials: str, tmp_path: Path) -> None:
    question = "Does colchicine shorten gout flares?"
    path = write_rows(
        tmp_path / "mine.jsonl",
        {
            "id": "own",
            "question": question,
            "context": ["Flares end two days earlier with colchicine."],
            "must_have": [GOLD],
        },
        {"id": "held", "question": question, "source": "trial-1", "must_have": [GOLD]},
        {"id": "gone", "question": question, "source": "pubmed:99", "must_have": [GOLD]},
    )
    command = (*ALONE, "run", path, "--preset", "oracle", "--regime", "excluded", "--out", str(tmp_path / "out"))
    done = run(*command)
    assert done.exit_code == 1
    assert (
        "| oracle | gone | failed | no gold passage: the case has no context, and nothing that is searched"
        in done.stdout
    )
    found = records(tmp_path / "out" / "mine.oracle.allowed.jsonl")
    assert {case: one.cited for case, one in found.items()} == {"own": ("case:own",), "held": ("trial-1",), "gone": ()}
    assert (found["held"].own_source, found["held"].queries, found["held"].status) == (True, 0, "answered")
    alone = write_rows(tmp_path / "alone.jsonl", {"id": "q9", "question": question, "answer": "yes"})
    refused = run(*ALONE, "run", alone, "--preset", "rag", "--preset", "oracle", "--out", str(tmp_path / "none"))
    assert refused.exit_code == 1
    assert "1 of 1 cases have no gold passage, neither as context nor as source (q9)" in refused.stderr
    assert not (tmp_path / "none").exists()


def test_arms_read_the_same_searches_or_are_refused_before_anything_is_asked(
    run: Run, trials: str, tmp_path: Path
) -> None:
    path = write_rows(
        tmp_path / "mine.jsonl", {"id": "q1", "question": "Does colchicine shorten gout flares?", "source": "trial-1"}
    )
    arms = ("--preset", "rag", "--preset", "briefcontext", "--preset", "oracle")
    out = tmp_path / "out"
    command = (*ALONE, "run", path, "--same-searches", "--out", str(out))
    refused = run(*command, *arms)
    assert refused.exit_code == 1
    assert (
        "rag and briefcontext search differently (policy.candidates: 50, 64; policy.passages: 5, 16)" in refused.stderr
    )
    assert not out.exists()
    alike = ("--set", "policy.candidates=64", "--set", "policy.passages=16")
    done = run(*command, *arms, *alike)
    assert done.exit_code == 0, done.output
    assert "Not all arms search" not in done.stdout
    headers = [read_answer_run(out / f"mine.{name}.allowed.jsonl").header for name in ("rag", "briefcontext", "oracle")]
    assert headers[0].snapshot == headers[1].snapshot != "" == headers[2].snapshot
    recorded = (out / "mine.allowed.searches").read_bytes()
    assert recorded.count(b"\n") > 1
    # What the first arm found is what a later one reads, and not what is there now.
    first, *searches = [json.loads(line) for line in recorded.splitlines()]
    write_rows(out / "mine.allowed.searches", first, *({**one, "hits": []} for one in searches))
    (out / "mine.briefcontext.allowed.jsonl").unlink()
    assert run(*command, "--preset", "briefcontext", *alike).exit_code == 0
    assert records(out / "mine.briefcontext.allowed.jsonl")["q1"].status == "abstained"
    later = run(*command, "--preset", "words")
    assert "words searches differently from rag" in later.stderr
    apart = run(*ALONE, "run", path, "--preset", "rag", *alike, "--out", str(tmp_path / "apart"))
    assert apart.exit_code == 0
    told = run("evaluate", "compare", str(out / "mine.briefcontext.allowed.jsonl"), str(tmp_path / "apart"))
    assert "they did not read the same recorded searches" in told.stderr


def test_the_cost_of_reading_in_parts_is_foretold_by_reading_at_once(run: Run, trials: str, tmp_path: Path) -> None:
    # 300 of passages in two parts, with 100 each of instructions, 50 for the reducer and replies of 20.
    assert predict_in_parts(300, 100, 50, 20, 2) == (300 + 2 * 100 + 50 + 2 * 20, 3 * 20)
    rows = ({"id": f"q{n}", "question": f"Does {drug} shorten gout flares?"} for n, drug in enumerate(DRUGS[:2]))
    path = write_rows(tmp_path / "mine.jsonl", *rows)
    with serving(Thinking()) as served, models.override_allow_model_requests(True):
        named = ("--model", "compatible:sim", "--set", f"compatible.url={served.url}/v1", "--set", "models.cache=false")
        for arm in (("rag",), ("briefcontext", "--set", "condense.mode=always", "--set", "condense.top=1")):
            done = run(*named, *ALONE, "run", path, "--preset", *arm, "--out", str(tmp_path / "out"))
            assert done.exit_code == 0, done.output
    (told,) = json.loads(run("evaluate", "report", str(tmp_path / "out"), "--json").stdout)
    for arm in told["arms"]:
        assert {"plan", "search", "read", "write", "check"} <= arm["steps"].keys()
    (found,) = told["predicted"]
    assert (found["arm"], found["base"], found["cases"], found["invoked"]) == ("briefcontext", "rag", 2, 1)
    assert found["expected"] == found["in_parts"]
    # The notes of this model are shorter than its answers: what it is told is foretold, less what it replies.
    assert 0.75 < found["measured"]["tokens_in"] / found["expected"]["tokens_in"] <= 1
    shown = run("evaluate", "report", str(tmp_path / "out")).stdout
    assert "| arm | frame | plan | search | read | write | check | finish | hours |" in shown
    assert "| arm | from | cases | in parts | at once | all in parts | expected | measured | ratio |" in shown


def test_sets_are_averaged_and_arms_ranked_over_them(run: Run, trials: str, tmp_path: Path) -> None:
    case = {"id": "q1", "question": "Does colchicine shorten gout flares?", "source": "trial-1"}
    fact = {"facts": [{"fact": "two days", "pattern": "two days"}]}
    named = {
        "one": {**case, **fact},
        "two": {**case, "context": ["Colchicine ended gout flares in 9 hours."], "facts": [{"pattern": "9 h"}]},
    }
    for name, row in named.items():
        path = write_rows(tmp_path / f"{name}.jsonl", row)
        done = run(*ALONE, "run", path, "--preset", "rag", "--preset", "oracle", "--out", str(tmp_path / "out"))
        assert done.exit_code == 0, done.output
    runs = [str(tmp_path / "out" / f"{name}.{arm}.allowed.jsonl") for name in named for arm in ("rag", "oracle")]
    told = run("evaluate", "report", *runs)
    assert "| facts_said | rag | 2 of 2 | 0.500 | 1.750 | 0 of 2 |" in told.stdout
    assert "| facts_said | oracle | 2 of 2 | 1.000 | 1.250 | 1 of 2 |" in told.stdout
