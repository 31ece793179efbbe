"""`wellsourced evaluate sealed …` as it is typed: what is given out, what is told of a submission, what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.app.conftest import Run
from wellsourced_evaluate.questions.answer_run import AnswerRecord

KEYS = {f"q{place}": "ABCD"[place % 4] for place in range(60)}


def write(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def choices(**changed: str | None) -> list[dict[str, object]]:
    return [{"id": id, "choice": choice} for id, choice in {**KEYS, **changed}.items() if choice is not None]


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    rows: list[dict[str, object]] = [
        {
            **{"id": id, "question": f"Which is right in {id}?", "options": dict(zip("ABCD", "wxyz", strict=True))},
            **{"answer": key, "specialty": "renal" if place < 55 else "rare", "source": "pubmed:1", "must_have": "x"},
        }
        for place, (id, key) in enumerate(KEYS.items())
    ]
    out = tmp_path / "sealed"
    done = run("evaluate", "sealed", "create", write(tmp_path / "set.jsonl", rows), "--out", str(out), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["specialties"] == {"rare": 5, "renal": 55}
    return out


def score(run: Run, folder: Path, rows: list[dict[str, object]], *more: str, by: str = "ward 3") -> Result:
    path = write(folder.parent / "theirs.jsonl", rows)
    return run("evaluate", "sealed", "score", str(folder), path, "--contestant", by, *more)


def test_what_is_given_out_has_no_key_and_what_stays_is_private(folder: Path) -> None:
    given = [json.loads(line) for line in (folder / "public" / "questions.jsonl").read_text().splitlines()]
    assert {name for row in given for name in row} == {"id", "question", "options", "specialty"}
    assert "keys_sha256" in (folder / "public" / "seal.json").read_text()
    assert {one.name for one in (folder / "public").iterdir()} == {"questions.jsonl", "seal.json"}
    assert (folder / "withheld").stat().st_mode & 0o077 == 0


def test_a_score_is_of_all_cases_and_names_none(run: Run, folder: Path) -> None:
    done = score(run, folder, choices(q0=None, q1="", q2="a"), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["missing"], found["undecided"], found["rows"], found["number"]) == (1, 1, 59, 1)
    # 57 of 60 are 0.95; 52 of 55 are 0.9455, which is told as 0.945. Five cases are too few to be told apart.
    assert found["figures"]["all"][0] == 0.95
    assert found["figures"]["all"][3] == 60
    assert found["figures"]["renal"][0] == 0.945
    assert "rare" not in found["figures"]
    assert "q2" not in done.stdout


def test_submissions_are_counted_and_the_sixth_of_a_day_is_refused(run: Run, folder: Path) -> None:
    for number in range(1, 6):
        told = score(run, folder, choices())
        assert f"Submission {number} of ward 3" in told.stdout
    sixth = score(run, folder, choices())
    assert sixth.exit_code == 1
    assert "tomorrow" in sixth.stderr
    assert "Submission 1 of others" in score(run, folder, choices(), by="others").stdout


REFUSED = (
    (choices()[:1], "has 1 rows, and 50 are needed"),
    (choices(x9="A"), "has cases that set.jsonl has not: x9"),
    ([*choices(), {"id": "q7", "choice": "A"}], "the id “q7” is on line 8 already"),
    (choices(q7="E"), "chooses what is no option: q7: e"),
    ([*choices(), {"id": "q99"}], "line 61: choice: Field required"),
)


@pytest.mark.parametrize(("rows", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_a_file_that_does_not_match_is_refused_with_its_case_and_not_counted(
    run: Run, folder: Path, rows: list[dict[str, object]], told: str
) -> None:
    done = score(run, folder, rows)
    assert done.exit_code != 0
    assert told in done.stderr
    assert "Submission 1 of" in score(run, folder, choices()).stdout


def test_keys_that_were_changed_after_they_were_sealed_score_nothing(run: Run, folder: Path) -> None:
    keys = folder / "withheld" / "keys.jsonl"
    keys.write_text(keys.read_text().replace('"key":"A"', '"key":"B"', 1))
    done = score(run, folder, choices())
    assert done.exit_code == 1
    assert "not those that were sealed" in done.stderr


def test_a_run_of_evaluate_run_is_a_submission(run: Run, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": "q1", "question": "Does aspirin help in headache?", "answer": "yes"}]
    path, out = write(tmp_path / "set.jsonl", rows), tmp_path / "sealed"
    assert "it could never be scored" in run("evaluate", "sealed", "create", path, "--out", str(out)).stderr
    assert run("evaluate", "sealed", "create", path, "--out", str(out), "--least-rows", "1").exit_code == 0
    record = AnswerRecord(case="q1", status="answered", label="").model_dump(mode="json")
    recorded = write(tmp_path / "run.jsonl", [{"wellsourced": "1.0", "preset": "chat"}, record])
    done = run("evaluate", "sealed", "score", str(out), recorded, "--contestant", "us", "--json")
    assert done.exit_code == 0, done.output
    assert (json.loads(done.stdout)["undecided"], json.loads(done.stdout)["figures"]["all"][0]) == (1, 0.0)
