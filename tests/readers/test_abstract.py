"""Abstracts with marks: the words of every part, and the part that they stand under."""

import random

from tests.tables import each_row
from wellsourced.readers.html_text import parse_abstract
from wellsourced.readers.xml_records import strip_markup

EUROPE_PMC = (
    "<h4>Background</h4>At 10<sup>5</sup> of CO<sub>2</sub>, p&lt;0.05.<h4>Results: </h4>It <b>fell</b>.<br>So it did."
)
CROSSREF = (
    "<jats:title>Abstract</jats:title><jats:sec><jats:title>Methods</jats:title><jats:p>We gave "
    "<jats:italic>colchicine</jats:italic>.</jats:p><jats:p>To adults.</jats:p></jats:sec>"
)


def parts(title: str, marked: str) -> list[tuple[str, str]]:
    text, sections = parse_abstract(title, marked)
    return [(part.title, text[part.start : part.end]) for part in sections]


def test_headings_part_an_abstract_and_are_never_quoted() -> None:
    assert parts("A <i>title</i> &amp; more", EUROPE_PMC) == [
        ("Background", "At 10^5 of CO2, p<0.05."),
        ("Results", "It fell.\n\nSo it did."),
    ]
    assert parse_abstract("A <i>title</i> &amp; more", EUROPE_PMC)[0].startswith("A title & more\n\nBackground\n\nAt")


def test_jats_with_its_prefix_is_read_the_same_way() -> None:
    assert parts("", CROSSREF) == [("Methods", "We gave colchicine.\n\nTo adults.")]


@each_row(
    "plain",
    ["p<0.05 and a<b and c>d", "values <LOD> & more", "x < y", "<script>alert(1)</script>", "3 <i 4", "R&D", "a </ b"],
)
def test_what_is_no_mark_stays_a_word(plain: str) -> None:
    assert parts("T", plain) == [("", plain)]
    assert strip_markup(plain) == plain


def test_without_an_abstract_the_title_can_be_quoted_and_without_both_nothing() -> None:
    assert parts("Gout", "") == [("", "Gout")]
    assert parts("", "") == []


def test_control_characters_are_no_words() -> None:
    assert parts("T", "a\x00b\x0bc\ud800d") == [("", "abcd")]


@each_row("piece", ["<b>", "<p>", "<h4>", "<", "<p>a", "&", "<a x=", "</p>", "&lt;"])
def test_a_hundred_thousand_marks_take_no_time(piece: str) -> None:
    text, sections = parse_abstract("T", piece * 100_000)
    assert all(0 <= part.start < part.end <= len(text) for part in sections)


def test_a_thousand_mutilated_abstracts_can_be_read() -> None:
    chance = random.Random(3)  # noqa: S311 - the same mutilations every time
    for _ in range(1_000):
        whole = chance.choice([EUROPE_PMC, CROSSREF])
        at = chance.randrange(len(whole))
        text, sections = parse_abstract(
            "T", whole[:at] + chance.choice(["<", "&#0;", "\x00", "</h4>", ""]) + whole[at + 5 :]
        )
        assert all(text[part.start : part.end].strip() for part in sections)
