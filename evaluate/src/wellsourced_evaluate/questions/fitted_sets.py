"""What was fitted on which questions. A figure on data that weights or rules were fitted on says little of what is new.

`fitted_data.tsv` has the set, which of its cases, what was fitted, and the script. "development": the half of a
published set whose groups have an even SHA-1, which is all that fitting has seen; "tune": of these, the groups the
SHA-256 of which begins with an odd byte; "all": every case. A case is known by the name of its file and its group, and,
whatever the file is called and however few of the set it has, by its question: `fitted_questions.tsv` has a part of the
hash of each (written by wellsourced_evaluate/fitting/word_lists.py at bdac1cd3).
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import tokenize
from wellsourced_evaluate.questions.answer_run import AnswerRecord

PACKAGE = "wellsourced_evaluate.questions"

FINGERPRINT_BYTES = 5
"""Of 10,000 questions that nobody has seen, one is taken for one of 3,000 known ones in 3 of 100,000 sets."""


class FittedShare(NamedTuple):
    """What was fitted on a set, by which script, and on how many of the cases that were asked."""

    known_as: str
    what: str
    script: str
    cases: int


class SetFingerprints(NamedTuple):
    """Part of a set ("pubmedqa, development") → the fingerprints of its questions."""

    parts: Mapping[str, frozenset[bytes]]

    def find_sets(self, question: str) -> tuple[str, ...]:
        """The parts of sets that have this question."""
        mark = fingerprint_question(question)
        return tuple(name for name, marks in self.parts.items() if mark in marks)


def fingerprint_question(question: str) -> bytes:
    """The beginning of the sha256 of its words, whatever is between them."""
    return hashlib.sha256(" ".join(tokenize(question)).encode()).digest()[:FINGERPRINT_BYTES]


@cache
def fingerprint_sets() -> SetFingerprints:
    """All that `fitted_questions.tsv` has."""
    parts = {}
    for name, part, packed in read_rows(PACKAGE, "fitted_questions.tsv"):
        marks = base64.b64decode(packed)
        places = range(0, len(marks), FINGERPRINT_BYTES)
        parts[f"{name}, {part}"] = frozenset(marks[at : at + FINGERPRINT_BYTES] for at in places)
    return SetFingerprints(parts)


def list_fitted(name: str, records: Iterable[AnswerRecord]) -> list[FittedShare]:
    """What was fitted on these cases of a set: by the name of the set and their groups, and by what they ask."""
    every = list(records)
    found = []
    for set_name, part, what, script in read_rows(PACKAGE, "fitted_data.tsv"):
        cases = sum(
            f"{set_name}, {part}" in record.fitted or (set_name == name and is_among(part, record.group or record.case))
            for record in every
        )
        if cases:
            found.append(FittedShare(set_name, what, script, cases))
    return found


def is_among(which: str, group: str) -> bool:
    """Whether a group is in a part of its set, which the table names."""
    is_development = hashlib.sha1(group.encode(), usedforsecurity=False).digest()[-1] % 2 == 0
    return which == "all" or is_development
