"""The labelled sets of this folder, and how sure one may be of a share that was measured on them."""

import csv
import re
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"

_MARKED = re.compile(r"\{\{(\w+)\|([^}]*)\}\}")


class Asked(NamedTuple):
    """A question; kind "none": no emergency.

    half   "seen" while the rules were written, "kept" until they were done, "fresh": written after them, in freer
           words; "last": written by another who had not read the rules; "more": after that, to fit the net on
    """

    half: str
    kind: str
    language: str
    text: str


class Marked(NamedTuple):
    """A text without its marks, and its identifiers: (kind, start, end)."""

    text: str
    identifiers: list[tuple[str, int, int]]


def emergencies() -> list[Asked]:
    with (DATA / "emergencies.tsv").open(encoding="utf-8", newline="") as file:
        return [Asked(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def marked(name: str) -> list[Marked]:
    return [_unmarked(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def _unmarked(line: str) -> Marked:
    text, end, found = "", 0, []
    for mark in _MARKED.finditer(line):
        text += line[end : mark.start()]
        found.append((mark[1], len(text), len(text) + len(mark[2])))
        text, end = text + mark[2], mark.end()
    return Marked(text + line[end:], found)
