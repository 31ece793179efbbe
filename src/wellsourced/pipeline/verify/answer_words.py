"""The “Yes:” or “No:” with which a statement may begin: it answers the question, and says nothing of the sources."""

import re

_ANSWER_WORD = re.compile(r"\s*(?P<word>yes|no)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)


def answer_word(text: str) -> str:
    """ "yes" or "no" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes or no, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    return rest if rest is text or not rest[0].islower() or _is_spelled_so(rest) else rest[0].upper() + rest[1:]


def _is_spelled_so(text: str) -> bool:
    """Whether the first word has a capital within: “pH”, “mRNA”."""
    return any(letter.isupper() for letter in text.split()[0])
