"""Libraries, as they are built and looked at from the command line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from tests.app.conftest import Run
from tests.tables import each_row
from wellsourced.encoders.minilm import MiniLM


def test_a_library_is_made_filled_listed_and_described(run: Run, trials: str) -> None:
    listed = run("library", "list")
    assert listed.stdout.startswith("  trials (research): 3 documents, 3 passages (0 embedded)")
    described = run("library", "list", trials).stdout
    assert "trials holds 3 documents of the kind “research”." in described
    assert "3 passages, none embedded. Run: wellsourced library embed trials" in described


def test_what_was_added_is_found_and_opened_character_for_character(run: Run, trials: str) -> None:
    (passage, *_) = json.loads(run("search", "--source", trials, "colchicine", "--json").stdout)["passages"]
    assert passage["reference"]["title"] == "Colchicine in gout"
    document_id = passage["reference"]["id"]
    text = run("open", "--all", "--source", trials, document_id).stdout
    assert text[passage["start"] : passage["end"]] == passage["text"]
    document = json.loads(run("open", "--all", "--source", trials, document_id, "--json").stdout)
    assert document["text"] + "\n" == text
    assert document["reference"]["id"] == document_id


def test_hits_are_listed_with_what_is_needed_to_open_them(run: Run, trials: str) -> None:
    shown = run("search", "--source", trials, "gout", "--limit", "1").stdout
    assert shown.count("\n") == 6
    assert "Allopurinol in gout" in shown or "Colchicine in gout" in shown
    assert "#" in shown.splitlines()[1]
    assert run("search", "--source", trials, "xylophone").stdout.startswith("Nothing found.\n")


def test_adding_again_costs_nothing_and_a_changed_file_replaces_what_it_held(
    run: Run, trials: str, corpus: Path
) -> None:
    assert "1 file unchanged" in run("library", "add", trials, str(corpus)).stdout
    rows = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
    corpus.write_text(rows[0], encoding="utf-8")
    again = json.loads(run("library", "add", trials, str(corpus), "--json").stdout)
    assert (again["documents"], again["removed"], again["problems"]) == (1, 2, [])


def test_a_file_that_cannot_be_read_is_named_with_a_remedy_and_the_others_go_in(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    run("library", "create", "notes")
    bad = tmp_path / "bad.jsonl.gz"
    bad.write_bytes(b"\x1f\x8b\x08 this was a gzip once")
    added = run("library", "add", "notes", str(bad), str(corpus))
    assert added.exit_code == 1
    assert "3 documents" in added.stdout
    assert "1 problem; everything else was added:" in added.stderr
    assert "bad.jsonl.gz: " in added.stderr


def test_documents_are_removed_by_id_and_a_library_as_a_whole(run: Run, trials: str) -> None:
    document_id = json.loads(run("search", "--source", trials, "metformin", "--json").stdout)["passages"][0][
        "reference"
    ]["id"]
    removed = run("library", "remove", trials, document_id, "no-such-id")
    assert removed.stdout == "Removed 1 document from trials; 1 not found.\n"
    assert run("library", "remove", trials, document_id).exit_code == 2
    assert run("search", "--source", trials, "metformin").stdout.startswith("Nothing found.\n")
    asked = run("library", "remove", trials, stdin="n\n")
    assert asked.exit_code == 1
    assert "trials" in run("library", "list").stdout
    assert run("library", "remove", trials, "--yes").stdout == "Deleted the library trials.\n"
    assert "No libraries yet." in run("library", "list").stdout


def test_a_rebuilt_index_finds_what_it_found_before(run: Run, trials: str, home: Path) -> None:
    before = run("search", "--source", trials, "gout flares", "--json").stdout
    rebuilt = run("library", "verify", "--rebuild", trials)
    assert rebuilt.stdout == "1 file of trials unchanged.\nAll documents are intact and searchable.\n"
    assert run("search", "--source", trials, "gout flares", "--json").stdout == before


def test_one_command_turns_vectors_on_for_a_library_that_was_searched_by_word(run: Run, trials: str) -> None:
    embedded = run("library", "embed", trials, encoder="minilm")
    assert embedded.stdout == "trials: 3 of 3 passages embedded.\n"
    by_meaning = json.loads(run("search", "--source", trials, "blood sugar", "--json", encoder="minilm").stdout)
    assert by_meaning["passages"][0]["reference"]["title"] == "Metformin in diabetes"


def test_vectors_that_were_computed_elsewhere_are_taken_as_they_are(run: Run, trials: str, tmp_path: Path) -> None:
    encoder = MiniLM()
    listed = json.loads(run("search", "--source", trials, "gout OR metformin OR aspirin", "--json").stdout)["passages"]
    names = [one["reference"]["id"] for one in listed]
    # What each says, far from its words: what is found by meaning was found by these vectors.
    meant = ["a railway bridge", "an orchestra", "a volcano"][: len(names)]
    rows, ids = tmp_path / "embeds_chunk_0.npy", tmp_path / "pmids_chunk_0.json"
    np.save(rows, 3 * encoder.encode([*meant, "a ship"]))
    ids.write_text(json.dumps([*names, "31234567"]), encoding="utf-8")
    typed = ("library", "embed", trials, "--vectors", str(rows), "--ids", str(ids))
    told = run(*typed, encoder="minilm")
    assert told.exit_code == 0, told.output
    assert f"{len(names)} documents got a vector; 1 rows left out" in told.stdout
    found = json.loads(run("search", "--source", trials, "volcanoes", "--json", encoder="minilm").stdout)["passages"]
    assert found[0]["reference"]["id"] == names[meant.index("a volcano")]
    assert "0 documents got a vector" in run(*typed, encoder="minilm").stdout
    np.save(rows, np.zeros((len(names) + 1, 7), np.float32))
    wide = run(*typed, encoder="minilm")
    assert wide.exit_code == 2
    assert "The vectors have 7 columns; those of" in wide.stderr
    ids.write_text("1\n2\n", encoding="utf-8")
    assert f"it has {len(names) + 1} rows, and pmids_chunk_0.json has 2 ids" in run(*typed, encoder="minilm").stderr
    assert "Give an --ids for each --vectors." in run(*typed[:-2], encoder="minilm").stderr


def test_a_new_library_gets_its_vectors_with_its_documents_unless_told_otherwise(run: Run, corpus: Path) -> None:
    run("library", "create", "full", encoder="minilm")
    run("library", "add", "full", str(corpus), encoder="minilm")
    run("library", "create", "plain", encoder="minilm")
    run("library", "add", "plain", str(corpus), "--no-vectors", encoder="minilm")
    rows = {row["name"]: row["vectors"] for row in json.loads(run("library", "list", "--json").stdout)}
    assert rows == {"full": 3, "plain": 0}


@each_row(
    "words",
    [
        ("list", "trails"),
        ("errors", "trails"),
        ("add", "trails", "."),
        ("embed", "trails"),
        ("verify", "trails", "--rebuild"),
        ("remove", "trails", "--yes"),
    ],
)
def test_a_library_that_does_not_exist_is_bad_use_and_the_nearest_name_is_told(
    run: Run, trials: str, words: tuple[str, ...]
) -> None:
    told = run("library", *words)
    assert told.exit_code == 2
    assert "No library “trails” in " in told.stderr
    assert "Libraries: trials." in told.stderr


def test_adding_to_a_library_that_does_not_exist_says_how_to_make_it(run: Run, corpus: Path) -> None:
    told = run("library", "add", "trials", str(corpus))
    assert told.exit_code == 2
    assert "Run: wellsourced library create trials --add PATH" in told.stderr


def test_the_guidelines_are_not_changed_by_hand(run: Run, corpus: Path) -> None:
    assert run("library", "create", "guidelines").exit_code == 1
    assert run("library", "add", "guidelines", str(corpus)).exit_code == 1
    assert run("library", "remove", "guidelines", "doi:10.1161/CIR.0000000000001063").exit_code == 1


def test_a_library_that_cannot_be_opened_is_listed_with_the_reason(run: Run, trials: str, home: Path) -> None:
    (home / "libraries" / trials / "catalogue.sqlite3").write_bytes(b"not a database, whatever its name says" * 200)
    for side in ("-wal", "-shm"):
        (home / "libraries" / trials / f"catalogue.sqlite3{side}").unlink(missing_ok=True)
    listed = run("library", "list")
    assert listed.exit_code == 0
    assert listed.stdout.startswith("  • trials (own)\n      ")
    assert "is damaged (file is not a database)" in " ".join(listed.stdout.split())


def test_a_hostile_title_does_not_command_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_text(json.dumps({"_id": "h", "title": "A\x1b[2JB", "text": "Gout \x1b]0;x\x07 hurts."}) + "\n")
    run("library", "create", "hostile", "--add", str(path))
    assert "\x1b" not in run("search", "--source", "hostile", "gout").stdout


def test_files_of_kinds_that_are_not_read_are_counted_and_those_that_belong_to_another_are_not(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("scan.dcm", "more.dcm", "film.avi", "README", ".hidden", "trials.digest.md"):
        (folder / name).write_bytes(b"whatever")
    made = run("library", "create", "notes", "--add", str(folder), "--add", str(corpus))
    assert made.exit_code == 0, made.output
    assert "Skipped 4 files of unsupported types: .dcm (2), no ending (1), .avi (1)." in made.stdout
    (folder / "old.doc").write_bytes(b"whatever")
    told = run("library", "add", "notes", str(folder))
    assert told.exit_code == 1
    assert "old.doc: it has the old binary Word format. Open it in a word processor" in told.stderr
    assert "Skipped" not in run("library", "add", "notes", str(corpus)).stdout


def test_what_came_from_a_file_is_removed_by_its_name_also_when_it_is_gone_and_can_be_added_again(
    run: Run, trials: str, corpus: Path, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Ice is put on the joint.")
    run("library", "add", trials, str(note))
    assert run("library", "remove", trials, str(corpus), "no-such-id").stdout == (
        "Removed 3 documents from trials; 1 not found.\n"
    )
    assert run("search", "--source", trials, "metformin").stdout.startswith("Nothing found.\n")
    note.unlink()
    assert f"Run: wellsourced library remove {trials} FILE" in run("library", "verify", trials).stdout
    assert run("library", "remove", trials, str(note)).stdout == "Removed 1 document from trials.\n"
    assert run("library", "verify", trials).exit_code == 0
    assert "3 documents" in run("library", "add", trials, str(corpus)).stdout


def test_files_that_wait_are_not_told_as_files_that_cannot_be_read(run: Run, trials: str, home: Path) -> None:
    with closing(sqlite3.connect(home / "libraries" / trials / "catalogue.sqlite3")) as sql, sql:
        sql.execute("UPDATE files SET state = 'queued', sha256 = '', at = ''")
    told = " ".join(run("library", "list", trials).stdout.split())
    assert f"1 file not read yet. Run: wellsourced library add {trials}" in told
    assert "could not be read" not in told
    assert "1 file read into trials" in run("library", "add", trials).stdout
    assert "still to be read" not in run("library", "list", trials).stdout


def test_a_file_of_which_a_document_was_removed_waits_for_nothing_and_is_read_when_it_is_named(
    run: Run, trials: str, corpus: Path
) -> None:
    found = json.loads(run("search", "--source", trials, "metformin", "--json").stdout)
    id = found["passages"][0]["reference"]["id"]
    assert run("library", "remove", trials, id).stdout == f"Removed 1 document from {trials}.\n"
    told = run("library", "list", trials).stdout
    assert "2 documents" in told
    assert "read yet" not in told
    assert "to be read" not in told
    assert run("library", "add", trials).exit_code == 2
    assert "1 file read into trials: 3 documents" in run("library", "add", trials, str(corpus)).stdout
    assert "3 documents" in run("library", "list", trials).stdout


@each_row(("option", "value"), [("--files", "3"), ("--from", "http://127.0.0.1/"), ("--dry-run", "")])
def test_an_option_of_recipes_is_refused_under_the_name_it_was_typed_by(
    run: Run, trials: str, option: str, value: str
) -> None:
    told = run("library", "add", trials, option, *filter(None, [value]))
    assert told.exit_code == 2
    assert f"is not a public collection: leave out {option}." in told.stderr


def test_a_name_may_have_blanks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gout.txt").write_text("Colchicine shortens gout flares.", encoding="utf-8")
    assert run("library", "create", "my notes", "--lexical").exit_code == 0
    assert run("library", "add", "my notes", str(tmp_path / "gout.txt")).exit_code == 0
    (passage,) = json.loads(run("search", "--library", "my notes", "colchicine", "--json").stdout)["passages"]
    assert run("open", "--source", "my notes", passage["reference"]["id"]).exit_code == 0


def test_the_concept_graph_is_no_library_and_each_way_to_make_one_of_it_says_how_it_is_filled(
    run: Run, tmp_path: Path
) -> None:
    nodes, edges = tmp_path / "do.nodes.jsonl", tmp_path / "do.edges.jsonl"
    nodes.write_text('{"id": "DOID:1", "label": "gout", "synonyms": ["podagra"], "definition": "A disease."}\n')
    edges.write_text('{"subject": "DOID:1", "predicate": "is_a", "object": "DOID:2"}\n')
    for wrong in (("create", "onto", "--kind", "graph"), ("create", "graph"), ("add", "graph", str(nodes))):
        told = run("library", *wrong)
        assert told.exit_code and "Run: wellsourced library add do" in told.stderr
    assert "into the graph: 1 concept, 2 facts" in run("library", "add", "do", str(nodes), str(edges), "--yes").stdout


def test_a_recipe_that_is_misspelled_is_guessed(run: Run) -> None:
    told = run("library", "add", "pubmed-basline")
    assert told.exit_code == 2
    assert "Did you mean the public collection pubmed-baseline?" in told.stderr


def test_answers_and_refusals_say_what_could_not_be_read(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "ward"
    folder.mkdir()
    # One document, beside a line that cannot be read.
    half = (
        '{"title": "Ward protocol", "text": "Pain in gout is treated with colchicine 0.5 mg twice daily."}\n{broken\n'
    )
    (folder / "half.jsonl").write_text(half, encoding="utf-8")
    (folder / "broken.docx").write_bytes(b"no archive")
    created = run("library", "create", "ward", "--kind", "guideline", "--lexical", "--add", str(folder))
    assert created.stdout.startswith(
        "1 file read into ward, 1 of them in part: 1 document, 1 passage, 1 file not read."
    )
    refused = json.loads(run("ask", "--library", "ward", "What treats psoriasis?", "--json").stdout)
    assert refused["abstained"]
    assert "1 file could not be read" in [gap["reason"] for gap in refused["gaps"]]
    answered = json.loads(run("ask", "--library", "ward", "What treats pain in gout?", "--json").stdout)
    assert answered["statements"]
    reasons = [gap["reason"] for gap in answered["gaps"]]
    assert reasons == ["Ward protocol was read in part: 1 part of it could not be read"]
    shown = run("ask", "--library", "ward", "What treats psoriasis?").stdout
    assert "could not be read. Run: wellsourced library errors ward" in " ".join(shown.split())


def test_a_library_is_copied_by_name_and_by_folder_and_both_are_compared(
    run: Run, home: Path, trials: str, tmp_path: Path
) -> None:
    first = run("library", "copy", trials, "copied")
    assert first.stdout.startswith("Copied 3 documents to copied.\n")
    assert "Both hold the same documents.\nThe same searches found the same in 5 of 5 places.\n" in first.stdout
    again = json.loads(run("library", "copy", trials, "copied", "--json").stdout)
    assert (again["documents"], again["present"], again["whole"]) == (0, 3, True)
    # To another disk, and back from there.
    assert run("library", "copy", trials, str(tmp_path / "backup" / "kept")).exit_code == 0
    run("library", "remove", trials, "--yes")
    assert run("library", "copy", str(tmp_path / "backup" / "kept"), trials).exit_code == 0
    assert "colchicine" in run("search", "--source", trials, "colchicine").stdout.casefold()
    assert "unchanged" in run("library", "verify", trials).stdout


def test_what_cannot_be_copied_is_said(run: Run, trials: str, corpus: Path) -> None:
    run("library", "create", "other", "--add", str(corpus))
    for words, reason in (
        ((trials, trials), "trials cannot be copied into itself"),
        ((trials, "pubmed"), "“pubmed” is the name of a network source"),
        ((trials, "guidelines"), "“guidelines” is the name of the built-in library"),
        (("nope", "new"), "No library “nope”"),
        ((trials, "new", "--engine", "nowhere://h:1/x"), "No engine “nowhere”"),
    ):
        told = run("library", "copy", *words)
        assert told.exit_code != 0
        assert reason in told.stderr
    assert "new" not in run("library", "list").stdout
    assert run("library", "move", trials, "here").stdout == "trials is searched there already (here).\n"
    assert "No engine “nowhere”" in run("library", "move", trials, "nowhere://h:1/x").stderr
