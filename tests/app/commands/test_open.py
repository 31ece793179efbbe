"""`wellsourced open`: whatever was printed with an id, at its place."""

import json

import pytest

from tests.app.conftest import Run


@pytest.fixture
def run(run: Run) -> Run:
    """The command without the guidelines, which it would make searchable first."""
    return lambda *words: run("--set", "guidelines=false", *words)


def first_passage(run: Run, trials: str) -> str:
    found = json.loads(run("search", "--source", trials, "colchicine gout", "--json").stdout)
    id: str = found["passages"][0]["id"]
    return id


def test_a_passage_that_search_printed_is_opened_and_marked(run: Run, trials: str) -> None:
    id = first_passage(run, trials)
    shown = run("open", id)
    assert shown.exit_code == 0
    assert "Colchicine in gout" in shown.stdout and "shortened gout flares by two days" in shown.stdout


def test_json_of_a_passage_and_of_a_document_is_the_public_object(run: Run, trials: str) -> None:
    id = first_passage(run, trials)
    document_id, _, place = id.rpartition("#")
    start, end = map(int, place.split("-"))
    one = json.loads(run("open", id, "--json").stdout)
    assert (one["version"], one["kind"], one["start"], one["end"]) == (3, "document", start, end)
    whole = json.loads(run("open", document_id, "--json").stdout)
    assert whole["text"][start:end] == one["text"]
    assert whole["end"] == whole["length"]


def test_the_whole_document_goes_into_a_pipe_character_for_character(run: Run, trials: str) -> None:
    document_id = first_passage(run, trials).rpartition("#")[0]
    whole = json.loads(run("open", document_id, "--json").stdout)
    assert run("open", document_id, "--all").stdout == whole["text"].removesuffix("\n") + "\n"


def test_an_id_of_a_live_source_that_is_not_asked_names_the_option_that_asks_it(run: Run) -> None:
    done = run("open", "pubmed:31234567")
    assert done.exit_code == 2
    assert done.stderr == (
        "wellsourced: pubmed:31234567 is not on this machine. To ask pubmed for it, add --live pubmed.\n"
    )


def test_a_wrong_id_is_one_sentence(run: Run, trials: str) -> None:
    document_id = first_passage(run, trials).rpartition("#")[0]
    wrong = run("open", document_id[:-1] + "x")
    assert wrong.exit_code != 0
    assert f"{document_id[:-1]}x was not found in" in wrong.stderr and "Traceback" not in wrong.stderr
