"""Headings of a query: real ones stay, synonyms are put right, invented ones become words, and each change is told."""

from collections.abc import Mapping

import pytest

from tests.tables import each_row
from wellsourced.errors import BadQuery, SourceUnavailable
from wellsourced.query_language import canonical_form, collect_headings, parse_query
from wellsourced.query_language.query_tree import And, MeshHeading, Not, Or, QueryTerm
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.sources.heading_validation import validate_expression, validate_headings

MESH = {
    "heart attack": "Myocardial Infarction",
    "myocardial infarction": "Myocardial Infarction",
    "aspirin": "Aspirin",
    "type 2 diabetes": "Diabetes Mellitus, Type 2",
}


class Known:
    """Headings held in memory, all of them or `some`."""

    def __init__(self, headings: Mapping[str, str], *, some: bool = False, name: str = "mesh") -> None:
        self.headings, self.some, self.asked = headings, some, list[str]()
        self.name = name

    async def is_complete(self) -> bool:
        return not self.some

    async def heading(self, term: str) -> str:
        self.asked.append(term)
        return self.headings.get(term.lower(), "")

    async def explode(self, heading: str) -> list[str]:
        return [heading]


class Down(Known):
    """Headings that cannot be reached."""

    async def heading(self, term: str) -> str:
        raise SourceUnavailable("eutils answered 503. Ask again later.")


async def test_a_synonym_gives_way_to_its_heading_and_an_invented_one_to_its_words_each_told() -> None:
    query = parse_query('("Heart Attack"[mh] OR "Gowt Disease"[mh]) AND aspirin[mh] NOT "case reports"[pt]').node
    checked = await validate_headings(query, [Known(MESH)])
    assert canonical_form(checked.node) == canonical_form(
        parse_query('("Myocardial Infarction"[mh] OR "Gowt Disease"[all]) AND aspirin[mh] NOT "case reports"[pt]').node
    )
    assert checked.notes == (
        "MeSH lists “Heart Attack” under “Myocardial Infarction”, which is used instead",
        "MeSH has no heading “Gowt Disease”; its words are searched in all fields",
    )


async def test_a_heading_keeps_its_explosion_its_qualifiers_and_its_weight() -> None:
    mi = MeshHeading("Heart Attack", explode=False, major=True, qualifiers=("drug therapy",), at=3)
    node = Not(Or((mi, MeshHeading("heart attack", at=40))), And((QueryTerm("rats"), MeshHeading("Aspirin"))))
    checked = await validate_headings(node, [Known(MESH)])
    assert checked.node == Not(
        Or((mi._replace(name="Myocardial Infarction"), MeshHeading("Myocardial Infarction", at=40))),
        And((QueryTerm("rats"), MeshHeading("Aspirin"))),
    )


async def test_a_real_heading_in_whatever_case_stays_as_it_is_without_a_word() -> None:
    node = Or((MeshHeading("MYOCARDIAL INFARCTION"), MeshHeading("Aspirin")))
    assert await validate_headings(node, [Known(MESH)]) == (node, ())


async def test_a_query_without_headings_asks_nobody_and_nobody_to_ask_changes_nothing() -> None:
    mesh = Known(MESH)
    assert (await validate_headings(QueryTerm("gout"), [mesh])).notes == ()
    assert await validate_headings(MeshHeading("Gowt"), []) == (MeshHeading("Gowt"), ())
    assert mesh.asked == []


async def test_who_knows_only_some_headings_proves_none_to_be_invented_and_puts_none_right() -> None:
    node = Or((MeshHeading("Heart Attack"), MeshHeading("Anticoagulants")))
    checked = await validate_headings(node, [Known(MESH, some=True)])
    assert checked.node == node
    assert checked.notes == ("not checked against MeSH: “Anticoagulants”",)


async def test_what_one_cannot_settle_the_next_is_asked_and_what_is_settled_is_not_asked_again() -> None:
    some, all_, last = Known({"aspirin": "aspirin"}, some=True), Known(MESH), Known({})
    checked = await validate_headings(Or((MeshHeading("Heart Attack"), MeshHeading("Aspirin"))), [some, all_, last])
    assert [heading.name for heading in collect_headings(checked.node)] == ["Myocardial Infarction", "Aspirin"]
    assert all_.asked == ["Heart Attack", "Aspirin"]
    assert last.asked == []


async def test_an_outage_is_told_and_takes_no_heading_for_invented() -> None:
    checked = await validate_headings(MeshHeading("Gowt"), [Down({}, name="MeSH")])
    assert checked.node == MeshHeading("Gowt")
    assert checked.notes == ("MeSH could not look up headings (eutils answered 503. Ask again later)",)
    second = await validate_headings(MeshHeading("Gowt"), [Down({}), Known(MESH)])
    assert second.node == QueryTerm("Gowt")


async def test_an_expression_is_rewritten_only_where_a_heading_had_to_be_put_right() -> None:
    for real in ('("Aspirin"[MeSH Terms]) AND gout[tiab]', "gout AND flares"):
        assert await validate_expression(real, [Known(MESH)]) == (real, ())
    text, notes = await validate_expression('"Heart Attack"[mh] AND "Gowt"[mh]', [Known(MESH)])
    assert text == '"Myocardial Infarction"[mh] AND Gowt'
    assert len(notes) == 2
    with pytest.raises(BadQuery):
        await validate_expression("AND OR", [Known(MESH)])


class Remote:
    """All headings, behind a network: it does not say how many it knows."""

    name = "remote"

    def __init__(self, known: Known) -> None:
        self.known, self.asked = known, known.asked

    async def heading(self, term: str) -> str:
        return await self.known.heading(term)

    async def explode(self, heading: str) -> list[str]:
        return await self.known.explode(heading)


async def test_what_lies_here_is_asked_for_every_heading() -> None:
    mesh = Known(MESH)
    await validate_headings(Or(tuple(MeshHeading(f"Invented {place}") for place in range(300))), [mesh])
    assert len(mesh.asked) == 300


@each_row("number", [21, 300])
async def test_of_very_many_headings_the_network_is_asked_for_the_first_and_the_others_are_told(number: int) -> None:
    mesh = Remote(Known(MESH))
    assert isinstance(mesh, HeadingVocabulary)
    node = Or(tuple(MeshHeading(f"Invented {place}") for place in range(number)))
    checked = await validate_headings(node, [mesh])
    assert len(mesh.asked) == 20
    assert len(collect_headings(checked.node)) == number - 20
    assert checked.notes[-1].startswith("not checked against MeSH: “Invented 20”")
    assert number < 26 or checked.notes[-1].endswith(f"and {number - 25} more")
