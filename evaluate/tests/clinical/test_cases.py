"""One command for all sets: marks are added up over cases, and who asks for what is not there is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.tables import each_row
from wellsourced.errors import SettingsError
from wellsourced.types import Answer, AnswerSection, Evidence, Passage, Question, Reference, TextSpan
from wellsourced_evaluate import development_data
from wellsourced_evaluate.clinical.cases import CASE_SETS
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, add_marks, count, count_words, describe_answer
from wellsourced_evaluate.clinical.questions import has_words, mark_answer, read_question
from wellsourced_evaluate.commands.clinical import clinical

TEXT = "Dosing\nGive 5 mg daily.\nChildren\nGive 1 mg daily."
PASSAGE = Passage(reference=Reference(id="d", title="Gout"), text=TEXT, start=100, end=100 + len(TEXT), section="Drugs")


def show(head: str, *marked: str) -> Answer:
    """An answer that shows the first two lines, with these words marked, a unit each."""
    at = [(100 + TEXT.index(words), 100 + TEXT.index(words) + len(words)) for words in marked]
    units = tuple((TextSpan(start=start, end=end),) for start, end in at)
    section = AnswerSection(passage_id=PASSAGE.id, shown=(TextSpan(start=100, end=123),), marked=units)
    is_first = head == "in your sources"
    return Answer.model_validate(
        {
            **{"question": Question(text="How much?"), "head": head, "sections": (section,)},
            **{"evidence": (Evidence(passage=PASSAGE, relevance=1.0),), "abstained": not is_first, "reason": head},
        }
    )


def test_marks_are_added_up_by_part_and_name_with_an_interval_of_what_is_counted() -> None:
    cases = [
        CaseMarks("a", {"facts": (3, 4), "refused": (0, 1)}),
        CaseMarks("b", {"facts": (1, 2), "overlap": (0.5, 1)}),
        CaseMarks("c", {"refused": (1, 1)}, part="another file"),
    ]
    facts, refused, overlap, other = add_marks(cases)
    assert (facts.name, facts.found, facts.whole) == ("facts", 4, 6)
    assert facts.interval is not None
    assert facts.interval.low == 0.5
    assert refused.interval is not None
    # Of one case that is no more is known than Wilson says.
    assert refused.interval.high == pytest.approx(0.793, abs=0.001)
    assert overlap.interval is None
    assert overlap.describe().split() == ["overlap", "0.5", "of", "1", "0.500"]
    assert (other.part, other.name, other.found) == ("another file", "refused", 1)


def test_what_decides_a_case_is_found_in_a_table_in_bold_and_across_lines() -> None:
    assert has_words(r"\*\*dose\*\* \| 5 mg", "Dose | 5 mg")
    assert has_words("give 5 mg", "- **Give**\n  5 mg")
    assert not has_words("dose 5 mg", "Dose 10 mg")
    assert count([1, 0, "x"]) == (2, 3)
    assert count_words("- **Give** 5 mg | 1–2 times") == (5, 1)
    assert CaseOptions(skip=1, limit=1).cut("abc") == ["b"]


@each_row(
    ("row", "kind", "needed"),
    [
        ({"answerable": True, "kind": "dose", "lead": "5 mg", "quote": "x"}, "answerable", ("5 mg",)),
        ({"answerable": False, "kind": "off"}, "off topic", ()),
        ({"missing": "the dose", "kind": "dose", "wrong": "5"}, "near misses", ()),
        ({"answer": "not said"}, "near misses", ()),
        ({"library": "a", "kind": "near_miss"}, "near misses", ()),
        ({"library": "a", "kind": "answerable", "need": ["a", "b"], "wrong": []}, "answerable", ("a", "b")),
        (
            {"kind": "guideline", "fname": "a.txt", "text": "A", "q": "?", "right": "A", "wrong": ""},
            "answerable",
            ("A",),
        ),
    ],
)
def test_rows_of_every_file_are_read(row: dict[str, Any], kind: str, needed: tuple[str, ...]) -> None:
    found = read_question({"id": "1", "question": "?", **row})
    assert (found.kind, found.needed) == (kind, needed)


def test_what_is_shown_counts_as_printed_with_its_headings_and_what_is_marked_by_itself() -> None:
    row = {"id": "1", "library": "a", "question": "?", "need": ["gout: drugs", "5 mg"], "kind": "answerable"}
    one = read_question(row)
    marks = mark_answer(one, show("in your sources", "Give 5 mg daily.", "Dosing")).marks
    assert marks["all deciding words in what is printed"] == (1, 1)
    # "Gout: Drugs" stands in the heading alone.
    assert marks["all deciding words in the marked units"] == (0, 1)
    assert (marks["words printed"], marks["words marked"]) == ((7, 1), (5, 1))
    hidden = read_question({**row, "need": ["1 mg"]})
    told = mark_answer(hidden, show("closest"))
    assert told.marks["all deciding words in what is printed"] == (0, 1)
    assert told.marks["under another head"] == (1, 1)
    assert told.told.endswith("lacking: 1 mg")


def test_what_is_wrong_may_be_shown_and_not_stand_in_the_first_block() -> None:
    row = {"id": "1", "fname": "a.txt", "text": "", "q": "?", "right": "5 mg", "wrong": "^Dosing$"}
    name = "right printed, wrong not in the first block"
    first = show("in your sources", "Dosing", "Give 5 mg daily.")
    assert mark_answer(read_question(row), first).marks[name] == (0, 1)
    assert mark_answer(read_question(row), show("in your sources", "Give 5 mg daily.", "Dosing")).marks[name] == (1, 1)
    near = read_question({"id": "1", "question": "?", "missing": "x", "kind": "near", "wrong": "dosing"})
    assert mark_answer(near, first).marks == {
        "near misses under the first head": (1, 1),
        "near misses: what the case calls wrong in the first block": (1, 1),
    }


def test_an_answer_is_read_through_with_stars_at_what_is_marked() -> None:
    assert describe_answer(show("in your sources", "Give 5 mg daily.")).splitlines()[1:] == [
        "in your sources: in your sources", "## Gout: Drugs", "  Dosing", "* Give 5 mg daily.", "  …",
    ]  # fmt: skip


def test_every_set_says_what_it_measures() -> None:
    done = CliRunner().invoke(clinical)
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(CASE_SETS)
    assert all(len(one.__doc__ or "") > 20 for one in CASE_SETS.values())


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_each_file_is_asked_of_what_it_was_written_on(tmp_path: Path, guidelines_home: Path) -> None:
    digests = write(
        tmp_path / "ours" / "questions.jsonl",
        {"id": "1", "question": "How is an acute gout flare treated?", "answerable": True, "kind": "one",
         "lead": "colchicine", "facts": [{"fact": "NSAIDs", "pattern": "NSAID"}, {"fact": "none", "pattern": "zebra"}]},
        {"id": "2", "question": "Who won the football world cup in 1974?", "answerable": False, "kind": "off"},
    )  # fmt: skip
    foreign = write(
        tmp_path / "foreign" / "questions.jsonl",
        {"id": "f", "library": "house", "kind": "answerable", "question": "How is the lamp oiled?", "need": ["twice"]},
    )
    (foreign.parent / "house").mkdir()
    (foreign.parent / "house" / "lamp.md").write_text("# Lamp\n\nThe lamp is oiled twice a year.\n")
    text = "# Rota\n\nThe floor is scrubbed on Fridays.\n"
    case = {"id": "m", "fname": "rota.md", "text": text, "q": "When is the floor scrubbed?", "wrong": ""}
    minimal = write(tmp_path / "foreign" / "cases.jsonl", {**case, "right": "Fridays"})
    words = ["questions", *map(str, (digests, foreign, minimal)), "--cases-home", str(guidelines_home)]
    done = CliRunner().invoke(clinical, [*words, "--json"], catch_exceptions=False)
    figures = {(one["part"], one["name"]): (one["found"], one["whole"]) for one in json.loads(done.stdout)}
    assert figures["ours/questions.jsonl", "all deciding words in what is printed"] == (1, 1)
    assert figures["ours/questions.jsonl", "off topic under the first head"] == (0, 1)
    assert figures["foreign/questions.jsonl", "all deciding words in the marked units"] == (1, 1)
    assert figures["foreign/cases.jsonl", "right printed, wrong not in the first block"] == (1, 1)
    shown = CliRunner().invoke(clinical, [*words[:2], *words[-2:], "--twice", "--limit", "1", "--show"])
    assert shown.stdout.count("--- 1\n") == 2
    assert "--- 2\n" not in shown.stdout
    assert "\nours/questions.jsonl, without expected questions\n" in shown.stdout
    assert "printed in the first scope, and lost " in shown.stdout


def test_what_is_not_there_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No set “fact”. Sets: questions, messages" in CliRunner().invoke(clinical, ["fact"]).output
    monkeypatch.setattr(development_data, "REPOSITORY", tmp_path)
    with pytest.raises(SettingsError, match=r"come with the repository .* Run this from a checkout"):
        development_data.find_data("clinical_cases/facts.jsonl")
