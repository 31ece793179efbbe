"""`wellsourced evaluate verification` and `wellsourced setup judges`, as they are typed."""

import asyncio
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking
from tests.tables import each_row
from tests.word_judge import DRUGS, OUTCOMES, VERBS, sentence
from wellsourced import config
from wellsourced.app.commands.judges import judges
from wellsourced.config.judges import build_judge, open_records
from wellsourced.errors import NextStep, SettingsError, SourceRefused
from wellsourced.judges.base import Pair

KNOWN = {0: "contradicted", 1: "not_enough", 2: "supported"}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every two sentences of the small language, one of ten labels wrong; one document each, and two bad lines."""
    path, drawn = tmp_path_factory.mktemp("pairs") / "mine.jsonl", random.Random(1)  # noqa: S311
    rows = []
    every = [sentence(drug, verb, outcome) for drug in DRUGS for verb in VERBS for outcome in OUTCOMES]
    for claim in every:
        for text in (claim, claim, turned(claim), drawn.choice([one for one in every if not alike(one, claim)])):
            label = 2 if text == claim else 0 if alike(text, claim) else 1
            label = drawn.choice([0, 1, 2]) if drawn.random() < 0.1 else label
            rows += [{"claim": claim, "evidence": text, "label": KNOWN[label], "evidence_sentences": [[text]]}] * 2
    lines = [json.dumps(row | {"doc_id": number}) for number, row in enumerate(rows)]
    path.write_text("\n".join([*lines, "no json", '{"claim": "x"}']) + "\n", encoding="utf-8")
    return path


def turned(claim: str) -> str:
    return claim.replace("raised", "lower").replace("lowered", "raised").replace("lower ", "lowered ")


def alike(one: str, other: str) -> bool:
    return one.split()[0] == other.split()[0] and one.split()[2] == other.split()[2]


def typed(*words: str, **settings: str) -> Result:
    return CliRunner().invoke(judges, words, obj={"encoder": "none", "threads": "1"} | settings)


def test_what_a_judge_comes_to_is_printed_with_the_lines_that_could_not_be_used(
    run: Run, pairs: Path, home: Path
) -> None:
    done = run("evaluate", "verification", "--pairs", str(pairs), "--judge", "overlap")
    assert done.exit_code == 0, done.output
    assert "144 pairs of 144 groups put to guarded:overlap/support@" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines() if line]
    assert [line[0] for line in lines[2:6]] == ["accuracy", "macro-F1", "AUROC", "AUROC"]
    assert any(line[:2] == ["not", "enough"] for line in lines)
    assert "pairs a second" in done.stdout
    rejected = home / "evaluate" / "mine.rejected.jsonl"
    assert "2 lines could not be used" in done.stdout
    assert [json.loads(line)["line"] for line in rejected.read_text(encoding="utf-8").splitlines()] == [145, 146]


def test_a_judge_of_a_plugin_is_measured_by_its_name(run: Run, pairs: Path, word_judge: str, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    done = run(
        *("evaluate", "verification", "--pairs", str(pairs), "--judge", word_judge, "--json", "--no-guard"),
        *("--out", str(out)),
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    # It knows the language without a fault; one label of ten was drawn anew.
    assert 0.85 < found["accuracy"]["mean"] < 1
    assert found["contradiction"]["mean"] > 0.9
    assert found["accuracy"]["low"] < found["accuracy"]["mean"] < found["accuracy"]["high"]
    assert sum(cell["pairs"] for cell in found["matrix"]) == found["n"] == 144
    assert found["judge"] == "words"
    assert found["rationale"] is None
    header, *verdicts = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert header["judge"] == found["judge"]
    assert len(verdicts) == 144
    assert verdicts[0]["against"] is not None


def test_a_limit_takes_so_many(run: Run, pairs: Path) -> None:
    done = run("evaluate", "verification", "--pairs", str(pairs), "--judge", "overlap", "--limit", "20", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["n"] == 20
    assert found["judge"].startswith("guarded:overlap/support@")


@each_row(
    ("judge", "told"),
    [
        ("nonsense", "No judge “nonsense”"),
        ("model", "needs a language model, and none is set. Name a language model: --model"),
        ("overlap+similarity", "No judge “overlap+similarity”, and no folder of that name"),
    ],
)
def test_a_judge_that_does_not_exist_ends_in_one_sentence(run: Run, pairs: Path, judge: str, told: str) -> None:
    done = run("evaluate", "verification", "--pairs", str(pairs), "--judge", judge)
    assert done.exit_code == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_what_was_fitted_is_stored_and_used_by_that_judge(pairs: Path, word_judge: str, home: Path) -> None:
    done = typed("calibrate", "--pairs", str(pairs), "--judge", word_judge, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["stored"] == str(home / "judges.json")
    settings = config.load({"encoder": "none"})
    [row] = open_records(settings).load().calibrations
    assert row.model_dump(mode="json") == told["calibration"]
    assert (row.task, row.n + row.measured) == ("support", 144)
    assert row.after is not None
    # One label of ten is wrong, and the model is surer than that.
    assert row.support.slope < 1
    bare = build_judge(word_judge, settings, None, calibrated=False, guarded=False, cached=False)
    used = build_judge(word_judge, settings, None)
    assert (bare.name, used.name) == (row.judge, f"guarded:{row.name}")
    pair = Pair("colchicine raised pain .", "colchicine raised pain and urate .")
    [before], [after] = asyncio.run(bare.judge([pair])), asyncio.run(used.judge([pair]))
    assert after.score == pytest.approx(row.support.apply(before.score))
    assert (home / "verdicts.sqlite3").stat().st_mode & 0o777 == 0o600


def test_what_was_fitted_is_listed_with_its_figures(pairs: Path, word_judge: str) -> None:
    assert "Your calibrations" not in typed().stdout
    done = typed("calibrate", "--pairs", str(pairs), "--judge", word_judge, "--task", "small talk")
    assert done.exit_code == 0, done.output
    assert "Fitted to " in done.stdout
    assert "Stored in " in done.stdout
    listed = typed().stdout
    assert "small talk" in listed
    assert "words" in listed
    assert [one["task"] for one in json.loads(typed("--json").stdout)["calibrations"]] == ["small talk"]


def test_a_dry_run_stores_nothing(pairs: Path, word_judge: str, home: Path) -> None:
    done = typed("calibrate", "--pairs", str(pairs), "--judge", word_judge, "--dry-run")
    assert "Nothing was stored." in done.stdout
    assert not (home / "judges.json").exists()


def test_too_few_pairs_are_refused(pairs: Path) -> None:
    done = typed("calibrate", "--pairs", str(pairs), "--judge", "overlap", "--limit", "30")
    assert isinstance(done.exception, SourceRefused)
    assert "give more pairs" in str(done.exception)


def test_a_damaged_store_says_what_to_do(home: Path) -> None:
    home.mkdir()
    (home / "judges.json").write_text("{", encoding="utf-8")
    done = typed()
    assert isinstance(done.exception, SettingsError)
    assert "Delete the file, calibrate the judges and measure them again." in str(done.exception)
    assert done.exception.next_step == NextStep("calibrate judge")


def test_a_model_that_is_down_is_no_verdict_and_says_why(run: Run, tmp_path: Path) -> None:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    path = tmp_path / "few.jsonl"
    row = {"claim": "Gout hurts.", "evidence": "Gout is painful.", "label": "supported"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    settings = ("--set", "compatible.url=http://127.0.0.1:9/v1", "--set", "models.attempts=1")
    with models.override_allow_model_requests(True):
        done = run(
            "--model", "compatible:sim", *settings, "evaluate", "verification", "--pairs", str(path), "--judge", "model"
        )
    assert done.exit_code == 1
    assert "1 pair without a verdict" in done.stdout
    assert "Note: 1 pair got no verdict: " in done.stdout


def test_a_language_model_judges_all_claims_of_one_text_in_one_call_and_shows_the_words(
    run: Run, tmp_path: Path
) -> None:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    text = "Colchicine shortened flares by two days. Nausea was frequent."
    rows = [
        {"claim": "Colchicine shortened flares.", "evidence": text, "label": "supported"},
        {"claim": "Nausea was frequent with colchicine.", "evidence": text, "label": "supported"},
        {"claim": "Xylophones sound bright.", "evidence": text, "label": "not_enough"},
    ]
    path, out = tmp_path / "few.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row | {"doc_id": "d1"}) + "\n" for row in rows), encoding="utf-8")
    thinking = Thinking(key="")
    with serving(thinking) as served, models.override_allow_model_requests(True):
        settings = ("--set", f"compatible.url={served.url}/v1", "--set", "models.cache=false")
        words = ("--pairs", str(path), "--judge", "model", "--json", "--out", str(out))
        done = run("--model", "compatible:sim", *settings, "evaluate", "verification", *words)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert thinking.forms == ["VerificationReply"]
    assert (found["accuracy"]["mean"], found["unjudged"]) == (1.0, 0)
    verdicts = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()][1:]
    assert verdicts[0]["quote"] == "Colchicine shortened flares by two days."
