"""What the reader of a published set of pairs is given and gives: rows in the form of our own, with their numbers.

A row has `claim`, `label` (supported, contradicted, not_enough; not_supported where a set says no more), `evidence`
or `doc_id`, and as far as known `id`, `group`, `evidence_sentences` and `votes`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wellsourced.errors import NotFoundError
from wellsourced.factcheck.load.answer_rows import read_rows

Fields = Mapping[str, Any]
Row = tuple[int, Fields]
"""The number of a line, or of a row of a table, and its fields."""

Used = TypeVar("Used")

LABEL_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("supported", "supports", "support", "entailment", "found"), "supported"),
    **dict.fromkeys(("contradicted", "contradicts", "contradict", "contradiction", "refutes"), "contradicted"),
    **dict.fromkeys(("not_enough", "not enough", "neutral", "silent", "nei"), "not_enough"),
    **dict.fromkeys(("not_supported", "not supported", "unsupported", "not found"), "not_supported"),
}
"""How published sets say a label, in small letters → how we do."""


class RejectedLine(NamedTuple):
    """A line that could not be used, and why."""

    file: str
    line: int
    reason: str


class UnusableLine(Exception):
    """Why a line cannot be used."""


class SetFile:
    """A file that is being read for pairs.

    corpus    the documents that were named with it; None: those that lie beside it, where the set has any
    rejected  lines that cannot be used, as they are met
    others    further files that were read for it
    """

    def __init__(self, path: Path, corpus: Path | None, rejected: list[RejectedLine]) -> None:
        self.path, self.corpus, self.rejected = path, corpus, rejected
        self.others: list[Path] = []
        rows = read_numbered_rows(path, rejected)
        first = next(rows, None)
        self.columns = frozenset(first[1] if first else ())
        self.rows = chain([first] if first else [], rows)

    def open_beside(self, name: str, holds: str) -> "SetFile":
        """The corpus, or the file of this name beside this one. Raises NotFoundError that says what it holds."""
        path = self.corpus or self.path.with_name(name)
        if not path.is_file():
            raise NotFoundError(f"{path} is not there: {holds} in it. Name it with --corpus.")
        self.others.append(path)
        return SetFile(path, None, self.rejected)

    def reject(self, line: int, reason: str) -> None:
        """Tell that a line cannot be used."""
        self.rejected.append(RejectedLine(self.path.name, line, reason))

    def use_rows(self, use: Callable[[Fields], Used]) -> Iterator[tuple[int, Used]]:
        """What a function makes of each row; it raises UnusableLine for a row that cannot be used."""
        for number, fields in self.rows:
            try:
                used = use(fields)
            except UnusableLine as bad:
                self.reject(number, str(bad))
            else:
                yield number, used


def read_numbered_rows(path: Path, rejected: list[RejectedLine]) -> Iterator[Row]:
    """The rows of a table, or the objects of JSON lines; what is none is told."""
    for number, row in read_rows(path):
        if isinstance(row, str):
            rejected.append(RejectedLine(path.name, number, row))
        else:
            yield number, row


def join_rows(keys: Sequence[Iterable[Hashable]]) -> list[int]:
    """For each row the place of the first one with which it shares keys, over any number of steps."""
    from scipy.cluster.hierarchy import DisjointSet

    joined, seen = DisjointSet(range(len(keys))), dict[Hashable, int]()
    for place, own in enumerate(keys):
        for key in own:
            joined.merge(place, seen.setdefault(key, place))
    first = {place: min(members) for members in joined.subsets() for place in members}
    return [first[place] for place in range(len(keys))]


def require_text(fields: Fields, name: str) -> str:
    """A field that has to have words in it. Raises UnusableLine."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnusableLine(f"it has no {name}")
    return value.strip()


def translate_label(value: Any, what: str = "label", names: Mapping[str, str] = LABEL_WORDS) -> str:
    """A label as we say it, in any of the words that sets use for it. Raises UnusableLine that names it."""
    if value is None or value == "":
        raise UnusableLine(f"it has no {what}")
    if (word := str(value).strip().casefold()) not in names:
        raise UnusableLine(f"its {what} “{value}” is none of {', '.join(names)}")
    return names[word]


def read_verdict(named: Fields) -> Fields:
    """The label of a row, given or voted for, and the votes: `votes`, or a column for each rater (`vote_1` …).

    Raises UnusableLine, also for raters who come out level.
    """
    given: Any = named.get("votes") or [value for name, value in named.items() if name.startswith("vote_")]
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, list):
        raise UnusableLine("its votes are no list")
    votes = [translate_label(word, "vote") for word in words if str(word).strip()]
    if named.get("label"):
        label = translate_label(named["label"])
    elif not votes:
        raise UnusableLine("it has no label and no votes")
    else:
        (label, most), *others = Counter(votes).most_common()
        if others and others[0][1] == most:
            raise UnusableLine("its raters come out level, so that it has no label")
    return {"label": label, **({"votes": votes} if votes else {})}
