"""What a published set of pairs is, and what its reader is given and gives: lines in the form of our own.

A line has `claim`, `label` (supported, contradicted, not_enough; not_supported where a set says no more), `evidence`
or `doc_id`, and as far as known `id`, `group`, `evidence_sentences` and `votes`.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.factcheck.load.answer_rows import TABLE_ENDINGS, read_rows
from wellsourced.readers.decompressed_file import iter_lines

Fields = Mapping[str, Any]

LABEL_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("supported", "supports", "support", "entailment", "found"), "supported"),
    **dict.fromkeys(("contradicted", "contradicts", "contradict", "contradiction", "refutes"), "contradicted"),
    **dict.fromkeys(("not_enough", "not enough", "neutral", "silent"), "not_enough"),
    **dict.fromkeys(("not_supported", "not supported", "unsupported", "not found"), "not_supported"),
}
"""How published sets say a label, in small letters → how we do."""


class PairLine(NamedTuple):
    """A pair in the form of our own, and where in its file it stands."""

    file: str
    line: int
    fields: Fields


class RejectedLine(NamedTuple):
    """A line that could not be used, and why."""

    file: str
    line: int
    reason: str


class UnusableLine(Exception):
    """Why a line cannot be used."""


class SetFile:
    """A file of pairs that is being read.

    rows      number of a line, or of a row of a table → its fields
    corpus    the documents that were named with it; None: those that lie beside it, where the set has any
    rejected  lines that cannot be used, as they are met
    others    further files that were read for it
    """

    def __init__(
        self, path: Path, rows: Iterable[tuple[int, Fields]], corpus: Path | None, rejected: list[Any]
    ) -> None:
        self.path, self.rows, self.corpus, self.rejected = path, rows, corpus, rejected
        self.others: list[Path] = []

    def reject(self, line: int, reason: str) -> None:
        """Tell that a line cannot be used."""
        self.rejected.append(RejectedLine(self.path.name, line, reason))

    def translate(self, say_pairs: Callable[[Fields], Iterable[Fields]]) -> Iterator[PairLine]:
        """The pairs of each row, by a function that raises UnusableLine for a row that has none."""
        for number, fields in self.rows:
            try:
                yield from [PairLine(self.path.name, number, one) for one in say_pairs(fields)]
            except UnusableLine as bad:
                self.reject(number, str(bad))


class PairSet(NamedTuple):
    """A published set of pairs.

    about   what it is, and who made it
    keys    a row that has all fields of one of these is of this set
    read    the pairs of a file
    """

    name: str
    about: str
    keys: tuple[frozenset[str], ...]
    read: Callable[[SetFile], Iterator[PairLine]]

    def recognises(self, fields: Fields) -> bool:
        """Whether a row is of this set."""
        return any(one <= fields.keys() for one in self.keys)


def read_numbered_rows(path: Path, rejected: list[RejectedLine]) -> Iterator[tuple[int, Fields]]:
    """The rows of a table, by the ending of its name, or the JSON objects of lines; what is none is told."""
    if path.name.lower().endswith(TABLE_ENDINGS):
        for number, row in read_rows(path):
            if isinstance(row, str):
                rejected.append(RejectedLine(path.name, number, row))
            else:
                yield number, row
        return
    for number, line in iter_lines(path):
        try:
            fields = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            rejected.append(RejectedLine(path.name, number, "it is no JSON"))
            continue
        if isinstance(fields, dict):
            yield number, fields
        else:
            rejected.append(RejectedLine(path.name, number, "it is no JSON object"))


def require_text(fields: Fields, name: str) -> str:
    """A field that has to have words in it. Raises UnusableLine."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnusableLine(f"it has no {name}")
    return value.strip()


def translate_label(value: Any, names: Mapping[str, str], what: str = "label") -> str:
    """A label as we say it. Raises UnusableLine that names it."""
    if value is None or value == "":
        raise UnusableLine(f"it has no {what}")
    if str(value) not in names:
        raise UnusableLine(f"its {what} “{value}” is none of {', '.join(names)}")
    return names[str(value)]


def translate_word(value: Any, what: str) -> str:
    """A label in any of the words that sets use for it. Raises UnusableLine that names it."""
    if (word := str(value).strip().casefold()) not in LABEL_WORDS:
        raise UnusableLine(f"its {what} “{value}” is none of {', '.join(LABEL_WORDS)}")
    return LABEL_WORDS[word]


def read_verdict(named: Fields) -> Fields:
    """The label of a row, given or voted for, and the votes: `votes`, or a column for each rater (`vote_1` …).

    Raises UnusableLine, also for raters who come out level.
    """
    votes = _read_votes(named)
    label = translate_word(named["label"], "label") if named.get("label") else _find_majority(votes)
    return {"label": label, **({"votes": votes} if votes else {})}


def _read_votes(named: Fields) -> list[str]:
    given: Any = named.get("votes") or [value for name, value in named.items() if name.startswith("vote_")]
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, list):
        raise UnusableLine("its votes are no list")
    return [translate_word(word, "vote") for word in words if str(word).strip()]


def _find_majority(votes: list[str]) -> str:
    if not votes:
        raise UnusableLine("it has no label and no votes")
    (first, most), *others = Counter(votes).most_common()
    if others and others[0][1] == most:
        raise UnusableLine("its raters come out level, so that it has no label")
    return first
