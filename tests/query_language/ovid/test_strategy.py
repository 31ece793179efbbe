"""Ovid's language: lines that refer to lines, fields behind dots, headings before slashes."""

import pytest

from tests.tables import each_row
from wellsourced.errors import BadQuery
from wellsourced.query_language import canonical_form, parse_ovid
from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    QueryTerm,
)


def understood(query: str) -> Node:
    """The tree without positions, of a strategy that needs no repair."""
    parsed = parse_ovid(query)
    assert parsed.notes == ()
    return canonical_form(parsed.node)


def text(words: str, *, cut: bool = False) -> QueryTerm:
    return QueryTerm(words, "title_abstract", cut)


def test_the_last_line_is_the_result_and_takes_in_the_lines_it_refers_to() -> None:
    strategy = "exp Gout/\ngout$.tw.\n1 or 2\ncolchicine.ti,ab.\n3 and 4\nlimit 5 to ed=20100101-20181231"
    gout = Or((MeshHeading("gout"), text("gout", cut=True)))
    dates = DateRange("2010/01/01", "2018/12/31", "entered")
    assert understood(strategy) == And((gout, text("colchicine"), dates))


@each_row("print_as", ["{} {}", "{}. {}", "  {}   {}", "#{} {}"])
def test_lines_may_carry_their_numbers(print_as: str) -> None:
    lines = ["gout.tw.", "asthma.tw.", "1 not 2"]
    printed = "\n".join(print_as.format(place, line) for place, line in enumerate(lines, 1))
    assert understood(printed) == understood("\n".join(lines)) == Not(text("gout"), text("asthma"))


@each_row(
    ("line", "node"),
    [
        ("Gout/", MeshHeading("gout", explode=False)),
        ("exp *Gout/", MeshHeading("gout", major=True)),
        ("Gout/dt, pc [Drug Therapy]", Or((
            MeshHeading("gout", explode=False, qualifiers=("drug therapy",)),
            MeshHeading("gout", explode=False, qualifiers=("prevention & control",)),
        ))),
        ('exp "Sensitivity and Specificity"/', MeshHeading("sensitivity and specificity")),
        ('"clinical trial [publication type]"/', QueryTerm("clinical trial", "type")),
        ("humans.sh.", MeshHeading("humans", explode=False)),
        ("dt.fs.", Qualifier("drug therapy")),
        ("randomized controlled trial.pt.", QueryTerm("randomized controlled trial", "type")),
        ("gout.mp.", QueryTerm("gout")),
        ("gout.ti,kf.", text("gout")),
        ("gout.ti,ab,hw.", Or((text("gout"), QueryTerm("gout", "heading")))),
        ("lancet.jn.", QueryTerm("lancet", "journal")),
        ("gout.tw", text("gout")),
        ("(gout or asthma). tw.", Or((text("gout"), text("asthma")))),
        ("random:.tw.", text("random", cut=True)),
        ("exercise*1.tw.", QueryTerm("exercise", "title_abstract", True, 1)),
        ("wom#n.tw.", text("wom#n")),
        ("h?emorrhage$.tw.", text("h?emorrhage", cut=True)),
        ('"brain stem dea*".tw.', text("brain stem dea", cut=True)),
        ("chorion$ vill$ sampling.tw.", text("chorion* vill* sampling")),
        ("(hip adj3 pain).tw.", Near((text("hip"), text("pain")), 2)),
        ("(a1 adj2 b1 adj2 c1).tw.", Near((text("a1"), text("b1"), text("c1")), 1)),
        ("(lung adj embol$).tw.", text("lung embol", cut=True)),
        ("((platelet* or PLT) adj count).tw.", Or((text("platelet* count"), text("plt count")))),
        ("(2017* or 2018*).ed.", Or((DateRange("2017", "2017", "entered"), DateRange("2018", "2018", "entered")))),
        ("(gout not (gout and asthma)).sh.", Not(
            MeshHeading("gout", explode=False),
            And((MeshHeading("gout", explode=False), MeshHeading("asthma", explode=False))),
        )),
    ],
)  # fmt: skip
def test_a_line_means_what_ovid_means_by_it(line: str, node: Node) -> None:
    assert understood(line) == node


