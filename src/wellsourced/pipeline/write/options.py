"""Which option a free text chooses, or that it chooses none: never the first letter that happens to stand there."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

ANSWER_FIELD = re.compile(
    r"[\"']?\b(?:answer_choice|final_answer|answer|choice|correct_option)[\"']?\s*[:=]\s*"
    r"(?:[\"'](?P<value>(?:[^\"\\]|\\.)*)|\[(?P<list>[^\]]*)|(?P<bare>[A-Z]|null|None)(?=\s*(?:[,}\n]|\Z)))",
    re.IGNORECASE,
)
"""A field of JSON, also of JSON that was cut off or has another fault."""

ANSWER_PHRASE = re.compile(
    r"\b(?:answer|choice|option)\b(?:\s+(?:choice|option))?\s*(?:is|would be|should be|must be|:|=)+\s*:?\s*"
    r"(?=(?P<value>[^\n]{1,200}))",
    re.IGNORECASE,
)

DECLINING_PHRASE = re.compile(
    r"\b(?:none of|not (?:listed|provided?|available|enough|among|mentioned|possible|specified)|insufficient|unable"
    r"|inconclusive|cannot|can't|n/?a\b|unknown|undetermined|no answer)",
    re.IGNORECASE,
)
"""How a model says that no option is right, or that it cannot say which is."""

CONNECTIVES = r"(?:[\s,;/&+()\[\]\"'*]|\b(?:and|or|possibly|perhaps|maybe|also|either|both)\b)*"
"""What stands between two keys that are listed; not a full stop, behind which a new sentence begins."""

STANDS_ALONE = r"(?![\w'’-])(?!\s+(?!(?:and|or)\b)[a-z])"
"""Behind a letter that is a key: “A trial” begins with an article."""

MAX_BARE_ANSWER = 200
"""Characters of a text that may be an answer as a whole; a key somewhere in a longer one is no choice."""

ChoiceManner = Literal["key", "key and text", "text", "several", "declines", "empty", "no option", "no answer"]
"""How a text chooses, or why it chooses nothing.

several     it names more than one option, or a key beside the text of another option
declines    it says that none is right, or that it cannot tell
empty       there is a field for the answer, and nothing in it
no option   what it answers is none of the options
no answer   nothing in it is an answer
"""


class ChoiceReading(NamedTuple):
    """What was read out of a text: the key ("" for none), how it was said, and in which words."""

    key: str
    manner: ChoiceManner
    said: str = ""


def read_choice(text: str, options: Mapping[str, str]) -> ChoiceReading:
    """The option that a text chooses, if it chooses one and no other.

    What a field of JSON says counts, the last one; without any, what follows “the answer is”; else the text itself
    when it is short. A text that declines to choose chooses none, unless an option says just that.
    """
    fields = [_field_value(found) for found in ANSWER_FIELD.finditer(text)]
    if fields:
        bare = _bare_key(fields[-1], options)
        return bare or _read_words(fields[-1], options)
    readings = [_read_words(found["value"], options) for found in ANSWER_PHRASE.finditer(text)]
    if readings:
        chosen = [one for one in readings if one.key]
        if len({one.key for one in chosen}) == 1:
            return chosen[-1]
        return (chosen or readings)[-1]._replace(key="", manner="several" if chosen else readings[-1].manner)
    if len(text) <= MAX_BARE_ANSWER:
        return _read_words(text, options)
    return ChoiceReading("", "no answer")


def read_reply_choice(said: str, options: Mapping[str, str]) -> ChoiceReading:
    """The same of a reply that holds nothing but the choice ("b)"), or a text around it."""
    return _bare_key(said, options) or read_choice(said, options)


def _field_value(found: re.Match[str]) -> str:
    """What a field says; the members of a list, and nothing for null."""
    if found["list"] is not None:
        return re.sub(r"[\"']", "", found["list"])
    if found["bare"] is not None:
        return "" if len(found["bare"]) > 1 else found["bare"]
    return found["value"]


def _bare_key(said: str, options: Mapping[str, str]) -> ChoiceReading | None:
    """A key and nothing else, in large letters or small, unless it is the text of another option too."""
    bare = said.strip(" \t\n()[].:,;\"'`*").casefold()
    keys = [key for key, text in options.items() if bare and bare in (key.casefold(), text.casefold())]
    if len(keys) != 1 or keys[0].casefold() != bare:
        return None
    return ChoiceReading(keys[0], "key", said)


def _read_words(value: str, options: Mapping[str, str]) -> ChoiceReading:
    """The option that a few words name: by its text, by its key, or by both when they agree."""
    said = _normalize_words(value)
    if not said:
        return ChoiceReading("", "empty" if not value.strip() else "no option", value)
    exact = {key for key, text in options.items() if said == _normalize_words(f"{key} {text}")}
    if len(exact) == 1:
        return ChoiceReading(exact.pop(), "key and text", value)
    texts = {key for key, text in options.items() if said == _normalize_words(text)}
    keys = set() if DECLINING_PHRASE.search(value) and not texts else set(_find_keys(value, options))
    if len(keys | texts) == 1:
        is_bare = len(said.split()) == 1 or not keys
        return ChoiceReading((keys | texts).pop(), "text" if texts else "key" if is_bare else "key and text", value)
    if keys | texts:
        return ChoiceReading("", "several", value)
    return ChoiceReading("", "declines" if DECLINING_PHRASE.search(value) else "no option", value)


def _find_keys(value: str, options: Mapping[str, str]) -> Iterator[str]:
    """Keys that stand alone: at the beginning, with others that are listed there, or else in brackets.

    A key that is followed by the text of its option counts wherever it stands, and behind the first key the text of
    another option counts as that option: “A. no” where A is yes.
    """
    names = "|".join(re.escape(key) for key in sorted(options, key=len, reverse=True))
    if not names:
        return
    alone = rf"({names}){STANDS_ALONE}"
    first = re.match(rf"\W*(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?{alone}", value)
    if not first:
        yield from re.findall(rf"\(({names})\)", value)
        return
    yield first[1]
    rest = value[first.end() :]
    while listed := re.match(rf"{CONNECTIVES}([A-Z]){STANDS_ALONE}", rest):
        yield listed[1]
        rest = rest[listed.end() :]
    after = _normalize_words(value[first.end() :])
    if after != _normalize_words(options[first[1]]):
        yield from (key for key, text in options.items() if after == _normalize_words(text))
    for found in re.finditer(rf"(?<!\w)({names})[.):]\s*", value[first.end() :]):
        text = _normalize_words(options[found[1]])
        if f"{_normalize_words(value[first.end() + found.end() :])} ".startswith(f"{text} "):
            yield found[1]


def _normalize_words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+(?:[.,]\d+)?|[%°<>±+-]", text.casefold()))
