"""Which option a free text chooses, or that it chooses none: never the first letter that happens to stand there."""

import json
import re
from collections.abc import Iterable, Mapping

ANSWER_FIELD = re.compile(
    r"[\"']?\b(?:answer_choice|final_answer|answer|choice|correct_option)[\"']?\s*[:=]\s*[\"'](?P<value>(?:[^\"\\]|\\.)*)",
    re.IGNORECASE,
)
"""A field of JSON, also of JSON that was cut off or has another fault."""

ANSWER_PHRASE = re.compile(
    r"\b(?:answer|choice|option)\b(?:\s+(?:choice|option))?\s*(?:is|would be|should be|must be|:|=)+\s*:?\s*"
    r"(?=(?P<value>[^\n]{1,200}))",
    re.IGNORECASE,
)

DECLINING_PHRASE = re.compile(
    r"\b(?:none of|not (?:listed|provided|available|enough|among|mentioned|possible)|insufficient|inconclusive|unable"
    r"|cannot|can't|n/?a\b|unknown|undetermined|no answer)",
    re.IGNORECASE,
)
"""How a model says that no option is right, or that it cannot say which is."""

MAX_BARE_ANSWER = 200
"""Characters of a text that may be an answer as a whole; a key somewhere in a longer one is no choice."""


def find_chosen_option(text: str, options: Mapping[str, str]) -> str:
    """The key of the option that a text chooses; "" when it chooses none, or more than one.

    What a field of JSON says counts, the last one; without any, what follows “the answer is”; else the text itself when
    it is short. In each an option in full counts before a key that stands alone, written as it is given. A text that
    declines to choose chooses none, unless an option says just that.
    """
    fields = [found["value"] for found in ANSWER_FIELD.finditer(text)]
    if fields:
        return _match_option(_unescape_json(fields[-1]), options)
    said = _single_key(key for found in ANSWER_PHRASE.finditer(text) if (key := _match_option(found["value"], options)))
    if said or ANSWER_PHRASE.search(text):
        return said
    return _match_option(text, options) if len(text) <= MAX_BARE_ANSWER else ""


def _unescape_json(value: str) -> str:
    """The characters that a string of JSON stands for; as it is when it is cut off in the middle of one."""
    try:
        return str(json.loads(f'"{value}"'))
    except ValueError:
        return value


def _match_option(value: str, options: Mapping[str, str]) -> str:
    """The option that a few words name: by its text, or by its key; "" when they name none, or several."""
    said = _normalize_words(value)
    if exact := _single_key(
        key for key, text in options.items() if said in (_normalize_words(text), _normalize_words(f"{key} {text}"))
    ):
        return exact
    if DECLINING_PHRASE.search(value):
        return ""
    return _single_key(_find_keys(value, options))


def _find_keys(value: str, options: Mapping[str, str]) -> Iterable[str]:
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


def _single_key(keys: Iterable[str]) -> str:
    """The one key that comes, however often; "" for none, and for several."""
    different = set(keys)
    return different.pop() if len(different) == 1 else ""


def _normalize_words(text: str) -> str:
    """Words in lower case, without what stands between them."""
    return " ".join(re.findall(r"[^\W_]+(?:[.,]\d+)?|[%°<>±+-]", text.casefold()))
