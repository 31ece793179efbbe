"""The thing that a question asks about, by its place."""

from tests.tables import each_row
from wellsourced.models.asked_subjects import list_asked_things


@each_row(
    ("question", "things"),
    [
        ("Is erythropoietin effective for ALS?", [("erythropoietin",)]),
        ("Does topical ropivacaine reduce pain?", [("topical", "ropivacaine")]),
        ("What is the role of Adamts18 in signalling?", [("Adamts18",)]),
        ("Does FDG-PET improve staging?", [("FDG", "PET")]),
        ("Crying at night: does massage help?", [("massage",)]),
        ("Does it help?", []),
        ("Do women with gout benefit?", []),
        ("Is there a link between gout and stroke?", []),
        ("Which drug helps in gout?", []),
    ],
)
def test_it_is_what_does_something_or_is_judged(question: str, things: list[tuple[str, ...]]) -> None:
    assert list(list_asked_things(question)) == things
