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


def test_a_set_is_json_lines_and_no_file_of_others_is_overwritten(run: Run, tmp_path: Path) -> None:
    words = ("evaluate", "build", "imported-questions", write(tmp_path / "given.jsonl", *QUESTIONS))
    assert run(*words, "--out", "mine.csv").exit_code == 2
    mine = write(tmp_path / "mine.jsonl", {"id": "1"})
    told = run(*words, "--out", mine)
    assert told.exit_code == 1
    assert "exists already" in told.stderr
    assert read(Path(mine)) == [{"id": "1"}]


def test_of_what_people_wrote_what_was_reviewed_becomes_a_question(run: Run, tmp_path: Path) -> None:
    stem = "Which drug lowers phosphate in a patient on dialysis who has a high calcium, number {}?"
    options = {"A": "sevelamer", "B": "calcium carbonate", "C": "aspirin", "D": "digoxin"}
    subjects = ("gout", "asthma", "lupus", "anaemia", "stroke", "epilepsy", "psoriasis", "coeliac disease")
    kept, unclear, found, pending, split, keyless, wrong, alike = (
        {"id": f"c{n}", "question": f"Which of these is given first to an adult who has {subject}?", "options": options,
         "answer": "A", "specialty": "renal", "question_zh": "…"}
        for n, subject in enumerate(subjects)
    )  # fmt: skip
    keyless["answer"], wrong["answer"], alike["options"] = "", "E", {"A": "one", "B": "One"}
    twins = [{**kept, "id": f"t{n}", "question": stem.format(n)} for n in (1, 2)]
    record = {"id": "p1", "patient": "A woman of 54 with gout.", "specialty": "renal"}
    named = {"id": "p2", "patient": "Mrs Mary Jones, MRN 4471123, has gout."}
    case = {"id": "m1", "patient": "A man of 60.", "examination": "Urate 9 mg/dL.", "diagnosis": "Gout."}
    rows = (kept, unclear, found, pending, split, keyless, wrong, alike, *twins, record, named, case)
    path = write(tmp_path / "rows.jsonl", *rows, {**case, "id": "m2", "treatment": "Colchicine 0.5 mg bd."})
    names = ["c0", "c4", "c5", "c6", "c7", "t1", "t2", "m1"]
    first = "id,decision,reason,question\nc1,unclear,,\nc2,found online,,\nc3,,,\np1,keep,,Which dose of allopurinol?\n"
    first += "p1,keep,,Is colchicine safe beside it?\np2,keep,,Which dose?\nm2,,,How long do I take it?\n"
    (tmp_path / "anna.csv").write_text(
        first + "".join(f"{name},keep,,{'Why?' if name == 'm1' else ''}\n" for name in names)
    )
    (tmp_path / "ben.csv").write_text("id,decision,reason\nc0,keep,\nc4,reject,off topic\nc1,unclear,\n")
    out = tmp_path / "set.jsonl"
    build = ("evaluate", "build", "reviewed-questions", path, "--out", str(out), "--json")
    decisions = ("--decisions", str(tmp_path / "anna.csv"), "--decisions", str(tmp_path / "ben.csv"))
    done = run(*build, *decisions)
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    assert made["left_out"] == dict.fromkeys(
        (
            *("unclear", "found online", "nobody has decided on it", "reviewers disagree whether to keep it"),
            *("it has no key", "its key is none of its options", "two of its options are the same"),
            *("an earlier question asks the same", "its words identify somebody", "a part of the case is missing"),
        ),
        1,
    )
    assert made["notes"] == ["On 3 rows two reviewers decided, on 2 alike (Cohen's kappa 0.400)."]
    assert [row["id"] for row in read(out)] == ["c0", "t1", "p1-1", "p1-2", "m2"]
    assert read(out)[0]["question_zh"] == "…"
    assert {row["group"] for row in read(out)[2:4]} == {"p1"}
    split_row = next(row for row in read(tmp_path / "set.left-out.jsonl") if row["key"] == "c4")
    assert split_row["detail"] == "anna: keep; ben: off topic"
    before = out.read_bytes()
    assert run(*build, *decisions, "--fresh").exit_code == 0
    assert out.read_bytes() == before


