"""PubMed's language: what a query asks for, what is repaired, and what is refused with its place."""

import pytest

from tests.tables import each_row
from wellsourced.errors import BadQuery
from wellsourced.query_language import canonical_form, parse_pubmed, render_outline
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
    SearchField,
)


def understood(query: str) -> Node:
    """The tree without positions, of a query that needs no repair."""
    parsed = parse_pubmed(query)
    assert parsed.notes == ()
    return canonical_form(parsed.node)


def everywhere(*words: str) -> tuple[QueryTerm, ...]:
    return tuple(QueryTerm(word) for word in words)


def test_operators_are_read_from_left_to_right_without_precedence() -> None:
    a, b, c, d = everywhere("aspirin", "stroke", "gout", "asthma")
    assert understood("aspirin OR stroke AND gout NOT asthma") == Not(And((Or((a, b)), c)), d)
    assert understood("aspirin OR (stroke AND gout)") == Or((a, And((b, c))))


def test_words_without_an_operator_are_all_asked_for_as_one_unit() -> None:
    heart, failure, gout = everywhere("heart", "failure", "gout")
    assert understood("heart failure") == And((heart, failure))
    assert understood("gout OR heart failure") == Or((gout, And((heart, failure))))
    assert understood('"heart failure" gout') == And((QueryTerm("heart failure"), gout))


def test_stop_words_are_ignored_unless_nothing_else_is_there() -> None:
    assert understood("what is the use of aspirin in stroke?") == And(everywhere("aspirin", "stroke"))
    assert understood("over") == QueryTerm("over")
    assert understood('"of"[ti]') == QueryTerm("of", "title")


def test_a_tag_takes_in_all_words_before_it_as_a_phrase() -> None:
    assert understood("gout AND small bowel[tiab]") == And(
        (QueryTerm("gout"), QueryTerm("small bowel", "title_abstract"))
    )
    assert understood("covid-19[ti] vaccine[ti]") == And(
        (QueryTerm("covid-19", "title"), QueryTerm("vaccine", "title"))
    )


@each_row(
    ("tag", "field"),
    [
        ("tiab", "title_abstract"), ("Title/Abstract", "title_abstract"), ("ti", "title"), ("TITLE", "title"),
        ("ab", "abstract"), ("tw", "all"), ("Text Word", "all"), ("All Fields", "all"), ("all", "all"),
        ("pt", "type"), ("Publication Type", "type"), ("ptyp", "type"), ("la", "language"), ("lang", "language"),
        ("au", "author"), ("1au", "author"), ("ta", "journal"), ("journal", "journal"), ("pmid", "id"), ("uid", "id"),
    ],
)  # fmt: skip
def test_every_spelling_of_a_tag_means_its_field(tag: str, field: SearchField) -> None:
    assert understood(f"gout [{tag}]") == QueryTerm("gout", field)


def test_headings_carry_what_their_tag_and_their_slash_say() -> None:
    assert understood('"Heart Failure"[MeSH Terms]') == MeshHeading("heart failure")
    assert understood("heart failure[mh:noexp]") == MeshHeading("heart failure", explode=False)
    assert understood("Gout[MeSH Major Topic]") == MeshHeading("gout", major=True)
    assert understood("gout[majr:noexp]") == MeshHeading("gout", explode=False, major=True)
    assert understood('"Sepsis/blood"[Mesh]') == MeshHeading("sepsis", qualifiers=("blood",))
    assert understood('"Gout/dt"[mh]') == MeshHeading("gout", qualifiers=("drug therapy",))
    assert understood('"AIDS/HIV"[mh]') == MeshHeading("aids/hiv")
    assert understood("drug therapy[sh]") == Qualifier("drug therapy")


@each_row(
    ("query", "dates"),
    [
        ("2010:2020[dp]", DateRange("2010", "2020")),
        ("2015[pdat]", DateRange("2015", "2015")),
        ('"2010/05/01"[dp] : "2012"[dp]', DateRange("2010/05/01", "2012")),
        ('("2010/5"[Date - Publication] : "3000"[Date - Publication])', DateRange("2010/05", "")),
        ("1940/01/01:2012/09/21[crdt]", DateRange("1940/01/01", "2012/09/21", "entered")),
        ("1000:2012[edat]", DateRange("", "2012", "entered")),
        ("2010 May[dp]", DateRange("2010/05", "2010/05")),
    ],
)
def test_dates_are_as_precise_as_they_were_written(query: str, dates: DateRange) -> None:
    assert understood(query) == dates


def test_words_may_be_cut_short_after_four_letters() -> None:
    assert understood("colchic*[tiab]") == QueryTerm("colchic", "title_abstract", truncated=True)
    assert understood('"vaccin* schedul*"') == QueryTerm("vaccin* schedul", truncated=True)
    parsed = parse_pubmed("fdg*[ti]")
    assert canonical_form(parsed.node) == QueryTerm("fdg", "title")
    assert "fewer than 4 letters" in parsed.notes[0]


