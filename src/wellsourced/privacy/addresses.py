"""Addresses as they are looked at for identifiers: the path for numbers, the query for whatever a form would hold."""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from wellsourced.text.identifiers import Identifier, Kind, identifiers

IN_A_PATH: frozenset[Kind] = frozenset({"phone", "email", "ssn", "record", "account", "device"})
"""Kinds that nobody puts into the path of an article; names and dates stand there every day."""

IN_A_QUERY: frozenset[Kind] = IN_A_PATH | {"name", "address", "postcode"}

_BIRTH = re.compile(r"dob|birth|geb", re.IGNORECASE)
_BETWEEN = re.compile(r"[/_+;,~]|(?<=[a-zA-Z])-|-(?=[a-zA-Z])")


def carried_identifiers(url: str) -> list[Identifier]:
    """What in an address may identify somebody; [] for what is no address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    found = [one for one in identifiers(_BETWEEN.sub(" ", unquote(parts.path))) if one.kind in IN_A_PATH]
    for name, value in parse_qsl(f"{parts.query}&{unquote(parts.fragment)}"):
        kinds = IN_A_QUERY | {"date"} if _BIRTH.search(name) else IN_A_QUERY
        found += [one for one in identifiers(f"{name}: {value}") if one.kind in kinds]
    return found
