"""Questions that leave the machine, and those that do not: the command, its real client, and servers on loopback."""

import json
from pathlib import Path

from tests.app.conftest import Run
from tests.servers.base import Served, serving
from tests.servers.eutils import Eutils, Record, article
from tests.tables import each_row
from wellsourced.types import Answer

QUESTION = "Did colchicine shorten gout flares?"
FINDING = "Colchicine shortened gout flares by two days compared with placebo."
KEY = "0123456789abcdef"

TRIAL = article("31000001", "Colchicine in gout", [("RESULTS", FINDING)], published="2019-05-03", doi="10.1000/Gout.1")
WITHDRAWN = article(
    "31000002",
    "Colchicine shortens gout flares at once",
    [("RESULTS", "Colchicine shortened gout flares to a single hour in all patients.")],
    types=("Journal Article", "Retracted Publication"),
    published="2018",
)


def at(served: Served, *words: str) -> tuple[str, ...]:
    """A command that knows PubMed at this address and has neither guidelines nor libraries to fall back on."""
    return ("--set", "guidelines=false", "--set", f"pubmed.url={served.url}/entrez/eutils/", *words)


def ncbi(*records: Record) -> Eutils:
    return Eutils({"pubmed": records}, key=KEY, pace=0)


def test_pubmed_answers_with_its_own_words_and_the_receipt_names_it(run: Run) -> None:
    with serving(ncbi(TRIAL)) as served:
        told = run(*at(served, "ask", "--live", "pubmed", QUESTION))
    assert told.exit_code == 0, told.output
    assert FINDING in " ".join(told.stdout.split())
    assert "https://doi.org/10.1000/" in told.stdout
    assert "pubmed (1 passage)" in told.stdout


def test_without_live_nothing_leaves(run: Run, home: Path) -> None:
    with serving(ncbi(TRIAL)) as served:
        told = run(*at(served, "ask", QUESTION))
    assert told.exit_code == 3
    assert served.asked == []
    assert not (home / "egress.jsonl").exists()


def test_offline_overrules_every_setting_and_no_connection_is_made(run: Run, home: Path) -> None:
    with serving(ncbi(TRIAL)) as served:
        told = run(
            "--offline",
            *at(served, "--set", "live=pubmed,europe_pmc", "--set", "retractions=crossref"),
            "ask",
            QUESTION,
        )
    assert told.exit_code == 3
    assert served.asked == []
    assert told.stdout.count("Offline") + told.stdout.count("offline") >= 2
    assert "(failed)" in told.stdout
    assert not (home / "egress.jsonl").exists()


def test_a_source_that_is_down_is_a_gap_and_the_libraries_still_answer(run: Run, trials: str) -> None:
    with serving(ncbi(TRIAL)) as served:
        pass
    told = run(*at(served, "ask", "--live", "pubmed", QUESTION))
    assert told.exit_code == 0
    assert FINDING in told.stdout
    assert "pubmed (failed)" in told.stdout


def test_a_retracted_article_is_named_with_the_reason_and_says_nothing(run: Run) -> None:
    with serving(ncbi(TRIAL, WITHDRAWN)) as served:
        answer = Answer.model_validate_json(run(*at(served, "ask", "--live", "pubmed", "--json", QUESTION)).stdout)
    assert [one.reason for one in answer.dropped if one.id.startswith("pubmed:31000002#")] == ["retracted (PubMed)"]
    assert {item.passage.reference.id for item in answer.evidence} == {"pubmed:31000001"}


def test_the_ledger_names_the_host_and_neither_the_question_nor_the_key(run: Run, home: Path) -> None:
    with serving(ncbi(TRIAL)) as served:
        run(*at(served, "--set", f"pubmed.key={KEY}", "ask", "--live", "pubmed", QUESTION))
    assert {asked.fields.get("api_key") for asked in served.asked} == {KEY}
    host = served.url.removeprefix("http://")
    (row,) = json.loads(run("doctor", "--network", "--json").stdout)["hosts"]
    assert (row["host"], row["requests"], row["failed"]) == (host, len(served.asked), 0)
    assert row["received"] > len(FINDING)
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert b"colchicine" not in (home / "egress.jsonl").read_bytes().lower()


def test_a_key_is_shown_to_nobody(run: Run) -> None:
    for words in (("setup", "show"), ("setup", "show", "--json"), ("doctor",)):
        told = run("--set", f"pubmed.key={KEY}", *words)
        assert "pubmed.key" in told.stdout
        assert KEY not in told.output


@each_row(("name", "remedy"), [("brave", "set brave.key"), ("searxng", "set searxng.url")])
def test_a_search_engine_without_its_key_or_address_is_a_gap_that_says_how_to_give_it(
    run: Run, trials: str, name: str, remedy: str
) -> None:
    told = run("--set", "guidelines=false", "ask", "--live", name, QUESTION)
    assert told.exit_code == 0
    assert f"{name} (not configured)" in told.stdout
    assert remedy in " ".join(told.stdout.split())


def test_one_live_source_can_be_searched_and_opened_by_itself(run: Run) -> None:
    with serving(ncbi(TRIAL, WITHDRAWN)) as served:
        found = run(*at(served, "search", "--source", "pubmed", "--boolean", "colchicine[ti] AND gout[ti]", "--json"))
        opened = run(*at(served, "open", "--all", "--source", "pubmed", "pubmed:31000001"))
    passages = json.loads(found.stdout)["passages"]
    assert {passage["reference"]["id"] for passage in passages} == {"pubmed:31000001", "pubmed:31000002"}
    assert opened.stdout.rstrip("\n").endswith(FINDING)
    start, end = next((p["start"], p["end"]) for p in passages if p["text"] == FINDING)
    assert opened.stdout[start:end] == FINDING


def test_a_stored_answer_is_asked_about_again_and_says_what_was_withdrawn_since(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    with serving(ncbi(TRIAL)) as served:
        file.write_text(run(*at(served, "ask", "--live", "pubmed", "--json", QUESTION)).stdout, encoding="utf-8")
        stands = run(*at(served, "--set", "retractions=pubmed", "history", "verify", str(file)))
    since = article("31000001", "Colchicine in gout", [("RESULTS", FINDING)], types=("Retracted Publication",))
    with serving(ncbi(since)) as served:
        fallen = run(*at(served, "--set", "retractions=pubmed", "history", "verify", str(file)))
    gone = run(*at(served, "--set", "retractions=pubmed", "history", "verify", str(file)))
    assert (stands.exit_code, stands.stdout) == (0, "No registry reports a retraction or concern (1 work checked).\n")
    assert fallen.exit_code == 4
    assert "Colchicine in gout (pubmed:31000001) is retracted (PubMed" in fallen.stdout
    assert f"supports this statement: “RESULTS: {FINDING}”" in " ".join(fallen.stdout.split())
    assert gone.exit_code == 1
    assert "PubMed (failed)" in gone.stdout
    assert "it is unknown whether all of the answer still holds" in gone.stdout
    assert "No registry reports" not in gone.stdout


def test_what_holds_no_answer_cannot_be_asked_about_again(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text("{}", encoding="utf-8")
    told = run("--set", "retractions=pubmed", "history", "verify", str(file))
    assert told.exit_code == 1
    assert "contains no answer" in told.stderr
    assert "Give the output of `wellsourced ask --json`." in told.stderr
