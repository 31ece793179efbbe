"""What a library says of itself is what it holds."""

from collections.abc import Sequence
from pathlib import Path

from wellsourced.sources.library import Library
from wellsourced.sources.library.reader import MAX_LISTED_TITLES
from wellsourced.types import Document, Reference


def document(number: int, title: str, mesh: Sequence[str] = (), **card: str) -> Document:
    reference = Reference(id=f"doc:{number}", title=title, mesh=tuple(mesh), **card)
    return Document(reference=reference, text="A study of patients.")


async def library(root: Path, documents: Sequence[Document]) -> Library:
    Library.create(root, "mine", "research")
    made = Library.at(root, "mine", write=True)
    await made.add(documents)
    await made.frequencies(["gout"])
    return made


TITLED = [
    *(document(n, f"Randomized trial of metformin in breast cancer, part {n}") for n in range(3)),
    *(document(n, "Treatment of heart failure in adults") for n in range(3, 8)),
    document(8, "A case of gout"),
]


async def test_a_card_says_which_queries_a_library_understands(tmp_path: Path) -> None:
    mine = await library(tmp_path, TITLED)
    card = await mine.describe()
    assert card.asks == ("text", "boolean")
    mine.close()


async def test_a_small_library_names_all_its_documents_a_large_one_and_a_users_own_do_not(tmp_path: Path) -> None:
    mine = await library(tmp_path, TITLED)
    assert (await mine.describe()).titles[-1] == "A case of gout"
    assert len((await mine.describe()).titles) == len(TITLED)
    await mine.add([document(n, f"Trial {n}") for n in range(10, 10 + MAX_LISTED_TITLES)])
    assert (await mine.describe()).titles == ()
    mine.close()
    Library.create(tmp_path, "notes", "own")
    notes = Library.at(tmp_path, "notes", write=True)
    await notes.add(TITLED)
    assert (await notes.describe()).titles == ()
    notes.close()
