"""`wellsourced checkup …` as it is typed: stored checks of answers whose sources are pages in a library."""

import csv
import json
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.tables import each_row

FLARE = "Colchicine shortened gout flares by two days in adults."
NAUSEA = "Nausea was seen in 13% of the patients who took colchicine."
PAGES = {
    "colchicine": f"{FLARE} It was studied for a year in four countries. {NAUSEA}",
    "naproxen": "Naproxen shortened gout flares by two days in adults. It was cheaper than colchicine in the trial.",
}
ANSWERS = [
    {"id": "q1", "system": "alpha", "kind": "pages", "answer": f"{FLARE} [1] {NAUSEA} [2]",
     "sources": ["http://example.org/colchicine/", "https://www.example.org/naproxen"]},
    {"id": "q2", "system": "beta", "kind": "forum", "answer": "Allopurinol cures cataracts in horses [1].",
     "sources": ["https://example.org/naproxen", "https://example.org/none"]},
]  # fmt: skip


@pytest.fixture
def checked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    for name, text in PAGES.items():
        page = f"---\ntitle: {name}\nurl: https://example.org/{name}\n---\n{text}\n"
        Path(f"pages/{name}.md").write_text(page, encoding="utf-8")
    assert run("library", "create", "leaflets", "--add", str(tmp_path / "pages")).exit_code == 0
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, ANSWERS)), encoding="utf-8")
    done = run("--offline", "check", "answers.jsonl", "--judge", "overlap", "--out", "checked.json")
    assert done.exit_code == 0, done.output
    return "checked.json"


def test_another_judge_judges_the_words_that_the_check_read(run: Run, checked: str) -> None:
    done = run(
        "--offline", "checkup", "rejudge", checked, "--judge", "comparison", "--out", "again.json", encoder="minilm"
    )
    assert done.exit_code == 0, done.output
    assert "A: guarded:overlap" in done.stdout and "B: guarded:comparison" in done.stdout
    assert "of 5 " in done.stdout and "Left out: 1 pair whose source could not be read" in done.stdout
    again = json.loads(Path("again.json").read_text(encoding="utf-8"))["checkups"]
    assert "comparison" in again["answers.jsonl#q1"]["judge"]
    same = json.loads(run("--offline", "checkup", "rejudge", checked, "--judge", "overlap", "--json").stdout)
    assert (same["agreement"]["share"], same["differences"]) == (1.0, [])


def test_merged_sources_are_told_with_what_could_not_be_merged(run: Run, checked: str) -> None:
    done = run("--offline", "checkup", "merge", checked, "--judge", "overlap")
    assert done.exit_code == 0, done.output
    assert "put to several sources together" in done.stdout
    data = json.loads(run("--offline", "checkup", "merge", checked, "--judge", "overlap", "--json").stdout)
    counted = ("judged", "one_source", "no_source", "supported_alone")
    statements = sum(len(one["verdicts"]) for one in json.loads(Path(checked).read_text())["checkups"].values())
    assert sum(data[name] for name in counted) == statements


