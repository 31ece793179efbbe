"""What office programs write into a file about it, when it means anything."""

import re

from wellsourced.readers.base import plain

_NO_TITLE = re.compile(
    r"microsoft word|word document|untitled|^document ?[0-9]*$|\.(docx?|pdf|tex|indd|qxd|rtf|dvi)\b", re.IGNORECASE
)


def told_title(title: str) -> str:
    """The title of the work; "" for what programs put there by themselves, and for one or two words."""
    words = plain(title).split()
    return "" if len(words) < 3 or _NO_TITLE.search(title) else " ".join(words)


def told_people(authors: str) -> tuple[str, ...]:
    """Names of people; a single word is the name of an account, not a person's."""
    names = (" ".join(name.split()) for name in re.split(r"[;,]|\band\b", plain(authors)))
    return tuple(name for name in names if " " in name)
