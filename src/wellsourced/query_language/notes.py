"""What has to be told of a query while it is read: each thing once, with its place, in the order of the places."""

from typing import Final, NoReturn

from wellsourced.errors import BadQuery

MOST_CHARACTERS: Final = 50_000
MOST_LEVELS: Final = 100
"""Of parentheses, and of operators that take turns: published strategies stay below 20."""

MOST_PARTS: Final = 50_000
"""Terms of a query once the lines that it refers to stand in their place."""

MOST_NOTES: Final = 40


class Notes:
    """Notes on one query, and its refusal."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._said: dict[str, int] = {}

    def tell(self, at: int, sentence: str) -> None:
        """Something was repaired, or cannot be held against any record. Without a full stop."""
        self._said.setdefault(sentence, at)

    def told(self) -> tuple[str, ...]:
        """All of them; of very many, the first."""
        ordered = sorted(self._said.items(), key=lambda note: note[1])
        lines = [f"{sentence}, at character {at + 1}" for sentence, at in ordered[:MOST_NOTES]]
        more = len(ordered) - len(lines)
        return (*lines, f"{more} further notes are not shown") if more else tuple(lines)

    def refuse(self, at: int, reason: str, remedy: str) -> NoReturn:
        """It cannot be read. Raises BadQuery."""
        raise BadQuery(self.query, at, reason, remedy)

    def check_length(self) -> None:
        """Raises BadQuery for what nobody could have written by hand."""
        if len(self.query) > MOST_CHARACTERS:
            reason = f"The query has {len(self.query):,} characters, more than {MOST_CHARACTERS:,}"
            self.refuse(MOST_CHARACTERS, reason, "Split it into several queries.")


STRAIGHT = str.maketrans(
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


def straightened(query: str) -> str:
    """The query with straight quotation marks, hyphens and brackets."""
    return query.translate(STRAIGHT)
