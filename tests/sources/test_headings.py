"""Headings of a query: real ones stay, synonyms are put right, invented ones become words, and each change is told."""

from collections.abc import Mapping

import pytest

from wellsourced.errors import BadQuery, Unavailable
from wellsourced.query_language import headings, meaning, read
from wellsourced.query_language.tree import And, Heading, Not, Or, Term
from wellsourced.sources.base import Headings
from wellsourced.sources.headings import validated, with_real_headings

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

    async def complete(self) -> bool:
        return not self.some

    async def heading(self, term: str) -> str:
        self.asked.append(term)
        return self.headings.get(term.lower(), "")

    async def explode(self, heading: str) -> list[str]:
        return [heading]


class Down(Known):
    """Headings that cannot be reached."""

    async def heading(self, term: str) -> str:
        raise Unavailable("eutils answered 503. Ask again later.")


async def test_a_synonym_gives_way_to_its_heading_and_an_invented_one_to_its_words_each_told() -> None:
    query = read('("Heart Attack"[mh] OR "Gowt Disease"[mh]) AND aspirin[mh] NOT "case reports"[pt]').node
    checked = await with_real_headings(query, [Known(MESH)])
    assert meaning(checked.node) == meaning(
        read('("Myocardial Infarction"[mh] OR "Gowt Disease"[all]) AND aspirin[mh] NOT "case reports"[pt]').node
    )
    assert checked.notes == (
        "“Heart Attack” is no heading of MeSH: “Myocardial Infarction”, which it names, stands for it",
        "MeSH has no heading “Gowt Disease”: its words are searched for instead, anywhere in a record",
    )


async def test_a_heading_keeps_its_explosion_its_qualifiers_and_its_weight() -> None:
    mi = Heading("Heart Attack", explode=False, major=True, qualifiers=("drug therapy",), at=3)
    node = Not(Or((mi, Heading("heart attack", at=40))), And((Term("rats"), Heading("Aspirin"))))
    checked = await with_real_headings(node, [Known(MESH)])
    assert checked.node == Not(
        Or((mi._replace(name="Myocardial Infarction"), Heading("Myocardial Infarction", at=40))),
        And((Term("rats"), Heading("Aspirin"))),
    )


async def test_a_real_heading_in_whatever_case_stays_as_it_is_without_a_word() -> None:
    node = Or((Heading("MYOCARDIAL INFARCTION"), Heading("Aspirin")))
    assert await with_real_headings(node, [Known(MESH)]) == (node, ())


async def test_a_query_without_headings_asks_nobody_and_nobody_to_ask_changes_nothing() -> None:
    mesh = Known(MESH)
    assert (await with_real_headings(Term("gout"), [mesh])).notes == ()
    assert await with_real_headings(Heading("Gowt"), []) == (Heading("Gowt"), ())
    assert mesh.asked == []


async def test_who_knows_only_some_headings_proves_none_to_be_invented_and_puts_none_right() -> None:
    node = Or((Heading("Heart Attack"), Heading("Anticoagulants")))
    checked = await with_real_headings(node, [Known(MESH, some=True)])
    assert checked.node == node
    assert checked.notes == ("whether MeSH has the heading “Anticoagulants” is not known here",)


async def test_what_one_cannot_settle_the_next_is_asked_and_what_is_settled_is_not_asked_again() -> None:
    some, all_, last = Known({"aspirin": "aspirin"}, some=True), Known(MESH), Known({})
    checked = await with_real_headings(Or((Heading("Heart Attack"), Heading("Aspirin"))), [some, all_, last])
    assert [heading.name for heading in headings(checked.node)] == ["Myocardial Infarction", "Aspirin"]
    assert all_.asked == ["Heart Attack", "Aspirin"]
    assert last.asked == []


async def test_an_outage_is_told_and_takes_no_heading_for_invented() -> None:
    checked = await with_real_headings(Heading("Gowt"), [Down({}, name="MeSH")])
    assert checked.node == Heading("Gowt")
    assert checked.notes == (
        "MeSH could not be asked for headings (eutils answered 503. Ask again later)",
        "whether MeSH has the heading “Gowt” is not known here",
    )
    second = await with_real_headings(Heading("Gowt"), [Down({}), Known(MESH)])
    assert second.node == Term("Gowt")


async def test_an_expression_is_rewritten_only_where_a_heading_had_to_be_put_right() -> None:
    for real in ('("Aspirin"[MeSH Terms]) AND gout[tiab]', "gout AND flares"):
        assert await validated(real, [Known(MESH)]) == (real, ())
    text, notes = await validated('"Heart Attack"[mh] AND "Gowt"[mh]', [Known(MESH)])
    assert text == '"Myocardial Infarction"[mh] AND Gowt'
    assert len(notes) == 2
    with pytest.raises(BadQuery):
        await validated("AND OR", [Known(MESH)])


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
    await with_real_headings(Or(tuple(Heading(f"Invented {place}") for place in range(300))), [mesh])
    assert len(mesh.asked) == 300


@pytest.mark.parametrize("number", [21, 300])
async def test_of_very_many_headings_the_network_is_asked_for_the_first_and_the_others_are_told(number: int) -> None:
    mesh = Remote(Known(MESH))
    assert isinstance(mesh, Headings)
    node = Or(tuple(Heading(f"Invented {place}") for place in range(number)))
    checked = await with_real_headings(node, [mesh])
    assert len(mesh.asked) == 20
    assert len(headings(checked.node)) == number - 20
    assert checked.notes[-1].startswith("whether MeSH has the heading “Invented 20”")
    assert number < 26 or checked.notes[-1].endswith(f"and {number - 25} more is not known here")
