"""The published systems that presets reproduce: a page for each, `lins.md` …, with a row for each feature of its paper.

The help, the server and docs/papers.md show these pages, and no other place repeats them.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

PAGE_SUFFIX = ".md"

HEADINGS = "| | feature | command | figure | differs, and why; what is missing |"
"""The first line of the table of a page."""


class Feature(NamedTuple):
    """A feature of a published system, in Markdown.

    command   how to use it, or to measure it; "" where there is none
    figure    what the paper or its data give, and what comes out here; "" where nothing can be compared
    note      what differs, and why; what is missing
    """

    number: str
    name: str
    command: str
    figure: str
    note: str

    @property
    def state(self) -> Literal["works", "partly", "missing"]:
        """As the note has it: nothing was built, something is missing, or neither."""
        if self.note.startswith("Not built."):
            return "missing"
        return "partly" if "Missing:" in self.note else "works"


class PublishedSystem(NamedTuple):
    """A published system: what it is, the presets that reproduce it, and all its features.

    title      its name, what it does, and the paper
    about      a paragraph in Markdown
    examples   commands, as they are typed
    """

    name: str
    title: str
    about: str
    examples: tuple[str, ...]
    features: tuple[Feature, ...]


@cache
def load_systems() -> dict[str, PublishedSystem]:
    """Name → system, by name."""
    pages = [file for file in files("wellsourced.presets").iterdir() if file.name.endswith(PAGE_SUFFIX)]
    systems = [_read_page(file.read_text(encoding="utf-8")) for file in pages]
    return {system.name: system for system in sorted(systems)}


def _read_page(page: str) -> PublishedSystem:
    first, _, below = page.partition("\n")
    name, _, title = first.removeprefix("# ").partition(": ")
    above, _, table = below.partition(HEADINGS)
    about, _, examples = above.partition("```console\n")
    rows = [[cell.strip() for cell in row[1:-1].split("|")] for row in table.strip().split("\n")[1:]]
    typed = tuple(line.removeprefix("$ ") for line in examples.partition("\n```")[0].split("\n"))
    return PublishedSystem(name, title, " ".join(about.split()), typed, tuple(Feature(*row) for row in rows))


def find_mentions(typed: str) -> list[str]:
    """The names of the systems whose page has a word that somebody typed: "herd" is one of LINS."""
    word = re.compile(rf"\b{re.escape(typed)}\b", re.IGNORECASE)
    return [name for name, system in load_systems().items() if word.search(repr(system))]
