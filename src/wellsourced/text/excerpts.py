"""What of an excerpt can be shown: sentences that were cut where it begins or ends, with "…" for what is left out.

Of a study a library may hold no more than some words that somebody marked ("the presence of … has been associated
with FLC."). They are shown only where the excerpt has no whole sentence.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.text.sentences import Span, has_back_reference, is_prose

MIN_EXCERPT_WORDS = 6
"""Words of a sentence that was cut, from which it says something."""

ELLIPSIS = "…"

_TORN_START = re.compile(r"(?!a\b)[a-z]\b\W*")
"""The last letter of a word, of which the others stood before the excerpt."""

_LOWER_START = re.compile(r"[\"'“‘(\[]*[a-z]")
_CONNECTIVE = re.compile(
    r"(?:However|Moreover|Furthermore|Additionally|Also|Therefore|Thus|Hence|Indeed|Consequently|Conversely|Similarly"
    r"|Nevertheless|Finally|In (?:contrast|addition|particular|fact|turn)|By (?:contrast|comparison)"
    r"|On the (?:other hand|contrary)|For (?:example|instance)|As a (?:result|consequence)), "
)
"""What joins a sentence to the one before it and says nothing of its own."""

_PARTICIPLE = re.compile(r"\s[a-z]{2,}ed\s(?!by\b)")
"""What may be the verb of a sentence, where the list of verbs lacks it ("The FDA greenlighted …")."""

_END_MARKS = re.compile(r"[\s.,;:–-]+$")
_STOP = re.compile(r"[.!][\"'”’)\]]*$")


class Excerpt(NamedTuple):
    """Words of a sentence, as they are shown, and where they stand."""

    text: str
    span: Span


def find_excerpts(text: str, sentences: Sequence[Span]) -> Iterator[Excerpt]:
    """Of the sentences those that were cut and still have a clause, in order. None leans on what is not there."""
    for span in sentences:
        if (found := _read_excerpt(text, span)) is not None:
            yield found


def _read_excerpt(text: str, span: Span) -> Excerpt | None:
    torn = _TORN_START.match(text, span.start, span.end)
    whole = Span(torn.end() if torn else span.start, span.end)
    words = " ".join(text[whole.start : whole.end].split())
    leans = has_back_reference(_capitalize(_CONNECTIVE.sub("", words, count=1)))
    if leans or len(words.split()) < MIN_EXCERPT_WORDS or not _is_clause(words):
        return None
    before = f"{ELLIPSIS} " if torn or _LOWER_START.match(words) else ""
    after = "" if _STOP.search(words) else f" {ELLIPSIS}"
    return Excerpt(f"{before}{words}{after}", whole)


def _is_clause(words: str) -> bool:
    """Whether it would be a sentence if it began with a capital and ended with a full stop, or seems to be one."""
    sentence = f"{_capitalize(_END_MARKS.sub('', words))}."
    return is_prose(sentence) or bool(_STOP.search(words) and _PARTICIPLE.search(words))


def _capitalize(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