@each_row(
    ("limit", "node"),
    [
        ("humans", MeshHeading("humans", explode=False)),
        ("english language", QueryTerm("english", "language")),
        ("(danish or english)", Or((QueryTerm("danish", "language"), QueryTerm("english", "language")))),
        ('yr="2007 -Current"', DateRange("2007", "")),
        ('ed ="19480101-20170630"', DateRange("1948/01/01", "2017/06/30", "entered")),
        ("review", QueryTerm("review", "type")),
        ("(humans and yr=2013)", And((MeshHeading("humans", explode=False), DateRange("2013", "2013")))),
    ],
)
def test_limits_narrow_the_line_they_name(limit: str, node: Node) -> None:
    parsed = parse_ovid(f"gout.tw.\nlimit 1 to {limit}")
    assert parsed.notes == ()
    assert canonical_form(parsed.node) == canonical_form(And((text("gout"), node)))


def test_a_limit_that_no_record_can_be_held_against_narrows_nothing_and_is_told() -> None:
    parsed = parse_ovid('gout.tw.\nlimit 1 to "qualitative (maximizes sensitivity)"')
    assert isinstance(parsed.node, And)
    assert isinstance(parsed.node.parts[1], Everything)
    assert "is not supported here" in parsed.notes[0]


def test_ranges_of_lines_are_joined() -> None:
    lines = "a1.tw.\nb1.tw.\nc1.tw.\nd1.tw."
    assert understood(f"{lines}\nor/1-4") == Or(tuple(map(text, ("a1", "b1", "c1", "d1"))))
    assert understood(f"{lines}\nand/1-2,4\n3 not 5") == Not(text("c1"), And(tuple(map(text, ("a1", "b1", "d1")))))


def test_and_is_read_before_or_and_told_where_no_parentheses_say_it() -> None:
    parsed = parse_ovid("a1.tw. or b1.tw. and c1.tw.")
    assert canonical_form(parsed.node) == Or((text("a1"), And((text("b1"), text("c1")))))
    assert parsed.notes == ("AND and NOT were read before OR; use parentheses to make this clear, at character 1",)


def test_what_stands_before_not_may_be_everything_and_that_is_told() -> None:
    parsed = parse_ovid("not gout.tw.")
    assert canonical_form(parsed.node) == Not(Everything(), text("gout"))
    assert parsed.notes == ("An operator lacks one of its sides here, at character 1",)


REPAIRED = [
    ("a1.tw.\nb1.tw.\nor/1-77", "a1.tw.\nb1.tw.\nor/1-2", "No line 77 precedes"),
    ("a1.tw.\nb1.tw.\n3 and 2", "a1.tw.\nb1.tw.\n2 and 1", "Line 3 refers to itself"),
    ("(techniq*or block*).tw.", "(techniq* or block*).tw.", "A space is missing"),
    ("a1.ab,.", "a1.ab.", None),
    ("human/s", "human/", "“s” is not a MeSH subheading"),
    ("a1.tw.\nb1.tw.\nc1.tw.\n1 or 2 3", "a1.tw.\nb1.tw.\nc1.tw.\n1 or 2 or 3", "An operator is missing before 3"),
    ("(a1 or b1.tw.", "(a1 or b1.tw.)", "A parenthesis is not closed"),
    ("a1.tw.\nb1.tw.\n1 and 2\nremove duplicates from 3", "a1.tw. and b1.tw.", None),
    ("a1.tw.\nb1.tw.\nc1.tw.\n1 and 2", "a1.tw.\nb1.tw.\n1 and 2", "Line 3 is not used"),
]


@each_row(("strategy", "meant", "note"), REPAIRED)
def test_typing_errors_that_can_be_meant_in_one_way_are_repaired_and_told(
    strategy: str, meant: str, note: str | None
) -> None:
    parsed = parse_ovid(strategy)
    assert canonical_form(parsed.node) == canonical_form(parse_ovid(meant).node)
    assert note is None or parsed.notes[0].startswith(note)


@each_row(
    ("strategy", "at", "reason"),
    [
        ("gout.tw.\n1 or 7", 14, "No line 7 precedes"),
        ("gout.tw.\nremove duplicates from 7", 32, "No line 7 precedes"),
        ("gout.zz.", 4, ".zz. is not an Ovid MEDLINE field"),
        ("\n\n", 0, "The strategy is empty"),
        ("(" * 150 + "gout" + ")" * 150, 100, "More than 100 parentheses"),
        ("a\n" + "\n".join(f"{line} or {line}" for line in range(1, 60)), None, "expand to more than 50,000 terms"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(strategy: str, at: int | None, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason) as refused:
        parse_ovid(strategy)
    assert at is None or refused.value.at == at
