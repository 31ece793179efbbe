"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin."""

import re

from wellsourced.lazy import lazy_regex

_ANSWER_WORD = lazy_regex(r"\s*(?P<word>yes|no|maybe)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)
"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin: it answers the question, and says nothing of the
sources."""


def answer_word(text: str) -> str:
    """ "yes", "no" or "maybe" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes, no or maybe, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    # “pH” and “mRNA” have a capital within, and keep their first letter.
    if rest is text or not rest[0].islower() or any(letter.isupper() for letter in rest.split()[0]):
        return rest
    return rest[0].upper() + rest[1:]
