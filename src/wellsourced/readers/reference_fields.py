"""What office programs write into a file about it, when it means anything."""

import re

from wellsourced.readers.base import normalize_line_ends

_MEANINGLESS_TITLE = re.compile(
    r"microsoft word|word document|untitled|^document ?[0-9]*$|\.(docx?|pdf|tex|indd|qxd|rtf|dvi)\b", re.IGNORECASE
)


def clean_title(title: str) -> str:
    """The title of the work; "" for what programs put there by themselves, and for one or two words."""
    words = normalize_line_ends(title).split()
    return "" if len(words) < 3 or _MEANINGLESS_TITLE.search(title) else " ".join(words)


def clean_author_names(authors: str) -> tuple[str, ...]:
    """Names of people; a single word is the name of an account, not a person's."""
    names = (" ".join(name.split()) for name in re.split(r"[;,]|\band\b", normalize_line_ends(authors)))
    return tuple(name for name in names if " " in name)
