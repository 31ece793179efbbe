"""Questions that are asked again: what has changed, what cannot be known, and how a schedule ends."""

import json
from pathlib import Path

from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.eutils import Eutils, Record, article
from tests.tables import each_row
from wellsourced.runs.history import RunHistory

OWN = ("--set", "guidelines=false")
ASKED = "Did colchicine shorten gout flares compared with placebo?"
FINDING = "Colchicine shortened gout flares by two days compared with placebo."
LATER = "Colchicine shortened gout flares by three days compared with placebo in women."


def pubmed(*types: str) -> Record:
    return article(
        "31000001",
        "Colchicine in gout",
        [("RESULTS", FINDING)],
        published="2019-05-03",
        types=("Journal Article", *types),
    )


def add(run: Run, tmp_path: Path, text: str, title: str = "Colchicine in women") -> None:
    path = tmp_path / "later.jsonl"
    path.write_text(json.dumps({"_id": "trial-9", "title": title, "text": text}) + "\n", encoding="utf-8")
    assert run("library", "add", "trials", str(path)).exit_code == 0


def test_what_is_new_is_told_once_and_then_nothing_has_changed(
    run: Run, trials: str, home: Path, tmp_path: Path
) -> None:
    run(*OWN, "ask", ASKED)
    same = run(*OWN, "history", "watch", "--all")
    assert (same.exit_code, same.stdout.count("Nothing changed.")) == (0, 1)
    add(run, tmp_path, LATER)
    changed = run(*OWN, "history", "watch", "--all")
    assert changed.exit_code == 5
    assert "Newly cited\n  Colchicine in women" in changed.stdout
    quiet = run(*OWN, "history", "watch", "--all", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert len(RunHistory(home).list_runs()) == 4
    assert not list(RunHistory(home).find_changes())


def test_a_line_of_json_says_which_runs_were_compared(run: Run, trials: str, home: Path, tmp_path: Path) -> None:
    run(*OWN, "ask", ASKED)
    run(*OWN, "ask", "Does allopurinol prevent gout flares?")
    add(run, tmp_path, LATER)
    told = run(*OWN, "history", "watch", "--json", "--all")
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    ids = [one.short_id for one in RunHistory(home).list_runs()]
    assert [(one["run"], one["later"]) for one in rows] == [(ids[2], ids[1]), (ids[3], ids[0])]
    assert {row["question"]: row["result"] for row in rows}[ASKED] == "changed"
    assert [one["id"] for row in rows for one in row["newly_cited"] if row["question"] == ASKED] == ["trial-9"]


def test_a_run_is_compared_with_the_newest_one_of_its_question(
    run: Run, trials: str, home: Path, tmp_path: Path
) -> None:
    run(*OWN, "ask", "--as-of", "2020", ASKED)
    (first,) = RunHistory(home).list_runs()
    add(run, tmp_path, LATER)
    assert run(*OWN, "history", "watch", first.id[:6]).exit_code == 5
    assert run(*OWN, "history", "watch", first.id[:6]).exit_code == 0


def test_what_was_withdrawn_is_told_and_no_longer_said(run: Run) -> None:
    with serving(Eutils({"pubmed": (pubmed(),)}, pace=0)) as served:
        at = (*OWN, "--set", f"pubmed.url={served.url}/entrez/eutils/")
        assert run(*at, "ask", "--live", "pubmed", ASKED).exit_code == 0
        with serving(Eutils({"pubmed": (pubmed("Retracted Publication"),)}, pace=0)) as today:
            at = (*OWN, "--set", f"pubmed.url={today.url}/entrez/eutils/")
            told = run(*at, "history", "watch", "--all", "--live", "pubmed")
    assert told.exit_code == 5
    assert "Retracted since\n  Colchicine in gout (2019)" in told.stdout
    assert "retracted (PubMed)" in told.stdout
    assert "there was an answer then, but not now" in told.stdout


def test_a_source_that_does_not_answer_changes_nothing_and_is_told(run: Run, home: Path) -> None:
    with serving(Eutils({"pubmed": (pubmed(),)}, pace=0)) as served:
        at = (*OWN, "--set", f"pubmed.url={served.url}/entrez/eutils/")
        assert run(*at, "ask", "--live", "pubmed", ASKED).exit_code == 0
    down = run(*at, "history", "watch", "--all", "--live", "pubmed", "--quiet")
    assert down.exit_code == 1
    assert "pubmed could not be searched" in down.stdout
    unnamed = run(*at, "history", "watch", "--all")
    assert unnamed.exit_code == 1
    assert "pubmed was searched then, but is not searched now" in " ".join(unnamed.stdout.split())
    assert len(RunHistory(home).list_runs()) == 1


@each_row("words", [(), ("3f", "--all"), ("3f",)])
def test_bad_use_is_told(run: Run, trials: str, words: tuple[str, ...]) -> None:
    assert run("history", "watch", *words).exit_code == 2


def test_where_nothing_is_recorded_nothing_is_asked(run: Run) -> None:
    told = run("history", "watch", "--all")
    assert (told.exit_code, told.stdout) == (0, "")
    assert "No runs are stored here" in told.stderr
