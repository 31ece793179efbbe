"""Questions from the command line: what is printed, and with which exit status it ends."""

import json
import os
import re
from datetime import date
from pathlib import Path

import click
import pytest

from tests.app.conftest import Run
from tests.tables import each_row
from wellsourced.app.question_input import parse_partial_date
from wellsourced.storage.private_files import list_open_to_others
from wellsourced.types import Answer

QUESTION = "Did colchicine shorten gout flares?"
OWN = ("--set", "guidelines=false", "ask")


def test_an_answer_shows_its_statement_its_source_and_what_was_searched(run: Run, trials: str) -> None:
    told = run(*OWN, QUESTION)
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("In short\n  [1] ")
    short = told.stdout.partition("\n\n")[0]
    assert "\n    Colchicine shortened gout flares by two days compared with placebo." in short
    assert "\n▌ Colchicine shortened gout flares by two days compared with placebo.\n" in told.stdout
    assert not any(words in told.stdout for words in ("Yes", "right in"))
    assert "[1] Colchicine in gout." in told.stdout
    assert "Searched: trials (2 passages); " in told.stdout
    assert told.stdout.endswith("\nDetails: --receipt\n")
    assert "Not medical advice" in told.stdout
    assert told.stderr == ""


def test_a_receipt_shows_each_search_and_where_the_quotes_stand(run: Run, trials: str) -> None:
    shown = run(*OWN, "--receipt", QUESTION).stdout
    assert "\nWhat was searched, and how\n" in shown
    assert "trials: 2 passages found" in shown
    assert "characters " in shown
    assert "--receipt" not in shown
    assert "characters " not in run(*OWN, "--receipt", "--no-quotes", QUESTION).stdout


def test_with_quotes_the_words_stand_with_their_place(run: Run, trials: str) -> None:
    shown = run(*OWN, "--quotes", QUESTION).stdout
    assert "Colchicine shortened gout flares by two days compared with placebo." in shown
    assert "characters " in shown
    assert "characters " not in run(*OWN, "--no-quotes", QUESTION).stdout


def test_the_json_is_the_whole_answer_and_its_quotes_are_slices_of_the_documents(run: Run, trials: str) -> None:
    told = run(*OWN, "--json", QUESTION)
    answer = Answer.model_validate_json(told.stdout)
    assert json.loads(told.stdout)["tldr"] == answer.tldr != ""
    citation = answer.statements[0].citations[0]
    text = run("open", "--all", "--source", trials, citation.passage_id.partition("#")[0]).stdout
    assert text[citation.start : citation.end] == citation.quote


def test_a_question_that_nothing_answers_ends_with_status_three_and_the_reason(run: Run, trials: str) -> None:
    told = run(*OWN, "Who won the football world cup in 1954?")
    assert told.exit_code == 3
    assert told.stdout.startswith("Nothing in your sources on this.")
    assert "Searched" in told.stdout
    assert json.loads(run(*OWN, "--json", "Who won the football world cup in 1954?").stdout)["abstained"] is True


@pytest.mark.parametrize("words", [("-",), ()])
def test_a_question_may_be_piped_in(run: Run, trials: str, words: tuple[str, ...]) -> None:
    told = run(*OWN, *words, stdin=f"{QUESTION}\n".encode())
    assert told.exit_code == 0
    assert "Colchicine shortened" in told.stdout


def test_bytes_that_are_no_text_are_no_reason_to_break(run: Run, trials: str) -> None:
    told = run(*OWN, "--json", "-", stdin=b"colchicine gout \xff\xfe flares?")
    assert told.exit_code in (0, 3)
    assert "�" in json.loads(told.stdout)["question"]["text"]


def test_words_without_quotation_marks_are_one_question(run: Run, trials: str) -> None:
    told = run(*OWN, "--json", *QUESTION.split())
    assert json.loads(told.stdout)["question"]["text"] == QUESTION


def test_the_regime_is_part_of_the_question(run: Run, trials: str) -> None:
    told = run(*OWN, "--json", "--since", "2015", "--as-of", "2020-02", "--exclude", "a", "--exclude", "b", QUESTION)
    asked = json.loads(told.stdout)["question"]
    assert (asked["since"], asked["as_of"], asked["exclude"]) == ("2015-01-01", "2020-02-29", ["a", "b"])


def test_an_excluded_document_does_not_count(run: Run, trials: str) -> None:
    answer = json.loads(run(*OWN, "--json", QUESTION).stdout)
    reference = answer["evidence"][0]["passage"]["reference"]["id"]
    again = json.loads(run(*OWN, "--json", "--exclude", reference, QUESTION).stdout)
    assert reference not in {item["passage"]["reference"]["id"] for item in again["evidence"]}


