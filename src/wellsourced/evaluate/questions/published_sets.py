"""Published sets of questions: how a row of each is said in the form of our own, and what was fitted on which of them.

A function takes a row as it is published and gives one of `case_rows`, which says what is wrong with it. It raises
SkippedRow, with the kind of the row, for what nothing here can score.

A figure on data that weights or rules of this package were fitted on says little of what is new. `fitted_data.tsv` has
the set, which of its cases, what was fitted, and the script. "development": the half of a published set whose groups
have an even SHA-1, which is all that fitting has seen; "tune": of these, the groups the SHA-256 of which begins with an
odd byte; "all": every case.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from wellsourced.evaluate.questions.case_rows import YES_NO_LABELS, BadRow
from wellsourced.text.tables import read_rows

Row = dict[str, Any]


class SkippedRow(Exception):
    """The kind of a row that is not asked."""


def translate_pubmedqa(row: Row) -> Row:
    """PubMedQA (Jin et al., EMNLP 2019): yes, no or maybe, as the conclusion of one paper has it; of its year.

    Its options are the three labels, so that it is no multiple choice.
    """
    year = row.get("year")
    as_of = f"{year}-12-31" if year else None
    answer = _require_answer(row, YES_NO_LABELS)
    return {**_common_fields(row), "answer": answer, "as_of": as_of, "context": row.get("contexts")}


def translate_bioasq(row: Row) -> Row:
    """BioASQ (Tsatsaronis et al., 2015), its questions of yes or no; factoids, lists and summaries are not asked."""
    kind = row.get("type")
    if kind not in ("yesno", "factoid", "list", "summary"):
        raise BadRow(f"its type “{kind}” is none of yesno, factoid, list, summary")
    if kind != "yesno":
        raise SkippedRow(kind)
    return {**_common_fields(row), "answer": _require_answer(row, ("yes", "no"))}


def translate_choice(row: Row) -> Row:
    """MedQA, MedMCQA and MMLU as MIRAGE has them: one letter of the options is right."""
    options = row.get("options")
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    return {**_common_fields(row), "options": options, "answer": _require_answer(row, tuple(options))}


def translate_kqa(row: Row) -> Row:
    """K-QA (Manes et al., 2024): what physicians say that an answer must have."""
    if not row.get("must_have"):
        raise BadRow("it has no must_have")
    return {**_common_fields(row), "must_have": row["must_have"]}


PUBLISHED_SETS: Mapping[str, Callable[[Row], Row]] = {
    "pubmedqa": translate_pubmedqa,
    "bioasq": translate_bioasq,
    "medqa": translate_choice,
    "medmcqa": translate_choice,
    "mmlu_med": translate_choice,
    "kqa": translate_kqa,
}
"""Name of the file, and of the form → how its rows are read. What is not named here is in the form of our own."""


def _common_fields(row: Row) -> Row:
    return {**{name: row.get(name) for name in ("id", "question", "group")}, "source": row.get("gold_doc_ids")}


def _require_answer(row: Row, labels: tuple[str, ...]) -> str:
    answer = row.get("answer")
    if not answer:
        raise BadRow("it has no answer")
    if answer not in labels:
        raise BadRow(f"its answer “{answer}” is none of {', '.join(labels)}")
    return str(answer)


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
