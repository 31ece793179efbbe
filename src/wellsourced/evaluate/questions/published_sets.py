"""Published sets of questions: how a row of each is said in the form of our own.

A function takes a row as it is published and gives one of `case_rows`, which says what is wrong with it. It raises
SkippedRow, with the kind of the row, for what nothing here can score.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wellsourced.evaluate.questions.case_rows import YES_NO_LABELS, BadRow

Row = dict[str, Any]


class SkippedRow(Exception):
    """The kind of a row that is not asked."""


def translate_pubmedqa(row: Row) -> Row:
    """PubMedQA (Jin et al., EMNLP 2019): yes, no or maybe, as the conclusion of one paper has it; of its year.

    Its options are the three labels, so that it is no multiple choice.
    """
    year = row.get("year")
    as_of = f"{year}-12-31" if year else None
    return {**_common_fields(row), "answer": _require_answer(row, YES_NO_LABELS), "as_of": as_of}


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
