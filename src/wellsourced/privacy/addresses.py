"""Addresses as they are looked at for identifiers: labelled numbers in the path, whatever a form holds in the query."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from wellsourced.privacy.expressions import expression_identifiers
from wellsourced.text.identifiers import Identifier, Kind, identifiers, stated_identifiers

_NEVER_IN_A_PATH: frozenset[Kind] = frozenset({"name", "date"})
"""Names and dates stand in the paths of articles every day."""

_SEARCHED: frozenset[Kind] = frozenset({"name", "address", "postcode"})
_NAMES_A_PERSON = re.compile(r"(?i)(?:^|[_.-])(?:full|first|last|given|family|sur|fore|patient)?[_-]?name$")
_BETWEEN = re.compile(r"[/_+;,~]|(?<=[a-zA-Z])-|-(?=[a-zA-Z])")
_SENTENCE = 3
"""Words from which the value of a field is words that somebody typed, not a code."""


def carried_identifiers(url: str) -> list[Identifier]:
    """What in an address may identify somebody; [] for what is no address.

    Numbers without a label are left alone: articles, trials and pages are known by such.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    path = _BETWEEN.sub(" ", unquote(parts.path))
    found = [one for one in stated_identifiers(path) if one.kind not in _NEVER_IN_A_PATH]
    for name, value in parse_qsl(f"{parts.query}&{unquote(parts.fragment)}"):
        found += _in_field(name, value)
    return found


def _in_field(name: str, value: str) -> Iterator[Identifier]:
    yield from stated_identifiers(f"{_BETWEEN.sub(' ', name)}: {value}")
    if _NAMES_A_PERSON.search(name):
        yield from (one for one in identifiers(f"Patient name: {value}") if one.kind == "name")
    elif len(value.split()) >= _SENTENCE:
        yield from expression_identifiers(value)
        yield from (one for one in identifiers(value) if one.kind in _SEARCHED)