def test_the_texts_are_taken_apart_anew_and_both_stand_side_by_side(run: Run, checked: str) -> None:
    words = ("checkup", "rejudge", checked, "--judge", "overlap", "--statements", "rules")
    assert run("--offline", *words, "--out", "again.json").exit_code == 0
    done = run("--offline", *words, "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)
    # The rules take the texts apart as the check did: the figures are the same.
    one, other = found["groups"]
    assert ({one.pop("group"), other.pop("group")}, one) == ({"A: as checked", "B: statements by rules"}, other)
    assert run("checkup", "rejudge", checked, "--statements", "model").exit_code == 2
    told = run("checkup", "breakdown", checked, "again.json", "--by", "file")
    assert "again.json" in told.stdout and "each statement by itself" in told.stdout


def test_what_became_of_sentences_that_do_not_stand_is_counted(run: Run, checked: str) -> None:
    words = ("check", "answers.jsonl", "--judge", "overlap", "--repair", "--out", "repaired.json")
    assert run("--offline", *words).exit_code == 0
    told = json.loads(run("checkup", "breakdown", "repaired.json", "--by", "system", "--json").stdout)
    edits = {group["group"]: group["edits"] for group in told[0]["groups"]}
    assert all(sum(one["part"] for one in some.values()) == some["marked"]["whole"] for some in edits.values() if some)
    assert any(edits.values())
    assert "stays, with a note" in run("checkup", "breakdown", "repaired.json").stdout


@each_row("command", ["rejudge", "merge"])
def test_bad_use_says_what_to_give(run: Run, checked: str, command: str) -> None:
    Path("no.json").write_text("{}", encoding="utf-8")
    done = run("checkup", command, "no.json")
    assert (done.exit_code, "wellsourced check --json" in done.output) == (2, True), done.output
    assert run("checkup", command, "nowhere.json").exit_code == 2
    assert run("--offline", "checkup", command, checked, "--judge", "nobody").exit_code == 2
    gone = run("--offline", "--home", "elsewhere", "checkup", command, checked, "--judge", "overlap")
    assert gone.exit_code == 1
    assert "Check the text once more" in " ".join(gone.output.split())


def test_people_judge_a_sheet_and_their_agreement_is_told(run: Run, checked: str) -> None:
    done = run("checkup", "sheet", checked, "--out", "study.csv", "--sample", "4")
    assert done.exit_code == 0, done.output
    assert "4 pairs in study.csv" in done.stdout and FLARE in Path("study.csv").read_text(encoding="utf-8")
    with Path("study.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    keys = [json.loads(line) for line in Path("study.key.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == [key["id"] for key in keys]
    codes = {"supports": "supported", "contradicts": "contradicted", "silent": "not supported"}
    for rater in ("anna", "ben"):
        with Path(f"{rater}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys())
            table.writeheader()
            table.writerows({**row, "label": codes[key["label"]]} for row, key in zip(rows, keys, strict=True))
    told = run("checkup", "agreement", "study.key.jsonl", "anna.csv", "ben.csv")
    assert told.exit_code == 0, told.output
    assert "anna: 4 of 4" in told.stdout and "judge and majority" in told.stdout
    data = json.loads(run("checkup", "agreement", "study.key.jsonl", "anna.csv", "ben.csv", "--json").stdout)
    assert [one["share"] for one in data["judge"]] == [1.0, 1.0, 1.0]


@each_row(
    ("words", "why"),
    [
        (("sheet", "checked.json", "--out", "study.txt"), "does not end in .csv"),
        (("sheet", "checked.json", "--out", "s.csv", "--verdict", "contradicts"), "No pair to judge"),
        (("agreement", "answers.jsonl", "answers.jsonl"), "not the key of an item"),
    ],
)
def test_a_study_that_cannot_be_made_says_why(run: Run, checked: str, words: tuple[str, ...], why: str) -> None:
    done = run("checkup", *words)
    assert (done.exit_code, why in " ".join(done.output.split())) == (2, True), done.output


def test_figures_are_told_by_system_kind_of_question_and_kind_of_source(run: Run, checked: str) -> None:
    done = run("checkup", "breakdown", checked)
    assert done.exit_code == 0, done.output
    assert [line.split("  ")[0] for line in done.stdout.splitlines() if "texts" in line] == [
        "system", "kind of question", "kind of source",
    ]  # fmt: skip
    data = json.loads(run("checkup", "breakdown", checked, "--by", "system", "--json").stdout)
    assert [(one["by"], {group["group"] for group in one["groups"]}) for one in data] == [("system", {"alpha", "beta"})]
    few = [(one["groups"], one["note"]) for one in data[0]["tests"][0]["tests"] if one["test"] == "none"]
    assert few == [("alpha and beta", "fewer than 5 values")]
    whole = json.loads(Path(checked).read_text(encoding="utf-8"))["shares"]["statement support"]
    assert sum(group["shares"]["statement support"]["of"] for group in data[0]["groups"]) == whole["of"]
    assert {group["group"]: group["addresses"]["domains"] for group in data[0]["groups"]} == {
        "alpha": [["example.org", 2]], "beta": [["example.org", 2]],
    }  # fmt: skip
    assert "example.org 2" in done.stdout
    assert run("checkup", "breakdown", checked, "--by", "author").exit_code == 2


def test_a_data_set_comes_back_with_the_same_figures(run: Run, checked: str) -> None:
    done = run("checkup", "export", checked, "--out", "data.jsonl")
    assert done.exit_code == 0, done.output
    assert "2 responses" in done.stdout
    back = run("checkup", "import", "data.jsonl", "--out", "back.json")
    assert back.exit_code == 0, back.output
    assert "made by wellsourced" in back.stdout and "source validity" in back.stdout
    before, after = (json.loads(Path(name).read_text(encoding="utf-8")) for name in (checked, "back.json"))
    assert after["shares"] == before["shares"]
    for name, one in before["checkups"].items():
        assert after["checkups"][name] | {"run": ""} == one | {"run": ""}


@each_row(
    ("words", "why"),
    [
        (("export", "checked.json", "--out", "data.json"), "does not end in .jsonl"),
        (("export", "checked.json", "--out", "d.jsonl", "--key", "checked.json"), "give both, or neither"),
        (("import", "answers.jsonl"), "does not begin with the card"),
    ],
)
def test_a_data_set_that_cannot_be_written_or_read_says_why(
    run: Run, checked: str, words: tuple[str, ...], why: str
) -> None:
    done = run("checkup", *words)
    assert (done.exit_code, why in " ".join(done.output.split())) == (2, True), done.output