def test_a_sample_hangs_on_seed_and_ids_and_a_senior_decides(run: Run, tmp_path: Path) -> None:
    rows = [{"id": f"r{n}", "question": f"Does drug number {n} help in illness {n * n + 7}?"} for n in range(30)]
    said = [{"id": row["id"], "reviewer": one, "answer": f"It helps {one}."} for row in rows for one in ("anna", "ben")]
    said += [{"id": row["id"], "reviewer": "eve", "senior": True, "answer": "It halves flares."} for row in rows[:20]]
    decisions = write(tmp_path / "said.jsonl", *said)
    drawn = []
    for number, order in enumerate((rows, rows[::-1])):
        path, out = write(tmp_path / f"rows{number}.jsonl", *order), tmp_path / f"set{number}.jsonl"
        typed = ("evaluate", "build", "reviewed-questions", path, "--decisions", decisions, "--sample", "5")
        done = run(*typed, "--out", str(out), "--json")
        assert done.exit_code == 0, done.output
        drawn.append({str(row["id"]) for row in read(out)})
        assert json.loads(done.stdout)["left_out"] == {"it was not drawn": 15, "reviewers disagree on its answer": 10}
        assert {str(row["human_answer"]) for row in read(out)} == {"It halves flares."}
    assert len(drawn[0]) == 5
    assert drawn[0] == drawn[1]


def test_a_decision_on_a_row_that_is_not_there_is_refused_with_its_place(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", {"id": "a", "question": "Does it help?"})
    decisions = write(tmp_path / "said.jsonl", {"id": "a", "decision": "keep"}, {"id": "b"})
    done = run("evaluate", "build", "reviewed-questions", path, "--decisions", decisions)
    assert done.exit_code != 0
    assert "its id “b” is none of rows.jsonl" in done.stderr
    decisions = write(tmp_path / "said.jsonl", {"id": "a", "decision": "keep"}, {"decision": "keep"})
    assert (
        "row 2: id: Field required"
        in run("evaluate", "build", "reviewed-questions", path, "--decisions", decisions).stderr
    )


FORUM = (
    {"id": "a", "title": "Gout again", "body": "My foot hurts.\nShould I take colchicine or wait until it is over?"},
    {
        "title": "Gout again",
        "body": "My foot hurts. Should I take colchicine or wait until it is over?",
        "tag": "forum",
    },
    {"id": "c", "question": "Can I drink wine with metformin? Call me at 617-555-0134.", "tag": "forum"},
    {"id": "d", "title": "Vaccines?"},
    {"id": "e", "title": " ", "body": ""},
    {"id": "c", "title": "Is this the same id as above?"},
)


def test_imported_questions_come_with_what_has_to_be_known_of_them(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "imported.jsonl"
    words = ("evaluate", "build", "imported-questions", write(tmp_path / "forum.jsonl", *FORUM), "--out", str(out))
    told = run(*words)
    assert told.exit_code == 0, told.output
    assert "4 rows" in told.stdout and "its id is taken" in told.stdout
    assert "is_near_duplicate: true 1" in told.stdout and "phone 1" in told.stdout
    rows = {str(row["id"]): row for row in read(out)}
    assert rows["a"]["question"] == f"{FORUM[0]['title']}\n\n{FORUM[0]['body']}"
    assert rows["forum.jsonl, row 2"]["near_duplicate_of"] == "a"
    assert {id: row.get("identifiers") for id, row in rows.items()}["c"] == "phone"
    assert rows["d"]["length"] == "short"
    (tmp_path / "forum.csv").write_text("title,body\nIs gout inherited by children?,I have two.\n", encoding="utf-8")
    other = tmp_path / "other.jsonl"
    told = run("evaluate", "build", "imported-questions", str(tmp_path / "forum.csv"), "--out", str(other))
    assert told.exit_code == 0, told.output
    (row,) = read(other)
    assert row["question"] == "Is gout inherited by children?\n\nI have two."


def test_what_a_specialist_edited_keeps_its_original_and_what_nobody_decided_on_waits(run: Run, tmp_path: Path) -> None:
    given = write(tmp_path / "pico.jsonl", *({**one, "human_answer": "Yes."} for one in QUESTIONS[:3]))
    decided = tmp_path / "anna.csv"
    decided.write_text("id,decision,answer,reason\nq1,accept,,\nq2,edit,It does not.,too strong\n", encoding="utf-8")
    out = tmp_path / "medq.jsonl"
    words = ("evaluate", "build", "reviewed-questions", given, "--decisions", str(decided), "--out", str(out))
    told = run(*words, "--json")
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["left_out"] == {"nobody has decided on it": 1}
    rows = {str(row["id"]): row for row in read(out)}
    assert ("original" in rows["q1"], rows["q2"]["original"]) == (False, {"human_answer": "Yes."})
    assert rows["q2"]["must_have"] == ["It does not."]
