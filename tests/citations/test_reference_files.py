"""Files for reference managers: whatever a record says of itself, its file holds one record that says just that."""

import csv
import io
import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wellsourced.citations.reference_styles import ReferenceFormat, render_reference_file
from wellsourced.text.sanitization import one_line
from wellsourced.types import Notice, Reference, Retraction

HOSTILE = (
    "}, title={B}}\n@article{forged, author={E}",
    "\\input{/etc/passwd} \\write18{id} \\catcode`\\@=0",
    "100% of $5 #1 a_b & c ~ d ^ e",
    "Salt\r\nER  - \r\nTY  - JOUR\r\nTI  - Forged",
    "Salt\x0bER  - \u2028TY  - JOUR\x85TI  - Forged",
    "{{{ unbalanced",
    "}}} unbalanced",
    "a\x1b]0;title\x07b\u202ec\u200bd\u200fe\x9bf",
    '" # "quoted" # "',
    "@comment{ @string{ x = 1 }",
    "Smith and Jones, A and others",
    "\\",
    ",",
)

WORDS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.sampled_from('ab1 {}\\"@,=#%$&_~^\n\r-\x1b\u202e\u200bE'), max_size=20),
    st.text(max_size=20),
)
RECORDS = st.builds(
    Reference,
    id=WORDS.filter(bool),
    title=WORDS,
    journal=WORDS,
    organisation=WORDS,
    authors=st.lists(WORDS, max_size=3).map(tuple),
    published=st.one_of(st.just("2020-05"), WORDS),
    volume=WORDS,
    issue=WORDS,
    pages=WORDS,
    doi=WORDS,
    pmid=WORDS,
    url=WORDS,
    retraction=WORDS.map(lambda said: Retraction(notices=(Notice(kind="concern", source=said),))),
)


def read_bibtex(text: str) -> list[tuple[str, dict[str, str]]]:
    """(key, fields) of each entry, as BibTeX reads it: a value ends where its braces are even, escaped or not."""
    entries = []
    at = 0
    while opened := re.compile(r"[^@]*@[a-z]+\{([\w:.-]+),\s*", re.ASCII).match(text, at):
        at, fields = opened.end(), {}
        while field := re.compile(r"([a-z]+) = \{").match(text, at):
            start = at = field.end()
            depth = 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
            fields[field[1]] = text[start : at - 1]
            comma = re.compile(r",?\s*").match(text, at)
            at = comma.end() if comma else at
        assert text[at] == "}"
        entries.append((opened[1], fields))
        at += 1
    assert not text[at:].strip()
    return entries


def plain(text: str) -> str:
    """What TeX would print for a value of ours. Fails where it has a command that we do not write."""
    named = {
        r"\textbackslash{}": "\\", r"\ensuremath{\lbrace}": "{", r"\ensuremath{\rbrace}": "}",
        r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", **{f"\\{mark}": mark for mark in "&%$#_{}"},
    }  # fmt: skip
    ours = "|".join(map(re.escape, named))
    assert not re.search(r"[\\&%$#_~^]", re.sub(ours, "", text))
    return re.sub(ours, lambda found: named[found[0]], text)


@given(st.lists(RECORDS, min_size=1, max_size=3))
@example([Reference(id="x", title=title, authors=(title,), journal=title) for title in HOSTILE])
@settings(max_examples=150, deadline=None)
def test_bibtex_has_an_entry_for_each_work_with_its_title_and_nothing_that_runs(records: list[Reference]) -> None:
    entries = read_bibtex(render_reference_file(records, "bibtex"))
    assert len({key.lower() for key, _ in entries}) == len(records)
    for record, (_, fields) in zip(records, entries, strict=True):
        title = one_line(record.title) or one_line(record.id)
        assert plain(fields.get("title", "{}")[1:-1]) == title
        for name in set(fields) - {"doi", "url", "pmid"}:
            plain(fields[name])
        assert not re.search(r"[{}\\]", "".join(fields.get(name, "") for name in ("doi", "url", "pmid")))


@given(st.lists(RECORDS, min_size=1, max_size=3))
@example([Reference(id="x", title=title, authors=(title,), journal=title) for title in HOSTILE])
@settings(max_examples=150, deadline=None)
def test_ris_has_a_record_for_each_work_and_a_tag_for_each_line(records: list[Reference]) -> None:
    lines = render_reference_file(records, "ris").splitlines()
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines)
    tags = [line[:2] for line in lines]
    assert tags.count("TY") == tags.count("ER") == len(records)
    titles = [line[6:] for line in lines if line.startswith("TI")]
    said = [one_line(record.title) or one_line(record.id) for record in records]
    assert titles == [title for title in said if title]


@given(st.lists(RECORDS, min_size=1, max_size=3))
@example([Reference(id="=1+1", title=f"={title}", authors=(title,), journal=title) for title in HOSTILE])
@settings(max_examples=80, deadline=None)
def test_a_table_has_a_row_for_each_work_and_no_formula(records: list[Reference]) -> None:
    rows = list(csv.DictReader(io.StringIO(render_reference_file(records, "csv"), newline="")))
    assert [row["title"].removeprefix("'") for row in rows] == [
        one_line(record.title).removeprefix("'") for record in records
    ]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("form", ["bibtex", "ris", "csl", "csv"])
@given(record=RECORDS)
@settings(max_examples=80, deadline=None)
def test_no_file_of_references_hides_anything_or_commands_a_terminal(form: ReferenceFormat, record: Reference) -> None:
    text = render_reference_file([record], form)
    if form == "csl":
        (item,) = json.loads(text)
        text = " ".join(str(value) for value in item.values())
    lines = "".join(re.split(r"\r\n|\n", text))
    assert not re.search(
        "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]", lines
    )


@pytest.mark.parametrize("title", HOSTILE)
def test_real_parsers_read_one_record_with_the_title_that_was_given(title: str) -> None:
    bibtexparser = pytest.importorskip("bibtexparser", reason="an extra for development")
    rispy = pytest.importorskip("rispy", reason="an extra for development")
    record = Reference(id="x", title=title, authors=(title, "Able A"), journal=title, pages=title, volume=title)
    library = bibtexparser.parse_string(
        render_reference_file([record], "bibtex"),
        append_middleware=[bibtexparser.middlewares.LatexDecodingMiddleware()],
    )
    assert not library.failed_blocks
    (entry,) = library.blocks
    # It reads TeX's circumflex as the accent without a letter.
    assert entry["title"].replace("ˆ", "^") == one_line(title)
    (read,) = rispy.loads(render_reference_file([record], "ris"))
    assert read["title"] == one_line(title)


def test_works_whose_ids_make_one_key_have_a_key_each() -> None:
    works = [Reference(id=id, title="Gout") for id in ("doi:10.1/A b", "doi:10.1/a_B", "doi:10.1/a_b")]
    keys = re.findall(r"@misc\{(.*),", render_reference_file(works, "bibtex"))
    assert keys == ["doi:10.1_A_b", "doi:10.1_a_B_2", "doi:10.1_a_b_3"]


def test_addresses_stay_as_they_are() -> None:
    url = "https://example.org/a_b?c=%20d&e=~f#g"
    (entry,) = read_bibtex(
        render_reference_file([Reference(id="x", url=url, doi="10.1002/(SICI)1:2<3::AID-4_5>3.0.CO;2-2")], "bibtex")
    )
    assert entry[1]["url"] == url
    assert entry[1]["doi"] == "10.1002/(SICI)1:2<3::AID-4_5>3.0.CO;2-2"
