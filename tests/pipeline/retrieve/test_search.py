"""A tier is searched at once, and what each source said is kept apart."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.tables import each_row
from tests.world import TRIAL, context, document, passages
from wellsourced.errors import BadQuery, OfflineError, SourceRefused, SourceUnavailable, WellsourcedError
from wellsourced.pipeline.retrieve.search import AttemptResult, collect_failed_gaps, search_tier
from wellsourced.policy import Policy
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Gap, Query, QueryKind, Search, Tier


class Talkative(FakeSource):
    """Says, beside its hits, which words it was asked."""

    async def search(self, query: Query, limit: int) -> SearchResult:
        await asyncio.sleep(0)
        found = await super().search(query, limit)
        return found._replace(notes=(f"{self.name} was asked {query.text}",))


async def test_what_a_source_says_beside_its_hits_is_kept_with_the_search_it_said_it_of() -> None:
    searches = [Search(source=name, query=Query(terms=(word,))) for name in "ab" for word in ("gout", "flare")]
    found = await search_tier(Tier(name="all", searches=tuple(searches)), [], context(Talkative("a"), Talkative("b")))
    assert [one.attempt.notes for one in found] == [
        ("a was asked gout",), ("a was asked flare",), ("b was asked gout",), ("b was asked flare",)
    ]  # fmt: skip


# --- fewer terms ---------------------------------------------------------------------------------------------------


class Strict(FakeSource):
    """Finds only what holds all terms, as PubMed does; says how much that is when asked to count (`Counting`)."""

    live = False

    async def describe(self) -> SourceInfo:
        return (await super().describe())._replace(live=self.live)

    async def search(self, query: Query, limit: int) -> SearchResult:
        hits = (await super().search(query, limit)).hits
        return SearchResult([hit for hit in hits if all(term in hit.passage.text for term in query.terms)])


class Counting(Strict):
    counted: int = 0

    async def count(self, query: Query) -> int:
        self.counted += 1
        return sum(all(term in passage.text for term in query.terms) for passage in self.passages)


class Live(Strict):
    live = True


async def asked(
    source: FakeSource, *terms: str, kind: QueryKind = "text", policy: Policy | None = None
) -> list[AttemptResult]:
    one = Search(source=source.name, query=Query(terms=terms, kind=kind))
    return await search_tier(
        Tier(name="all", searches=(one,)), [await source.describe()], context(source, policy=policy)
    )


def said(found: Sequence[AttemptResult]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.attempt.search.query.text, one.attempt.status, one.attempt.notes) for one in found]


async def test_keywords_that_bring_up_nothing_are_asked_for_again_without_the_least_important() -> None:
    found = await asked(Strict("local", [TRIAL], passages(TRIAL)), "gout", "flare", "teenagers", "Iceland")
    assert said(found) == [
        ("gout flare teenagers Iceland", "empty", ()),
        ("gout flare teenagers", "empty", ("nothing found without “Iceland” either",)),
        ("gout flare", "ok", ("found without “teenagers”, “Iceland”",)),
    ]
    assert len(found[-1].passages) == 1


async def test_a_source_that_counts_is_searched_only_for_what_it_has() -> None:
    source = Counting("local", [TRIAL], passages(TRIAL))
    found = await asked(source, "gout", "flare", "teenagers", "Iceland")
    assert [one.attempt.status for one in found] == ["empty", "empty", "ok"]
    assert [query.text for query in source.queries] == ["gout flare teenagers Iceland", "gout flare"]
    assert source.counted == 2


@each_row("kind", [Strict, Counting])
async def test_when_not_even_the_first_keyword_brings_up_anything_the_search_is_empty_and_says_so(
    kind: type[Strict],
) -> None:
    found = await asked(kind("local", [TRIAL], passages(TRIAL)), "Iceland", "gout")
    assert said(found)[-1] == (
        "Iceland", "empty", ("nothing found without “gout” either, not even with “Iceland” alone",)
    )  # fmt: skip
    assert collect_failed_gaps([one.attempt for one in found]) == ()


async def test_what_is_found_at_once_is_asked_for_once() -> None:
    assert said(await asked(Strict("local", [TRIAL], passages(TRIAL)), "gout", "flare")) == [("gout flare", "ok", ())]


async def test_a_live_source_relaxes_a_query_itself() -> None:
    assert len(await asked(Live("pubmed", [TRIAL], passages(TRIAL)), "gout", "Iceland")) == 1


async def test_an_expression_is_never_shortened_from_its_end() -> None:
    found = await asked(Strict("local", [TRIAL], passages(TRIAL)), "gout AND Iceland", kind="boolean")
    assert [one.attempt.status for one in found] == ["empty"]


# --- failures ------------------------------------------------------------------------------------------------------


class Failing(FakeSource):
    """Raises what it was told to raise, when it is asked for so many terms or fewer."""

    def __init__(self, name: str, error: Exception, terms: int = 99) -> None:
        super().__init__(name, [TRIAL], passages(TRIAL))
        self.error, self.terms = error, terms

    async def search(self, query: Query, limit: int) -> SearchResult:
        self.queries.append(query)
        if len(query.terms) <= self.terms:
            raise self.error
        return SearchResult([])


BAD = BadQuery("(gout AND", 9, "A parenthesis is opened and never closed", "Close it.")


@each_row(
    "error",
    [
        SourceUnavailable("local: no answer"),
        SourceRefused("local: a page instead of an answer"),
        OfflineError("offline"),
        BAD,
    ],
)
async def test_a_source_that_fails_is_a_gap_and_the_others_are_heard(error: WellsourcedError) -> None:
    sources = Failing("bad", error), FakeSource("good", [TRIAL], passages(TRIAL))
    searches = tuple(Search(source=name, query=Query(terms=("gout",))) for name in ("bad", "good"))
    found = await search_tier(Tier(name="all", searches=searches), [], context(*sources))
    assert [(one.attempt.status, one.attempt.error) for one in found] == [("failed", str(error)), ("ok", "")]
    assert collect_failed_gaps([one.attempt for one in found]) == (
        Gap(source="bad", status="failed", reason=str(error)),
    )


async def test_a_fault_in_an_expression_is_named_with_its_position() -> None:
    (found,) = await asked(Failing("local", BAD), "(gout AND", kind="boolean")
    assert "at character 10" in found.attempt.error


async def test_a_source_that_fails_while_terms_are_left_out_is_not_asked_again() -> None:
    source = Failing("local", SourceUnavailable("local: no answer"), terms=2)
    found = await asked(source, "gout", "flare", "teenagers")
    assert [one.attempt.status for one in found] == ["empty", "failed"]
    assert len(source.queries) == 2


async def test_patience_with_a_live_source_ends_and_one_that_lies_here_needs_none() -> None:
    class Slow(Strict):
        async def search(self, query: Query, limit: int) -> SearchResult:
            await asyncio.sleep(0.1)
            return SearchResult([])

    class SlowLive(Slow):
        live = True

    (late,) = await asked(SlowLive("slow", [TRIAL]), "gout", policy=Policy(source_seconds=0.02))
    assert (late.attempt.status, late.attempt.error) == ("failed", "no answer within 0.02 s")
    (here,) = await asked(Slow("slow", [TRIAL]), "gout", policy=Policy(source_seconds=0.02))
    assert here.attempt.status == "empty"


async def test_more_than_was_asked_for_is_not_taken() -> None:
    class Generous(FakeSource):
        async def search(self, query: Query, limit: int) -> SearchResult:
            return await super().search(query, 1000)

    many = [document(f"d{place}", f"Gout, part {place} of the text.") for place in range(9)]
    (found,) = await asked(Generous("local", many, passages(*many)), "gout", policy=Policy(candidates=4))
    assert (found.attempt.found, len(found.passages)) == (4, 4)


async def test_a_fault_of_ours_is_not_taken_for_an_outage() -> None:
    with pytest.raises(TypeError, match="a bug"):
        await asked(Failing("local", TypeError("a bug")), "gout")


async def test_an_error_that_is_no_outage_leaves_no_search_behind() -> None:
    class Broken(FakeSource):
        async def search(self, query: Query, limit: int) -> SearchResult:
            raise ZeroDivisionError

    class Endless(FakeSource):
        async def search(self, query: Query, limit: int) -> SearchResult:
            await asyncio.Event().wait()
            return SearchResult([])

    tier = Tier(name="all", searches=tuple(Search(source=name, query=Query(terms=("gout",))) for name in "ab"))
    with pytest.raises(ZeroDivisionError):
        await search_tier(tier, [], context(Endless("a"), Broken("b")))
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
