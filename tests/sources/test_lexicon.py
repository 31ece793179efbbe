"""The words of a library: how common each is, and which are written almost alike."""

import random
from pathlib import Path

from tests.tables import each_row
from wellsourced.question.vocabulary import Lexicon
from wellsourced.sources.library import Library
from wellsourced.sources.library.word_index.selection import edit_distance
from wellsourced.types import Document, Reference

TEXTS = (
    "Metformin in diabetes. Diabetes is common.",
    "Ménière's disease and diabetes mellitus.",
    "Diabetic feet; haemorrhage, and pneumonia in 12 patients.",
    "Metformin, COX-2 inhibitors and pneumoniae. Fibromyalgia.",
)


async def library(root: Path) -> Library:
    Library.create(root, "mine", "research")
    made = Library.at(root, "mine", write=True)
    await made.add([Document(reference=Reference(id=f"doc:{n}"), text=text) for n, text in enumerate(TEXTS)])
    return made


async def test_words_are_counted_by_document_and_those_that_are_nowhere_are_left_out(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    assert isinstance(mine, Lexicon)
    asked = ["diabetes", "metformin", "meniere", "12", "gout", "cox-2", "diabetes mellitus", "what?"]
    found = await mine.frequencies(asked)
    assert found.documents == 4
    assert dict(found.counts) == {
        "diabetes": 2, "metformin": 2, "meniere": 1, "12": 1, "cox-2": 1, "diabetes mellitus": 1
    }  # fmt: skip
    await mine.remove(["doc:0"])
    assert (await mine.frequencies(["gout"])).documents == 3
    mine.close()


@each_row(
    ("word", "near"),
    [
        ("diabetis", [("diabetes", 2), ("diabetic", 1)]),
        ("metformine", [("metformin", 2)]),
        ("pnuemonia", [("pneumonia", 1)]),
        ("haemorhage", [("haemorrhage", 1)]),
        ("hemorhage", [("haemorrhage", 1)]),
        ("fybromialgia", [("fibromyalgia", 1)]),
        ("disaese", [("disease", 1)]),
        ("pneumonia", [("pneumoniae", 1)]),
        ("in", []),
        ("cox-3", []),
        ("", []),
    ],
)
async def test_the_nearest_words_come_first_then_the_commonest(
    tmp_path: Path, word: str, near: list[tuple[str, int]]
) -> None:
    mine = await library(tmp_path)
    assert await mine.spelled_like(word) == near
    assert await mine.spelled_like(word, 1) == near[:1]
    mine.close()


def by_definition(one: str, other: str) -> int:
    """Optimal string alignment, as it is defined."""
    if not one or not other:
        return len(one) + len(other)
    swapped = len(one) > 1 and len(other) > 1 and one[-2:] == other[-2:][::-1]
    return min(
        by_definition(one[:-1], other) + 1,
        by_definition(one, other[:-1]) + 1,
        by_definition(one[:-1], other[:-1]) + (one[-1] != other[-1]),
        *([by_definition(one[:-2], other[:-2]) + 1] if swapped else []),
    )


def test_edits_are_counted_as_they_are_defined_up_to_two() -> None:
    draw = random.Random(7)  # noqa: S311
    for _ in range(300):
        one, other = ("".join(draw.choices("abc", k=draw.randint(0, 5))) for _ in range(2))
        assert edit_distance(one, other) == min(by_definition(one, other), 3), (one, other)
