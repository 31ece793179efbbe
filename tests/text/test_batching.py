"""Every passage is in one part, in rank order, and what is too long is sliced without losing a word."""

import random

from tests.tables import each_row
from tests.world import COLCHICINE, NAUSEA, WEATHER
from wellsourced.text.passages import PassageSlice, slice_passage, split_evenly, split_to_fit
from wellsourced.types import Passage, Reference


def piece(document: str, text: str, start: int = 0) -> PassageSlice:
    passage = Passage(reference=Reference(id=document), text=text, start=start, end=start + len(text))
    return PassageSlice(passage, passage)


@each_row("count", range(1, 41))
def test_parts_are_disjoint_complete_in_order_and_of_equal_size(count: int) -> None:
    items = range(count)
    for parts in range(1, count + 1):
        made = split_evenly(items, parts)
        assert [item for part in made for item in part] == list(items)
        assert len(made) == parts
        sizes = {len(part) for part in made}
        assert max(sizes) - min(sizes) <= 1


def test_there_are_no_more_parts_than_passages_and_none_of_none() -> None:
    assert split_evenly("ab", 5) == [("a",), ("b",)]
    assert split_evenly("", 5) == []


def words(part: tuple[PassageSlice, ...]) -> int:
    return sum(len(one.shown.text.split()) for one in part)


@each_row("room", [12, 30, 60, 400])
def test_parts_that_do_not_fit_are_cut_until_they_do_and_every_slice_stands_where_its_offsets_say(room: int) -> None:
    draw = random.Random(room)  # noqa: S311
    texts = [" ".join(draw.choices((COLCHICINE, NAUSEA, WEATHER), k=draw.randint(1, 12))) for _ in range(9)]
    pieces = [piece(f"d{place}", text, start=100 * place) for place, text in enumerate(texts)]
    parts = split_to_fit(split_evenly(pieces, 2), lambda part: words(part) <= room)
    shown = [one for part in parts for one in part]
    for one in shown:
        start = one.shown.start - one.whole.start
        assert one.whole.text[start : start + len(one.shown.text)] == one.shown.text
    for whole in pieces:
        slices = [one.shown for one in shown if one.whole is whole.whole]
        assert "".join("".join(one.text.split()) for one in slices) == "".join(whole.whole.text.split())
        assert [one.start for one in slices] == sorted(one.start for one in slices)
    assert all(words(part) <= room or len(part) == 1 for part in parts)
    # What is still too long could hardly be understood if it were any shorter.
    assert all(words(part) <= room or len(part[0].shown.text) <= 200 for part in parts)


def test_a_text_without_a_place_to_cut_is_cut_all_the_same_and_a_short_one_never() -> None:
    slices = slice_passage(piece("d", "x" * 1_000))
    assert len(slices) > 1
    assert "".join(one.shown.text for one in slices) == "x" * 1_000
    assert slice_passage(piece("d", COLCHICINE)) == []


def test_where_not_even_an_empty_part_fits_nothing_is_cut() -> None:
    parts = [(piece("d", COLCHICINE * 10),)]
    assert split_to_fit(parts, lambda _: False) == parts
