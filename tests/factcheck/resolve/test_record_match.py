"""Whether a record is of the work that is cited: misprints are forgiven, other works are not."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.factcheck.resolve.identifiers import doi_spellings, extract_ids
from wellsourced.factcheck.resolve.record_match import compare_record
from wellsourced.types import CitedSource, Reference

OF_HF = "Patients with Heart Failure and Reduced Ejection Fraction"
REDUCED = Reference(
    id="pubmed:1",
    title=f"Dapagliflozin in {OF_HF}.",
    authors=("McMurray JJV", "Solomon SD"),
    published="2019-11-21",
)


def said(title: str = "", author: str = "", year: str = "", **ids: str) -> CitedSource:
    authors = (author,) if author else ()
    return CitedSource(key="1", written=title, start=0, end=len(title), title=title, authors=authors, year=year, **ids)


@each_row(
    ("title", "author", "year"),
    [
        ("dapagliflozin in patients with heart failure and reduced ejection fraction", "McMurray, J. J. V.", "2019"),
        ("Dapagliflozin in patients with heart failure", "John McMurray", "2020"),
        ("Dapagliflozin in heart failure with reduced ejection fraction", "McMurray et al.", "2019"),
        ("Dapagliflozine in patients with heart failure and reduced ejection fraktion", "", ""),
        ("RETRACTED: Dapagliflozin in Patients with Heart Failure and Reduced Ejection Fraction", "", "2018"),
        (r"{D}apagliflozin in Patients with \textit{Heart Failure} and Reduced Ejection Fraction", "", ""),
        ("The DAPA-HF trial", "McMurray", "2019"),
        ("", "Solomon SD", "2019"),
    ],
)
def test_the_same_work_in_other_words_is_the_same_work(title: str, author: str, year: str) -> None:
    assert compare_record(said(title, author, year), REDUCED).differing == ()


def test_initials_in_a_title_stand_for_the_words_of_the_other() -> None:
    long, short = "2020 American College of Rheumatology Guideline for Management of Gout", "2020 ACR Guideline for the"
    work = Reference(id="own:1", title=long, kind="guideline", published="2020")
    assert compare_record(said(f"{short} Management of Gout", "FitzGerald JD", "2020"), work).differing == ()
    assert compare_record(said(f"{short} Management of Lupus", "FitzGerald JD", "2020"), work).differing == (
        "the title",
    )


def test_two_words_for_a_guideline_say_too_little_to_be_another_title() -> None:
    guideline = Reference(id="a", title="2020 American College of Rheumatology Guideline for Management of Gout")
    assert compare_record(said("ACR guideline"), guideline).differing == ()


@each_row(
    ("title", "author", "year", "differing"),
    [
        (f"Empagliflozin in {OF_HF}", "", "", ("the title",)),
        (f"Dapagliflozin in {OF_HF}".replace("Reduced", "Preserved"), "McMurray", "2019", ("the title",)),
        ("Dapagliflozin in Patients with Chronic Kidney Disease", "Zed Q", "2020", ("the title", "the authors")),
        (f"Correction to: Dapagliflozin in {OF_HF}", "", "", ("the title",)),
        (f"Dapagliflozin in {OF_HF}", "Zed Q", "2019", ("the authors",)),
        (f"Dapagliflozin in {OF_HF}", "McMurray", "2014", ("the year",)),
        ("", "McMurray", "2015", ("the year",)),
    ],
)
def test_another_work_is_another_work(title: str, author: str, year: str, differing: tuple[str, ...]) -> None:
    assert compare_record(said(title, author, year), REDUCED).differing == differing


def test_a_chapter_that_is_edited_every_year_has_no_year_to_get_wrong() -> None:
    chapter = Reference(id="pubmed:2", title="Gout", journal="StatPearls", published="2026")
    assert compare_record(said("Gout", "", "2021"), chapter).differing == ()


def _misprinted(title: str) -> str:
    words = title.split()
    longest = max(range(len(words)), key=lambda at: len(words[at]) if words[at].isalpha() else 0)
    word = words[longest]
    if word.isalpha() and len(word) > 7:
        words[longest] = f"{word[:3]}{word[4]}{word[3]}{word[5:]}"
    return " ".join(words)


WAYS: dict[str, Callable[[str], str]] = {
    "in capitals": str.upper,
    "without punctuation": lambda title: "".join(one if one.isalnum() or one == "." else " " for one in title),
    "cut off": lambda title: title[: max(50, len(title) * 6 // 10)],
    "without its subtitle": lambda title: title.partition(": ")[0],
    "with a misprint": _misprinted,
}


@pytest.fixture(scope="module")
def records(shared_data: Path) -> list[Reference]:
    """Real works, a thousand of them."""
    with gzip.open(shared_data / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    known = [row for row in rows if row["title"] and row["metadata"].get("pmid")]
    return [
        Reference(
            id=f"pubmed:{row['metadata']['pmid']}", title=row["title"], published=str(row["metadata"].get("year") or "")
        )
        for row in random.Random(7).sample(known, 600)  # noqa: S311 (a sample, no secret)
    ]


@each_row("way", WAYS)
def test_real_titles_are_known_however_they_are_misprinted(records: list[Reference], way: str) -> None:
    accused = [one.title for one in records if compare_record(said(WAYS[way](one.title)), one).differing]
    assert len(accused) <= len(records) // 50, accused


def test_real_titles_that_are_swapped_are_told_apart_even_with_author_and_year(records: list[Reference]) -> None:
    others = [*records[1:], records[0]]
    taken = [
        (one.title, other.title)
        for one, other in zip(records, others, strict=True)
        if not compare_record(
            said(one.title, "Doe J", other.published[:4]), other.model_copy(update={"authors": ("Doe J",)})
        ).differing
    ]
    assert len(taken) <= 2, taken


@each_row(
    ("url", "doi"),
    [
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa1911303", "10.1056/nejmoa1911303"),
        ("https://www.medrxiv.org/content/10.1101/2020.03.01.20029876v2.full.pdf", "10.1101/2020.03.01.20029876v2"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0123456", "10.1371/journal.pone.0123456"),
        ("https://link.springer.com/article/10.1007/s00125-022-05787-2#Sec3", "10.1007/s00125-022-05787-2"),
        ("https://www.uptodate.com/contents/gout", ""),
    ],
)
def test_a_publishers_address_hints_at_a_doi(url: str, doi: str) -> None:
    assert extract_ids(said(url=url)) == ({}, doi)


@each_row(
    ("given", "also"),
    [
        ("10.1016/s0140-6736(20)31484-7", []),
        ("10.1000/a)", ["10.1000/a"]),
        ("10.1000/a,b", ["10.1000/a"]),
        ("10.1101/2020.03.01.20029876v2", ["10.1101/2020.03.01.20029876"]),
        ("10.1056/nejmoa1/full", ["10.1056/nejmoa1"]),
    ],
)
def test_a_doi_is_tried_as_it_is_written_before_anything_is_taken_off(given: str, also: list[str]) -> None:
    assert doi_spellings(given) == [given, *also]
