"""JSON in place of words: a page that is an empty shell carries its article as data, which a script would have shown.

Next.js, Nuxt and their like put it into `<script type="application/json">`, search engines are given `articleBody`, and
some addresses answer with JSON alone. What reads like prose in it is the text of the page, in its order.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from wellsourced.errors import SourceRefused
from wellsourced.readers.base import DocumentStream, InMemoryFile
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.text.sanitization import one_line
from wellsourced.text.urls import normalize_url
from wellsourced.types import Reference, SourceKind

JSON_TYPES = frozenset({"application/json", "application/ld+json"})
"""Media types of an answer, and of a script, that is data."""

MIN_PROSE_WORDS = 6
"""Words of a text that is prose; of fewer, it is a label, a menu or a key."""

MIN_LETTERS = 0.7
"""Share of letters and spaces in prose: a style sheet, a path or a base64 has less."""

MAX_VALUES = 200_000
"""Values that are looked at."""

TITLE_KEYS = ("headline", "title", "pageTitle", "name")

_BLOCK_END = re.compile(r"</(?:p|li|h[1-6]|div|tr|td|th|blockquote|ul|ol|table|section)\s*>|<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
_NO_PROSE = re.compile(r"https?://\S+$|[{};]\s*$|^\s*[{<]")


def embedded_prose(scripts: Sequence[str]) -> list[str]:
    """The paragraphs that read like prose in these scripts of JSON, each once, in their order."""
    found: dict[str, None] = {}
    for script in scripts:
        for value in _string_values(_parse_json(script)):
            found.update(dict.fromkeys(_split_prose(value)))
    return list(found)


def read_json_page(file: InMemoryFile, kind: SourceKind, url: str) -> DocumentStream:
    """The one document in an answer of JSON. Raises SourceRefused where nothing in it reads like prose."""
    text = file.data.decode("utf-8", "replace")
    page = DocumentBuilder()
    for paragraph in embedded_prose([text]):
        page.add_block(paragraph)
    if not page.text:
        raise SourceRefused("it is JSON without a text that could be read")
    title = next(iter(_title_values(_parse_json(text))), "")
    yield page.build(Reference(id=f"url:{normalize_url(url)}", title=title, url=url, kind=kind, depth="web page"))


def _parse_json(script: str) -> Any:
    """The value, None for what is no JSON: a page may write anything there."""
    try:
        return json.loads(script)
    except (ValueError, RecursionError):
        return None


def _walk_values(value: Any) -> Iterator[tuple[str, Any]]:
    """(key, value) of everything inside, in its order; never deeper than the stack of Python, however it nests."""
    left: list[tuple[str, Any]] = [("", value)]
    for _ in range(MAX_VALUES):
        if not left:
            return
        key, one = left.pop()
        yield key, one
        if isinstance(one, dict):
            left += reversed([*one.items()])
        elif isinstance(one, list):
            left += ((key, each) for each in reversed(one))


def _string_values(value: Any) -> Iterator[str]:
    return (one for _, one in _walk_values(value) if isinstance(one, str))


def _title_values(value: Any) -> Iterator[str]:
    """What is called a title, as its keys rank."""
    strings = [(key, one_line(one)) for key, one in _walk_values(value) if isinstance(one, str) and one.strip()]
    return (one for name in TITLE_KEYS for key, one in strings if key == name)


def _split_prose(value: str) -> Iterator[str]:
    """The paragraphs of a string, without markup; none of what is no prose."""
    for part in re.split(r"\n\s*\n", _BLOCK_END.sub("\n\n", value)):
        words = one_line(html.unescape(_TAG.sub("", part)))
        if _is_prose(words):
            yield words


def _is_prose(words: str) -> bool:
    if len(words.split()) < MIN_PROSE_WORDS or _NO_PROSE.search(words):
        return False
    return sum(letter.isalpha() or letter.isspace() for letter in words) / len(words) >= MIN_LETTERS
