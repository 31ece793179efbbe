"""What a wording shows, read back: for engines that have to know which passages they may name, and what these say."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.models.base import RenderedPrompt

_FENCED_FIELD = re.compile(
    r"<(?P<name>\w+)-(?P<code>[0-9A-F]{4,64})(?: id=(?P<key>\w+))?>\n(?P<body>.*?)\n</\1-\2>", re.DOTALL
)
_NUMBER_LINE = re.compile(r"^(\w+): (-?[\d.]+)$", re.MULTILINE)
_PASSAGE_ID_LINE = re.compile(r"^ *(?:- )?passage_id: (\w+)$", re.MULTILINE)
_QUOTED_PASSAGE = re.compile(r"passage_id: (\w+)\n(?: *finding: .*\n)? *quote: (.+)")


class PromptMaterial(NamedTuple):
    """Of a wording made by models/wording.py.

    fields     name → what stands between its tags
    passages   key → words of the passage; of notes, what was quoted of it
    numbers    name → number, of the fields that are one
    """

    fields: dict[str, str]
    passages: dict[str, str]
    numbers: dict[str, float]


def parse_material(wording: RenderedPrompt) -> PromptMaterial:
    """Everything that it shows."""
    fields = {found["name"]: found["body"] for found in _FENCED_FIELD.finditer(wording.material)}
    passages = {key: words for body in fields.values() for key, words in _parse_passages(body)}
    outside = _FENCED_FIELD.sub("", wording.material)
    return PromptMaterial(fields, passages, {name: float(number) for name, number in _NUMBER_LINE.findall(outside)})


def find_passage_keys(wording: RenderedPrompt) -> tuple[str, ...]:
    """The keys of the passages that a reply to it may name, in order."""
    fenced = (
        found["key"]
        for body in _field_bodies(wording.material)
        for found in _FENCED_FIELD.finditer(body)
        if found["key"]
    )
    return tuple(dict.fromkeys((*fenced, *_PASSAGE_ID_LINE.findall(wording.material))))


def _field_bodies(text: str) -> Iterator[str]:
    yield from (found["body"] for found in _FENCED_FIELD.finditer(text))


def _parse_passages(body: str) -> Iterator[tuple[str, str]]:
    for found in _FENCED_FIELD.finditer(body):
        if found["key"]:
            yield found["key"], found["body"].partition("text:\n")[2]
    yield from _QUOTED_PASSAGE.findall(body)