def test_only_the_libraries_named_are_searched(run: Run, trials: str, corpus: Path) -> None:
    run("library", "create", "notes", "--add", str(corpus))
    answer = json.loads(run("ask", "--json", "--library", "notes", QUESTION).stdout)
    assert {attempt["search"]["source"] for attempt in answer["attempts"]} == {"notes"}


def test_the_guidelines_answer_on_first_use_and_every_citation_says_digest_and_links_the_doi(run: Run) -> None:
    told = run("ask", "Is CRT recommended in patients with HFrEF and conduction delay?")
    assert told.exit_code == 0, told.output
    assert "CRT is recommended to improve symptoms" in " ".join(told.stdout.split())
    assert "Searched: guidelines (50 passages); " in told.stdout
    references = " ".join(told.stdout.partition("References")[2].partition("Searched")[0].split())
    assert references.startswith(
        "[1] 2022 AHA/ACC/HFSA Guideline for the Management of Heart Failure. https://doi.org/"
    )
    assert references.count("https://doi.org/10.") == references.count("(digest of the guideline)") >= 1


def test_a_library_of_your_own_is_shown_beside_the_guidelines_and_first_where_it_is_as_near(
    run: Run, tmp_path: Path
) -> None:
    """Only the guidelines have expected questions, which say nothing against other libraries."""
    ours = (
        "# Heart failure in our clinic\n\n## CRT\n\nCRT is recommended in patients with HFrEF and conduction delay.\n"
    )
    (tmp_path / "crt.md").write_text(ours, encoding="utf-8")
    assert run("library", "create", "clinic", "--add", str(tmp_path / "crt.md")).exit_code == 0
    asked = "Is CRT recommended in patients with HFrEF and conduction delay?"
    answer = Answer.model_validate_json(run("ask", "--json", asked).stdout)
    first, *others = (one.passage_id.partition("#")[0] for one in answer.sections)
    assert first.startswith("file:crt")
    assert any(one.startswith("doi:") for one in others)
    assert all(
        statement.text.startswith("CRT is recommended in patients with HFrEF") for statement in answer.statements
    )


@each_row(
    ("words", "sentence"),
    [
        (("ask", " "), "The question is empty"),
        (("ask", "--library", "trails", "Gout?"), "No library “trails”; there are none in "),
        (("ask", "--since", "2020", "--as-of", "2019", "Gout?"), "2020-01-01 is later than 2019-12-31"),
        (("ask", "--since", "yesterday", "Gout?"), "“yesterday” is not a date. Write 2019, 2019-05 or 2019-05-31."),
        (
            ("--set", "polcy.passages=3", "ask", "Gout?"),
            "No setting “polcy.passages” (on the command line). Did you mean “policy.passages”?",
        ),
        (("--set", "policy.passages=many", "ask", "Gout?"), "it should be a valid integer"),
        (("--set", "encoder", "ask", "Gout?"), "is not KEY=VALUE"),
        (("ask", "--colour", "Gout?"), "No option --colour."),
        (("answer", "Gout?"), "No command “answer”. `wellsourced --help` lists all."),
    ],
)
def test_bad_use_ends_with_status_two_and_one_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    told = run(*words)
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert "Traceback" not in told.output


def test_a_home_that_cannot_be_is_told_in_one_sentence(run: Run, corpus: Path) -> None:
    told = run("--home", str(corpus), "ask", "Gout?")
    assert told.exit_code == 3
    assert "guidelines (failed):" in told.stdout
    assert "cannot be created (Not a directory)" in " ".join(told.stdout.split())
    made = run("--home", str(corpus), "library", "create", "notes")
    assert made.exit_code == 1
    assert made.stderr.count("\n") == 1


@each_row(
    ("given", "first", "last"),
    [
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019-05-17", date(2019, 5, 17), date(2019, 5, 17)),
    ],
)
def test_a_year_or_a_month_is_taken_from_its_first_day_to_its_last(given: str, first: date, last: date) -> None:
    assert (parse_partial_date(given, last=False), parse_partial_date(given, last=True)) == (first, last)


@each_row("given", ["", "19", "2019-13", "2019-02-30", "2019-1", "2019-", "20190101", "٢٠١٩", "0000"])
def test_what_is_no_date_is_bad_use(given: str) -> None:
    with pytest.raises(
        click.BadParameter, match=re.escape(f"“{given}” is not a date. Write 2019, 2019-05 or 2019-05-31.")
    ):
        parse_partial_date(given, last=False)


def test_a_file_of_references_is_as_open_as_the_user_makes_files_and_what_is_kept_at_home_is_his_alone(
    run: Run, trials: str, home: Path, tmp_path: Path
) -> None:
    before = os.umask(0o022)
    try:
        assert run(*OWN, "--references", f"{tmp_path}/works.bib", QUESTION).exit_code == 0
    finally:
        os.umask(before)
    assert (tmp_path / "works.bib").stat().st_mode & 0o777 == 0o644
    assert [*list_open_to_others(home)] == []
