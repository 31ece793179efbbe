"""What a wording shows, read back: for engines that have to know which passages they may name, and what these say."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.models.base import Wording

_FIELD = re.compile(
    r"<(?P<name>\w+)-(?P<code>[0-9A-F]{4,64})(?: id=(?P<key>\w+))?>\n(?P<body>.*?)\n</\1-\2>", re.DOTALL
)
_NUMBER = re.compile(r"^(\w+): (-?[\d.]+)$", re.MULTILINE)
_NAMED = re.compile(r"^ *(?:- )?passage_id: (\w+)$", re.MULTILINE)
_QUOTED = re.compile(r"passage_id: (\w+)\n(?: *finding: .*\n)? *quote: (.+)")


class Shown(NamedTuple):
    """Of a wording made by models/wording.py.

    fields     name → what stands between its tags
    passages   key → words of the passage; of notes, what was quoted of it
    numbers    name → number, of the fields that are one
    """

    fields: dict[str, str]
    passages: dict[str, str]
    numbers: dict[str, float]


def shown_by(wording: Wording) -> Shown:
    """Everything that it shows."""
    fields = {found["name"]: found["body"] for found in _FIELD.finditer(wording.shown)}
    passages = {key: words for body in fields.values() for key, words in _passages(body)}
    outside = _FIELD.sub("", wording.shown)
    return Shown(fields, passages, {name: float(number) for name, number in _NUMBER.findall(outside)})


def keys_in(wording: Wording) -> tuple[str, ...]:
    """The keys of the passages that a reply to it may name, in order."""
    fenced = (found["key"] for body in _bodies(wording.shown) for found in _FIELD.finditer(body) if found["key"])
    return tuple(dict.fromkeys((*fenced, *_NAMED.findall(wording.shown))))


def _bodies(text: str) -> Iterator[str]:
    yield from (found["body"] for found in _FIELD.finditer(text))


def _passages(body: str) -> Iterator[tuple[str, str]]:
    for found in _FIELD.finditer(body):
        if found["key"]:
            yield found["key"], found["body"].partition("text:\n")[2]
    yield from _QUOTED.findall(body)
