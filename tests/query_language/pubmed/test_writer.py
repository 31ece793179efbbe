"""Queries written for PubMed and Europe PMC, and read back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.query_language import (
    canonical_form,
    collect_headings,
    leaves,
    parse_ovid,
    parse_pubmed,
    write_europe_pmc_query,
    write_pubmed_query,
)
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

WORDS = st.lists(
    st.sampled_from(
        ["gout", "heart", "h. pylori", "over", "COVID-19", "beta(2)", "OR", "d'Ivoire", "homosexuality, male"]
    ),
    min_size=1,
    max_size=3,
).map(" ".join)
FIELDS: st.SearchStrategy[SearchField] = st.sampled_from(
    ["all", "title", "abstract", "title_abstract", "type", "language", "author", "journal"]
)
YEARS = st.sampled_from(["", "1999", "2010/05", "2012/05/31"])
TERMS = st.builds(lambda words, field: QueryTerm(words, field), WORDS, FIELDS)
CUT = st.builds(
    lambda words, field: QueryTerm(words, field, truncated=True),
    st.sampled_from(["colchic", "vaccin* schedul", "small bowel"]),
    FIELDS,
)
PLAIN = st.sampled_from(["hip", "pain", "renal"])


@st.composite
def near(draw: st.DrawFn) -> Near:
    field: SearchField = draw(st.sampled_from(["title", "title_abstract"]))
    words = draw(st.lists(PLAIN, min_size=2, max_size=3))
    return Near(tuple(QueryTerm(word, field) for word in words), draw(st.integers(0, 9)))


LEAVES = st.one_of(
    TERMS,
    CUT,
    near(),
    st.builds(
        lambda name, explode, major, qualifiers: MeshHeading(name, explode, major, qualifiers),
        st.sampled_from(["Gout", "Heart Failure", "Homosexuality, Male"]),
        st.booleans(),
        st.booleans(),
        st.sampled_from([(), ("blood",), ("drug therapy", "diagnosis")]),
    ),
    st.just(Qualifier("drug therapy")),
    st.builds(
        lambda first, last, field: DateRange(first, last, field),
        YEARS,
        YEARS,
        st.sampled_from(["published", "entered"]),
    ).filter(lambda dates: not (dates.first and dates.last and dates.first > dates.last)),
    st.sampled_from([Everything(), Everything("humans[Filter]"), Everything('"last 5 years"[dp]')]),
)


def _compound(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    parts = st.lists(inner, min_size=1, max_size=4).map(tuple)
    left_out = st.builds(lambda kept, other: Not(kept, other), inner, inner)
    return st.one_of(parts.map(And), parts.map(Or), left_out)


TREES: st.SearchStrategy[Node] = st.recursive(LEAVES, _compound, max_leaves=12)


@settings(deadline=None)
@given(TREES)
def test_a_query_written_for_pubmed_means_the_same_when_it_is_read(tree: Node) -> None:
    written = write_pubmed_query(tree)
    read = parse_pubmed(written.text)
    assert written.notes == ()
    assert canonical_form(read.node) == canonical_form(tree)
    assert write_pubmed_query(read.node).text == written.text


LOST = [
    ("h?emorrhage.tw.", "hemorrhage[tiab] OR haemorrhage[tiab]", "no wildcard among the first letters"),
    ("tumo?r$.tw.", "tumo*r*[tiab]", "no wildcard for one letter"),
    ("los$.tw.", "los[tiab]", "no asterisk after fewer than 4 letters"),
    ("(hip* adj3 pain).tw.", "hip[tiab] AND pain[tiab]", "AND was used"),
    ("exercise*1.tw.", "exercise*[tiab]", "cannot limit the letters"),
    ("gout.hw.", "gout", "in headings only"),
    ('gout.tw.\nlimit 1 to "best balance"', "gout[tiab]", "it was left out"),
]


@each_row(("ovid", "begins", "note"), LOST)
def test_what_pubmed_cannot_say_is_said_more_widely_and_told(ovid: str, begins: str, note: str) -> None:
    written = write_pubmed_query(parse_ovid(ovid).node)
    assert written.text.startswith(begins)
    assert any(note in told for told in written.notes)


def test_a_strategy_of_ovid_can_be_sent_to_pubmed() -> None:
    strategy = (
        'exp Gout/dt\n(gout$ adj3 flare).tw.\nor/1-2\n(hip adj2 pain).ti.\n3 not 4\nlimit 5 to yr="2010 -Current"'
    )
    written = write_pubmed_query(parse_ovid(strategy).node)
    wanted = '(("Gout/drug therapy"[mh] OR (gout*[tiab] AND flare[tiab])) NOT "hip pain"[ti:~1]) AND 2010:3000[dp]'
    assert written.text == wanted


def test_a_query_can_be_sent_to_europe_pmc() -> None:
    query = '(gout[majr] OR "heart failure"[tiab] OR colchic*[ti]) AND 2010:2012/02[dp] AND english[la] NOT review[pt]'
    written = write_europe_pmc_query(parse_pubmed(query).node)
    assert written.text == (
        '((MESH:"gout" OR TITLE_ABS:"heart failure" OR TITLE:colchic*) AND FIRST_PDATE:[2010-01-01 TO 2012-02-29]'
        ' AND LANG:eng) NOT PUB_TYPE:"review"'
    )
    assert len(written.notes) == 2
    assert write_europe_pmc_query(parse_pubmed("12345678[pmid] AND smith j[au]").node).text == (
        '(EXT_ID:12345678 AND SRC:MED) AND AUTH:"smith j"'
    )


def test_europe_pmc_takes_no_asterisk_within_a_phrase() -> None:
    written = write_europe_pmc_query(parse_pubmed('"mood stabiliz*"[tiab]').node)
    assert written.text == '(TITLE_ABS:"mood" AND TITLE_ABS:stabiliz*)'
    assert "one by one" in written.notes[0]


def test_headings_and_leaves_are_found_in_order() -> None:
    node = parse_pubmed("(gout[mh] OR aspirin) AND stroke[ti] NOT (asthma OR review[pt] OR child[mh])").node
    assert [heading.name for heading in collect_headings(node)] == ["gout", "child"]
    assert len(list(leaves(node))) == 6