def test_a_distance_counts_the_words_between() -> None:
    hip, pain = QueryTerm("hip", "title_abstract"), QueryTerm("pain", "title_abstract")
    assert understood('"hip pain"[tiab:~3]') == Near((hip, pain), 3)
    assert understood('"hip pain"[Title/Abstract:~0]') == Near((hip, pain), 0)


def test_a_filter_that_no_record_can_be_held_against_is_told_and_asks_for_nothing() -> None:
    parsed = parse_pubmed("gout AND humans[Filter] AND systematic[sb]")
    assert canonical_form(parsed.node) == And(
        (QueryTerm("gout"), Everything("humans[Filter]"), Everything("systematic[sb]"))
    )
    assert [note.partition(" is a filter")[0] for note in parsed.notes] == ["humans[Filter]", "systematic[sb]"]
    assert understood("all[sb]") == Everything("")


REPAIRED = [
    ("(gout OR asthma", "gout OR asthma", "A parenthesis is not closed", 1),
    ("gout) OR asthma", "gout OR asthma", "A closing parenthesis is unmatched", 5),
    ('gout AND "heart failure[ti]', 'gout AND "heart failure"[ti]', "A quotation mark is not closed", 10),
    ('"gout AND asthma OR "sinusitis"', 'gout AND asthma OR "sinusitis"', "A quotation mark is not closed", 1),
    ("gout[tiab", "gout[tiab]", "The bracket of [tiab] is not closed", 5),
    ("gout AND", "gout", "AND has nothing after it", 6),
    ("OR gout", "gout", "OR has nothing before it", 1),
    ("gout AND OR asthma", "gout AND asthma", "Repeated operators (AND OR) were read as AND", 6),
    ("gout AND () AND asthma", "gout AND asthma", "Empty parentheses", 10),
    ("gout[ti] or asthma[ti]", "gout[ti] OR asthma[ti]", "“or” was read as OR", 10),
    ("gout or asthma", "gout AND asthma", "“or” is an operator only in capitals", 6),
    ("gout and asthma", "gout AND asthma", "“and” is an operator only in capitals", 6),
    ("(gout OR asthma)[ti]", "gout[ti] OR asthma[ti]", "[ti] after a parenthesis", 17),
    ('"gout AND asthma"', "gout AND asthma", "Quotation marks around operators", 1),
    ("cancer$", "cancer*", "“$” in “cancer$” was read as “*”", 1),
    ("gout AND HasAbstract", "gout AND HasAbstract[text]", "HasAbstract[text] is a filter", 10),
    ("exp Gout[mh]", "gout[mh]", "“exp” is Ovid syntax", 1),
    ("2020:2010[dp]", "2010:2020[dp]", "The dates “2020:2010” were swapped", 1),
]


@each_row(("query", "meant", "note", "place"), REPAIRED)
def test_what_can_be_meant_in_one_way_only_is_repaired_and_told(query: str, meant: str, note: str, place: int) -> None:
    parsed = parse_pubmed(query)
    assert canonical_form(parsed.node) == canonical_form(parse_pubmed(meant).node)
    assert len(parsed.notes) == 1
    assert parsed.notes[0].startswith(note)
    assert parsed.notes[0].endswith(f"at character {place}")


def test_typographic_marks_mean_the_plain_ones_and_move_nothing() -> None:
    parsed = parse_pubmed("“heart failure”[ti] AND gout[mh]")
    assert canonical_form(parsed.node) == And((QueryTerm("heart failure", "title"), MeshHeading("gout")))
    assert isinstance(parsed.node, And)
    assert [part.at for part in parsed.node.parts] == [0, 24]


REFUSED = [
    ("", 0, "The query is empty"),
    ("AND OR ()", 0, "The query is empty"),
    ("gout AND #3", 9, "the number of an earlier search"),
    ("gout[titel]", 4, r"\[titel\] is not a PubMed field"),
    ("(" * 200 + "gout" + ")" * 200, 100, "More than 100 parentheses"),
    ("(" * 100_000, 50_000, "more than 50,000"),
    (" OR ".join(["a AND b"] * 400), 0, "alternate too often"),
]


@each_row(("query", "at", "reason"), REFUSED)
def test_what_cannot_be_read_is_refused_with_its_place_and_a_remedy(query: str, at: int, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason) as refused:
        parse_pubmed(query)
    assert refused.value.at == at
    assert refused.value.remedy


def test_the_outline_says_each_node_in_words() -> None:
    node = parse_pubmed('(gout[majr] OR "hip pain"[ti:~1]) AND 2010:3000[dp] NOT review[pt]').node
    assert list(render_outline(node)) == [
        "this",
        "  all of",
        "    any of",
        "      MeSH heading gout and all below it, as a main subject",
        "      these in any order, at most one word between them",
        "        “hip” in the title",
        "        “pain” in the title",
        "    published from 2010",
        "  without: “review” as publication type",
    ]


@each_row("operators", ["NOT AND", "AND NOT", "OR NOT", "NOT OR"])
def test_of_several_operators_in_a_row_the_one_that_leaves_out_counts(operators: str) -> None:
    assert canonical_form(parse_pubmed(f"gout {operators} flare").node) == canonical_form(
        parse_pubmed("gout NOT flare").node
    )
