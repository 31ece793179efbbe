"""`check` over a file of answers: each row is a text of its own, and what cannot be used is told."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.checking import FLARE, WRONG, Typed, web
from tests.servers.base import Served, serving


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    with serving(web) as served:
        yield served


@pytest.fixture
def typed(site: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Typed:
    monkeypatch.chdir(tmp_path)
    return Typed(site)


def answers(typed: Typed) -> str:
    lines = [
        {
            "id": "q/1",
            "question": "Does it help?",
            "answer": FLARE,
            "sources": [f"{typed.site.url}/trial"],
            "model": "a",
        },
        {"id": "q2", "answer": ""},
        {"id": "q3", "answer": WRONG, "sources": [f"{typed.site.url}/trial"], "model": "b", "kind": "forum"},
    ]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n{\n", encoding="utf-8")
    return "answers.jsonl"


def test_each_row_is_checked_and_the_others_are_told_by_their_numbers(typed: Typed) -> None:
    done = typed(answers(typed), "--json")
    assert done.exit_code == 0, done.output
    checkups = json.loads(done.stdout)["checkups"]
    assert {name: [one["label"] for one in checkup["verdicts"]] for name, checkup in checkups.items()} == {
        "answers.jsonl#q/1": ["supports"],
        "answers.jsonl#q3": ["silent"],
    }
    assert checkups["answers.jsonl#q/1"]["origin"] == {
        "id": "q/1", "question": "Does it help?", "system": "a", "kind": "",
    }  # fmt: skip
    assert "answers.jsonl: 4 rows, 2 answers, 2 skipped" in done.stderr
    assert "row 2: it has no answer" in done.stderr and "row 4: it is not JSON" in done.stderr


def test_the_table_says_of_each_row_which_system_answered(typed: Typed) -> None:
    typed(answers(typed), "--out", "pairs.csv")
    table = [*csv.DictReader(io.StringIO(Path("pairs.csv").read_text(encoding="utf-8")))]
    assert [(row["response"], row["system"], row["kind"], row["label"]) for row in table] == [
        ("answers.jsonl#q/1", "a", "", "verbatim"),
        ("answers.jsonl#q3", "b", "forum", "unverified"),
    ]


def test_repaired_answers_do_not_overwrite_each_other(typed: Typed) -> None:
    assert typed(answers(typed), "--repair").exit_code == 0
    assert Path("answers-q3.cleaned.txt").read_text(encoding="utf-8").startswith(f"{WRONG} [")
    assert not Path("answers-q-1.cleaned.txt").exists()


def test_a_file_without_answers_is_bad_use(typed: Typed) -> None:
    Path("answers.csv").write_text("id,question\n1,Why?\n", encoding="utf-8")
    done = typed("answers.csv")
    assert done.exit_code == 2
    assert "row 2: it has no answer" in " ".join(done.output.split())
