"""Which option a free text chooses, or that it chooses none: never the first letter that happens to stand there."""

import json
import re
from collections.abc import Iterable, Mapping

FIELD = re.compile(
    r"[\"']?\b(?:answer_choice|final_answer|answer|choice|correct_option)[\"']?\s*[:=]\s*[\"'](?P<value>(?:[^\"\\]|\\.)*)",
    re.IGNORECASE,
)
"""A field of JSON, also of JSON that was cut off or has another fault."""

SAID = re.compile(
    r"\b(?:answer|choice|option)\b(?:\s+(?:choice|option))?\s*(?:is|would be|should be|must be|:|=)+\s*:?\s*"
    r"(?=(?P<value>[^\n]{1,200}))",
    re.IGNORECASE,
)

DECLINED = re.compile(
    r"\b(?:none of|not (?:listed|provided|available|enough|among|mentioned|possible)|insufficient|inconclusive|unable"
    r"|cannot|can't|n/?a\b|unknown|undetermined|no answer)",
    re.IGNORECASE,
)
"""How it is said that no option is right, or that none can be told."""

SHORT = 200
"""Characters of a text that may be an answer as a whole; a key somewhere in a longer one is no choice."""


def chosen(text: str, options: Mapping[str, str]) -> str:
    """The key of the option that a text chooses; "" when it chooses none, or more than one.

    What a field of JSON says counts, the last one; without any, what follows “the answer is”; else the text itself when
    it is short. In each an option in full counts before a key that stands alone, written as it is given. A text that
    declines to choose chooses none, unless an option says just that.
    """
    fields = [found["value"] for found in FIELD.finditer(text)]
    if fields:
        return _meant(_unescaped(fields[-1]), options)
    said = _only(key for found in SAID.finditer(text) if (key := _meant(found["value"], options)))
    if said or SAID.search(text):
        return said
    return _meant(text, options) if len(text) <= SHORT else ""


def _unescaped(value: str) -> str:
    """The characters that a string of JSON stands for; as it is when it is cut off in the middle of one."""
    try:
        return str(json.loads(f'"{value}"'))
    except ValueError:
        return value


def _meant(value: str, options: Mapping[str, str]) -> str:
    """The option that a few words name: by its text, or by its key; "" when they name none, or several."""
    said = _plain(value)
    if exact := _only(key for key, text in options.items() if said in (_plain(text), _plain(f"{key} {text}"))):
        return exact
    if DECLINED.search(value):
        return ""
    return _only(_keys(value, options))


def _keys(value: str, options: Mapping[str, str]) -> Iterable[str]:
    """Keys that stand alone: at the beginning, with others that are listed there, or else in brackets."""
    names = "|".join(re.escape(key) for key in sorted(options, key=len, reverse=True))
    if not names:
        return
    first = re.match(rf"\W*(?:[Oo]ption\s+)?({names})(?![\w'’-])(?!\s+[a-z])", value)
    if first:
        yield first[1]
        rest = value[first.end() :]
        # “B/D”, “A and C”: two of them are none.
        yield from re.findall(r"^\s*(?:/|,|and|or|&)\s*\(?([A-Z])\b", rest)
        return
    yield from re.findall(rf"\(({names})\)", value)


def _only(keys: Iterable[str]) -> str:
    """The one key that comes, however often; "" for none, and for several."""
    different = set(keys)
    return different.pop() if len(different) == 1 else ""


def _plain(text: str) -> str:
    """Words in lower case, without what stands between them."""
    return " ".join(re.findall(r"[^\W_]+(?:[.,]\d+)?|[%°<>±+-]", text.casefold()))
