"""MIRAGE (Xiong et al., Findings of ACL 2024): five sets in one file, each of which is asked by itself.

Original: github.com/Teddy-XiongGZ/MIRAGE, benchmark.json, {"medqa": {"0000": {"question", "options", "answer"}},
"medmcqa", "pubmedqa", "bioasq", "mmlu"}; built from the sets' own files by rawdata/build.py, which numbers MedQA and
MMLU from 0. In PubMedQA and BioASQ the options are the labels: {"A": "yes", "B": "no"}. BriefContext's copy
(github.com/ebmlab/BriefContext) has "PMID" too.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    SetForm,
    SetRecord,
    name_group,
    require_label,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.json_documents import iter_members
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow

ID_PREFIXES = {"medqa": "medqa-", "medmcqa": "medmcqa-", "mmlu": "mmlu-"}
"""What stands before MIRAGE's ids in JSON lines of the same sets; PubMedQA and BioASQ keep theirs."""

SET_NAMES = {"mmlu": "mmlu_med"}
"""What is called otherwise here."""


def mirage_form(member: str) -> SetForm:
    """The form in which one of its five sets stands in benchmark.json."""

    def read(path: Path) -> Iterator[SetRecord]:
        return _read_member(path, member)

    translate: Callable[[Any], Row] = _translate_choice
    if member in ("pubmedqa", "bioasq"):
        translate = _translate_label
    return SetForm(
        "MIRAGE", "benchmark.json of MIRAGE", "json", translate, ("medqa", "question", "options", "answer"), "", read
    )


def _read_member(path: Path, member: str) -> Iterator[SetRecord]:
    """The questions of one set; the file has to have it."""
    for key, value in iter_members(path):
        if key == member:
            if isinstance(value, BadRow) or not isinstance(value, dict):
                raise UnreadableFile(path, f"its member {member} is no object of questions", "Fetch it again.")
            for number, (id, fields) in enumerate(value.items(), 1):
                where = f"{member}, record {number} ({id})"
                said = {**fields, "_key": id, "_set": member} if isinstance(fields, dict) else fields
                yield SetRecord(where, said)
            return
    raise UnreadableFile(path, f"it has no member {member}", "Name another file, or another set with --format.")


def _translate_choice(record: Any) -> Row:
    """One letter of the options is right."""
    fields = require_object(record)
    options = fields.get("options")
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    question, member = require_text(fields, "question"), fields["_set"]
    return {
        "id": ID_PREFIXES.get(member, "") + fields["_key"],
        "group": _group(member, question, fields["_key"]),
        "question": question,
        "options": options,
        "answer": require_label(fields, "answer", tuple(options)),
    }


def _translate_label(record: Any) -> Row:
    """The letter stands for yes, no or maybe; the key of PubMedQA is the paper's PMID."""
    row = _translate_choice(record)
    label = row.pop("options")[row["answer"]]
    if label not in YES_NO_LABELS:
        raise BadRow(f"its option “{label}” is none of {', '.join(YES_NO_LABELS)}")
    named = record.get("PMID") or (record["_key"] if record["_set"] == "pubmedqa" else None)
    several = named if isinstance(named, list) else [named] if named else []
    return {**row, "answer": label, "source": [str(one) for one in several]}


def _group(member: str, question: str, key: str) -> str:
    return key if member == "pubmedqa" else name_group(SET_NAMES.get(member, member), question)


def _refuse_whole(record: Any) -> Row:  # noqa: ARG001 (every form translates)
    raise BadRow("MIRAGE is read set by set")


MIRAGE = PublishedSet(
    name="mirage",
    paper="Xiong et al., Findings of ACL 2024",
    address="https://github.com/Teddy-XiongGZ/MIRAGE",
    access="public",
    licence="public domain (NCBI), MIT and others for the five sets",
    scored="accuracy, each of its five sets by itself",
    forms=(SetForm("release", "benchmark.json", "json", _refuse_whole, ("medqa", "question", "options", "answer")),),
    files=(("benchmark.json",), ("mirage_benchmark.json",)),
    downloads=(
        SetDownload(
            "https://raw.githubusercontent.com/Teddy-XiongGZ/MIRAGE/224ebe9a721e1bc525a07b10eceb01ed52df7b29/"
            "benchmark.json",
            "benchmark.json",
        ),
    ),
    parts=("medqa", "medmcqa", "pubmedqa_star", "bioasq", "mmlu_med"),
)
