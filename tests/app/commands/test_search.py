"""`wellsourced search`: what is found, how it was searched for, and what could not be asked."""

import csv
import json
import socket
from pathlib import Path

from tests.app.conftest import Run
from tests.tables import each_row


def typed(run: Run, *words: str) -> str:
    """The output of a search that finds something."""
    told = run("search", *words)
    assert told.exit_code == 0, told.output
    return told.stdout


def nobody_at() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return f"http://127.0.0.1:{port}/entrez/eutils/"


def test_passages_of_a_library_are_ranked_with_the_fittest_first(run: Run, trials: str) -> None:
    told = typed(run, "--library", trials, "colchicine gout flares")
    assert told.startswith("  1. Colchicine in gout")
    assert told.index("Colchicine in gout") < told.index("Allopurinol in gout")
    assert "trial-1#" in told
    assert "(trials)" in told
    assert "trials, query “colchicine gout flares”:" in told


def test_the_limit_is_one_of_passages(run: Run, trials: str) -> None:
    told = typed(run, "--limit", "1", "--library", trials, "colchicine gout flares")
    assert "  1. " in told
    assert "  2. " not in told


def test_what_words_were_understood_as_is_told(run: Run, trials: str) -> None:
    told = typed(run, "--library", trials, "Does Glucophage lower haemoglobin?")
    assert "understood “Glucophage” also as “metformin” (brand" in told
    assert told.startswith("  1. Metformin in diabetes")


def test_an_expansion_that_is_switched_off_is_not_made(run: Run, trials: str) -> None:
    told = run("--set", "expand=", "search", "--library", trials, "Does Glucophage lower haemoglobin?")
    assert "understood" not in told.stdout
    assert "query “Does Glucophage lower haemoglobin?”" in told.stdout


def test_json_has_everything_and_nothing_else_is_printed(run: Run, trials: str) -> None:
    told = json.loads(typed(run, "--json", "--limit", "1", "--library", trials, "Does Glucophage lower haemoglobin?"))
    assert list(told) == ["version", "kind", "question", "passages", "works", "attempts", "notes", "gaps"]
    assert (told["version"], told["kind"]) == (3, "search")
    (passage,) = told["passages"]
    assert (passage["reference"]["id"], passage["source"]) == ("trial-3", trials)
    assert passage["end"] - passage["start"] == len(passage["text"])
    assert [one["kind"] for one in told["question"]["expansions"]] == ["brand"]
    assert [attempt["search"]["source"] for attempt in told["attempts"]] == [trials]


def test_works_are_listed_with_their_passages_and_written_for_reference_managers(
    run: Run, trials: str, tmp_path: Path
) -> None:
    words = ("--source", trials, "--boolean", "gout[tiab] OR metformin[tiab]")
    told = typed(run, "--works", "--limit", "2", *words)
    assert told.count(f"({trials}): 1 passage\n") == 2
    found = json.loads(typed(run, "--works", "--json", *words))
    assert found["passages"] == []
    assert f"{len(found['works'])} works found by the query" in told
    ids = [work["reference"]["id"] for work in found["works"]]
    for ending, mark in ((".ris", "TY  - "), (".bib", "\n@"), (".csv", "trial-"), (".json", '"id"')):
        path = tmp_path / f"found{ending}"
        # All that were found, however many are shown.
        typed(run, "--limit", "1", "--references", str(path), *words)
        assert path.read_text(encoding="utf-8").replace("@", "\n@").count(mark) >= len(ids)
    rows = list(csv.DictReader((tmp_path / "found.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["id"] for row in rows] == ids
    refused = run("search", *words, "--references", str(tmp_path / "found.doc"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "Unknown format .doc" in refused.stderr


def test_a_boolean_query_is_put_to_every_library_that_is_named_or_to_all(run: Run, trials: str, tmp_path: Path) -> None:
    (tmp_path / "ward.md").write_text("# Gout on the ward\n\nColchicine is given for gout flares.\n", encoding="utf-8")
    assert run("library", "create", "ward", "--add", f"{tmp_path}/ward.md").exit_code == 0
    told = typed(run, "--boolean", "--library", trials, "--library", "ward", "gout")
    assert f"{trials}: 2 works found by the query" in told
    assert "ward: 1 work found by the query" in told
    assert typed(run, "--boolean", "gout").count("found by the query") >= 2
    assert run("search", "--boolean", "--library", "ward", "gout[titel]").exit_code == 2


def test_nothing_found_has_an_exit_status_of_its_own(run: Run, trials: str) -> None:
    told = run("search", "--library", trials, "zzzzqqqq")
    assert told.exit_code == 3, told.output
    assert told.stdout.startswith("Nothing found.")
    assert "trials, query “zzzzqqqq”: nothing found" in told.stdout


def test_a_document_without_a_title_is_shown_by_its_id(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text('{"_id": "bare-1", "title": "", "text": "Colchicine helps in gout."}\n', encoding="utf-8")
    assert run("library", "create", "bare", "--add", str(path)).exit_code == 0
    assert typed(run, "--library", "bare", "colchicine").startswith("  1. bare-1\n")


def test_a_source_that_failed_is_shown_beside_what_the_others_found(run: Run, trials: str) -> None:
    words = ("search", "--library", trials, "--live", "pubmed", "colchicine gout flares")
    told = run("--offline", "--set", f"pubmed.url={nobody_at()}", *words)
    assert told.exit_code == 0, told.output
    assert "Colchicine in gout" in told.stdout
    assert "pubmed, query “colchicine gout flares”: failed (" in told.stdout


def test_a_source_that_lacks_its_key_is_a_gap_and_not_silence(run: Run, trials: str) -> None:
    told = run("search", "--library", trials, "--live", "brave", "colchicine gout flares")
    assert told.exit_code == 0, told.output
    assert (
        "\nGaps\n  brave (not configured): it needs an API key from api.search.brave.com: set\n"
        "    brave.key, or WELLSOURCED_BRAVE__KEY; the other sources are asked in its\n    place\n" in told.stdout
    )


@each_row("question", ["", "?"])
def test_a_search_for_nothing_is_bad_use(run: Run, trials: str, question: str) -> None:
    told = run("search", "--library", trials, question)
    assert told.exit_code == 2
    assert "The question is empty" in told.stderr


def test_the_json_of_one_source_is_the_public_object_too(run: Run, trials: str) -> None:
    told = json.loads(typed(run, "--json", "--source", trials, "colchicine gout flares"))
    assert (told["version"], told["kind"], told["passages"][0]["source"]) == (3, "search", trials)
    assert [attempt["found"] for attempt in told["attempts"]] == [len(told["passages"])]


def test_what_is_excluded_is_excluded_from_one_source_too(run: Run, trials: str) -> None:
    def find(*words: str) -> list[str]:
        told = json.loads(run("search", "--source", trials, "--json", *words, "colchicine").stdout)
        return [one["reference"]["id"] for one in told["passages"]]

    first = find()[0]
    assert first not in find("--exclude", first)


@each_row(
    ("words", "why"),
    [
        (("--syntax", "ovid", "gout"), "--syntax is for --show-query"),
        (("--source", "pubmed", "--boolean", "--syntax", "ovid", "gout"), "--syntax is for --show-query"),
        (("--source", "pubmed", "--show-query", "gout"), "Use either --source or --show-query"),
        (("--source", "pubmed", "--library", "mine", "gout"), "Use either --source or --library"),
    ],
)
def test_an_option_that_would_do_nothing_is_bad_use(run: Run, words: tuple[str, ...], why: str) -> None:
    told = run("search", *words)
    assert told.exit_code == 2
    assert why in told.stderr
