"""What has to be told of a query while it is read: each thing once, with its place, in the order of the places."""

from typing import Final, NoReturn

from wellsourced.errors import BadQuery

MAX_CHARACTERS: Final = 50_000
MAX_LEVELS: Final = 100
"""Of parentheses, and of operators that take turns: published strategies stay below 20."""

MAX_TERMS: Final = 50_000
"""Terms of a query once the lines that it refers to stand in their place."""

MAX_NOTES: Final = 40


class QueryNotes:
    """Notes on one query, and its refusal."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._positions: dict[str, int] = {}

    def add_note(self, at: int, sentence: str) -> None:
        """Something was repaired, or cannot be held against any record. Without a full stop."""
        self._positions.setdefault(sentence, at)

    def list_notes(self) -> tuple[str, ...]:
        """All of them; of very many, the first."""
        ordered = sorted(self._positions.items(), key=lambda note: note[1])
        lines = [f"{sentence}, at character {at + 1}" for sentence, at in ordered[:MAX_NOTES]]
        more = len(ordered) - len(lines)
        return (*lines, f"{more} further notes are not shown") if more else tuple(lines)

    def refuse(self, at: int, reason: str, remedy: str) -> NoReturn:
        """It cannot be read. Raises BadQuery."""
        raise BadQuery(self.query, at, reason, remedy)

    def check_length(self) -> None:
        """Raises BadQuery for what nobody could have written by hand."""
        if len(self.query) > MAX_CHARACTERS:
            reason = f"The query has {len(self.query):,} characters, more than {MAX_CHARACTERS:,}"
            self.refuse(MAX_CHARACTERS, reason, "Split it into several queries.")


STRAIGHT_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " "),
        **dict.fromkeys("“”„‟«»＂", '"'),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("‐‑‒–—−", "-"),
        "（": "(",
        "）": ")",
        "［": "[",
        "］": "]",
    }
)
"""Typographic characters and what they mean, one for one: every place in the query stays where it was."""


def straighten_typography(query: str) -> str:
    """The query with straight quotation marks, hyphens and brackets."""
    return query.translate(STRAIGHT_CHARACTERS)
