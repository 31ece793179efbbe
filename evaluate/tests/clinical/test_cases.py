"""One command for all sets: marks are added up over cases, and who asks for what is not there is told."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wellsourced.errors import SettingsError
from wellsourced_evaluate import development_data
from wellsourced_evaluate.clinical.cases import CASE_SETS, has_deciding_words
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, add_marks, count
from wellsourced_evaluate.commands.clinical import clinical


def test_marks_are_added_up_by_name_with_an_interval_of_what_is_counted() -> None:
    cases = [
        CaseMarks("a", {"facts": (3, 4), "refused": (0, 1)}),
        CaseMarks("b", {"facts": (1, 2), "overlap": (0.5, 1)}),
    ]
    facts, refused, overlap = add_marks(cases)
    assert (facts.name, facts.found, facts.whole) == ("facts", 4, 6)
    assert facts.interval is not None
    assert facts.interval.low == 0.5
    assert refused.interval is not None
    # Of one case that is no more is known than Wilson says.
    assert refused.interval.high == pytest.approx(0.793, abs=0.001)
    assert overlap.interval is None
    assert overlap.describe().split() == ["overlap", "0.5", "of", "1", "0.500"]


def test_what_decides_a_case_is_found_in_a_table_as_well_as_in_a_sentence() -> None:
    case = {"lead": r"\*\*dose\*\* \| 5 mg"}
    assert has_deciding_words(case, "Dose | 5 mg")
    assert not has_deciding_words(case, "Dose 10 mg")
    assert not has_deciding_words({}, "anything")
    assert count([1, 0, "x"]) == (2, 3)


def test_every_set_says_what_it_measures() -> None:
    done = CliRunner().invoke(clinical)
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(CASE_SETS)
    assert all(len(one.__doc__ or "") > 20 for one in CASE_SETS.values())


def test_questions_are_asked_and_marked(tmp_path: Path, guidelines_home: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = (
        {"id": "1", "question": "How is an acute gout flare treated?", "answerable": True, "kind": "one",
         "lead": "colchicine", "facts": [{"fact": "NSAIDs", "pattern": "NSAID"}, {"fact": "none", "pattern": "zebra"}]},
        {"id": "2", "question": "Who won the football world cup in 1974?", "answerable": False, "kind": "off"},
    )  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ["questions", str(file), "--cases-home", str(guidelines_home)]
    done = CliRunner().invoke(clinical, [*words, "--json"], catch_exceptions=False)
    figures = {one["name"]: (one["found"], one["whole"]) for one in json.loads(done.stdout)}
    assert figures["deciding words said"] == (1, 1)
    assert figures["facts said"] == (1, 2)
    assert figures["other matters answered"] == (0, 1)
    shown = CliRunner().invoke(clinical, [*words, "--show", "--limit", "1"], catch_exceptions=False)
    assert "--- 1\n" in shown.stdout
    assert "deciding words said" in shown.stdout.splitlines()[-6]


def test_what_is_not_there_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No set “fact”. Sets: facts, near-misses" in CliRunner().invoke(clinical, ["fact"]).output
    for options in (CaseOptions().read_cases, CaseOptions().need_data, lambda: CaseOptions().open_library("research")):
        with pytest.raises(SettingsError, match="Name "):
            options()
    monkeypatch.setattr(development_data, "REPOSITORY", tmp_path)
    with pytest.raises(SettingsError, match=r"come with the repository .* Run this from a checkout"):
        development_data.find_data("clinical_cases/facts.jsonl")
