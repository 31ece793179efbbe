"""Lists of references: found by heading or shape, read in the styles that journals print."""

import gzip
import json
import re
import tarfile
import time
from itertools import islice
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.citations.links import find_links
from wellsourced.citations.reference_lists import extract_reference_list
from wellsourced.citations.reference_parser import parse_reference
from wellsourced.citations.reference_styles import CitationStyle, render_reference
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats import read_jats
from wellsourced.types import Document, Reference

DATA = Path(__file__).parents[3] / "shared/data"
KQA = DATA / "qa/kqa.jsonl.gz"
ARTICLES = DATA / "fixtures/jats_sample.tar.gz"


def entries(text: str) -> list[tuple[str, str]]:
    return [(one.label, text[one.start : one.end]) for one in extract_reference_list(text).entries]


@each_row(
    ("text", "expected"),
    [
        (
            "It fell [1].\n\nReferences\n\n1. Smith J. A. JAMA. 2020;3:4.\n2. Doe K. B. BMJ. 2021;5:6.",
            [("1", "1. Smith J. A. JAMA. 2020;3:4."), ("2", "2. Doe K. B. BMJ. 2021;5:6.")],
        ),
        (
            "It fell.\n\n## Sources\n- [A](https://a.org/x)\n- [B](https://b.org/y)\n\n## Note\nThe end.",
            [("1", "- [A](https://a.org/x)"), ("2", "- [B](https://b.org/y)")],
        ),
        ("It fell [1].\n\n[1] https://a.org/1\n[2] https://a.org/2", [("1", "[1] https://a.org/1"), ("2", "[2] https://a.org/2")]),
        ("It fell [^1].\n\n[^1]: Smith J. A. JAMA 2020.", [("1", "[^1]: Smith J. A. JAMA 2020.")]),
        (
            "It fell.\n\nReferences: 1. Smith J. A. JAMA. 2020. 2. Doe K. B. BMJ. 2021.",
            [("1", "1. Smith J. A. JAMA. 2020."), ("2", "2. Doe K. B. BMJ. 2021.")],
        ),
        ("Er sank.\n\nLiteraturverzeichnis\n[1] Müller A. T. Dtsch Arztebl. 2020.", [("1", "[1] Müller A. T. Dtsch Arztebl. 2020.")]),  # noqa: E501
    ],
)  # fmt: skip
def test_a_list_is_found_under_its_heading_or_by_its_shape(text: str, expected: list[tuple[str, str]]) -> None:
    assert entries(text) == expected


def test_a_chapter_on_sources_of_error_is_no_list_of_references() -> None:
    assert entries("Sources of error\n\nSources\n\n1. First rest a while\n2. Then take the dose") == []


@each_row(
    ("entry", "title", "first", "journal", "year"),
    [
        ("McMurray JJV, Solomon SD, et al. Dapagliflozin in HF. N Engl J Med. 2019;381(21):1995-2008.", "Dapagliflozin in HF", "McMurray JJV", "N Engl J Med", "2019"),  # noqa: E501
        ("McMurray, J. J. V., & Inzucchi, S. E. (2019). Dapagliflozin in HF. New England Journal of Medicine, 381(21), 19–28.", "Dapagliflozin in HF", "McMurray, J. J. V.", "New England Journal of Medicine", "2019"),  # noqa: E501
        ("J. Smith and K. Doe, “A title,” BMJ, vol. 3, no. 1, pp. 5–9, Mar. 2020.", "A title", "J. Smith", "BMJ", "2020"),  # noqa: E501
        ("J. Smith and K. Doe, “A title,” vol. 3, no. 1, pp. 5–9, Mar. 2020.", "A title", "J. Smith", "", "2020"),
        ("Smith J.A., Doe K.B. A trial of rest. BMJ. 2019;3:4.", "A trial of rest", "Smith J.A.", "BMJ", "2019"),
        ("American Diabetes Association. Standards of Care. Diabetes Care. 2024;47:S1.", "Standards of Care", "American Diabetes Association", "Diabetes Care", "2024"),  # noqa: E501
        ("Source: Metformin - NHS – https://www.nhs.uk/medicines/metformin/", "Metformin", "", "NHS", ""),
        ("Vitamin D, calcium and fractures. JAMA. 2017;318:2466.", "Vitamin D, calcium and fractures", "", "JAMA", "2017"),  # noqa: E501
    ],
)  # fmt: skip
def test_an_entry_is_read_in_the_style_it_is_printed_in(
    entry: str, title: str, first: str, journal: str, year: str
) -> None:
    work = parse_reference(entry)
    assert (work.title, next(iter(work.authors), ""), work.journal, work.year) == (title, first, journal, year)


def _same(one: str, other: str) -> bool:
    return re.findall(r"\w+", re.sub("<[^>]+>", " ", one.lower())) == re.findall(r"\w+", other.lower())


@pytest.mark.skipif(not ARTICLES.exists(), reason="the development data (../shared/data) are not on this machine")
@each_row("style", ["ama", "vancouver", "ieee"])
def test_what_we_print_of_real_records_we_can_read(style: CitationStyle) -> None:
    records: list[Reference] = []
    with tarfile.open(ARTICLES) as archive:
        for member in islice((one for one in archive if one.isfile()), 20):
            file = archive.extractfile(member)
            read = read_jats(InMemoryFile(member.name, file.read() if file else b""), "research")
            records += [one.reference for one in read if isinstance(one, Document) and one.reference.authors]
    works = [(record, parse_reference(render_reference(record, style))) for record in records]
    assert works
    assert all(work.doi == record.doi.lower() for record, work in works)
    assert sum(_same(record.title, work.title) for record, work in works) >= 0.85 * len(works)
    assert sum(work.year == str(record.year or "") for record, work in works) >= 0.95 * len(works)


@pytest.mark.skipif(not KQA.exists(), reason="the development data (../shared/data) are not on this machine")
def test_the_sources_of_kqa_are_326_addresses_323_of_them_different() -> None:
    with gzip.open(KQA, "rt", encoding="utf-8") as lines:
        told = [json.loads(line)["sources"] for line in lines]
    found = [one.url for sources in told for one in find_links(sources)]
    assert (len(found), len(set(found))) == (326, 323)


@each_row("part", ["[[[[((((", "1", "References\n", "1. a 2020\n", "[1]: a\n", "- https://a.org/x\n", "\n", "Aa-"])
def test_hostile_lists_take_time_in_proportion_to_their_length(part: str) -> None:
    text = part * (60_000 // len(part))
    began = time.process_time()
    extract_reference_list(text)
    parse_reference(text)
    assert time.process_time() - began < 2
