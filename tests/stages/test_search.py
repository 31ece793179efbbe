"""A tier is searched at once, and what each source said is kept apart."""

import asyncio

from tests.world import kit
from wellsourced.sources.base import NOTE
from wellsourced.sources.told import ToldSource
from wellsourced.stages.search import search
from wellsourced.types import Hit, Query, Search, Tier


class Talkative(ToldSource):
    """Says, beside its hits, which words it was asked."""

    async def search(self, query: Query, limit: int) -> list[Hit]:
        await asyncio.sleep(0)
        NOTE.get()(f"{self.name} was asked {query.text}")
        return await super().search(query, limit)


async def test_what_a_source_says_beside_its_hits_is_kept_with_the_search_it_said_it_of() -> None:
    searches = [Search(source=name, query=Query(terms=(word,))) for name in "ab" for word in ("gout", "flare")]
    found = await search(Tier(name="all", searches=tuple(searches)), kit(Talkative("a"), Talkative("b")))
    assert [one.attempt.notes for one in found] == [
        ("a was asked gout",), ("a was asked flare",), ("b was asked gout",), ("b was asked flare",)
    ]  # fmt: skip
