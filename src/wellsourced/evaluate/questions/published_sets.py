"""What was fitted on which of the published sets of questions.

A figure on data that weights or rules of this package were fitted on says little of what is new. `fitted_data.tsv` has
the set, which of its cases, what was fitted, and the script. "development": the half of a published set whose groups
have an even SHA-1, which is all that fitting has seen; "tune": of these, the groups the SHA-256 of which begins with an
odd byte; "all": every case.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wellsourced.text.tables import read_rows

GROUP_PREFIXES: Mapping[str, tuple[str, int]] = {
    "bioasq": ("bq-", 12),
    "expertqa": ("oq-", 10),
    "briefcontext_medq": ("bc-", 10),
    "kqa": ("kqa-", 10),
}
"""Set → how the groups of its JSON lines begin, and how many hexadecimal digits follow; others by their names, 12."""


def hash_question(question: str) -> str:
    """The SHA-1 of its words: equal questions have one, in whatever file they stand."""
    words = " ".join(re.findall(r"[a-z0-9]+", question.lower())) or question
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()


def name_group(set_name: str, question: str) -> str:
    """The group of a question, as its JSON lines name it: so that it is known of other files too what was fitted."""
    prefix, digits = GROUP_PREFIXES.get(set_name, (f"{set_name}-", 12))
    return prefix + hash_question(question)[:digits]


class FittedShare(NamedTuple):
    """What was fitted on a set, by which script, and on how many of the cases that were asked."""

    what: str
    script: str
    cases: int


def list_fitted(name: str, groups: Iterable[str]) -> list[FittedShare]:
    """What was fitted on cases of these groups of a set, by the name of the set; nothing of a set that is not named."""
    every = list(groups)
    found = []
    for set_name, which, what, script in read_rows("wellsourced.evaluate.questions", "fitted_data.tsv"):
        if set_name == name and (cases := sum(_is_among(which, group) for group in every)):
            found.append(FittedShare(what, script, cases))
    return found


def _is_among(which: str, group: str) -> bool:
    """Whether a group is in a part of its set, which the table names."""
    is_development = hashlib.sha1(group.encode(), usedforsecurity=False).digest()[-1] % 2 == 0
    if which == "tune":
        return is_development and hashlib.sha256(group.encode()).digest()[0] % 2 == 1
    return which == "all" or is_development
