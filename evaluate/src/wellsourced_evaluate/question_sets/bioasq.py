"""BioASQ, task B (Tsatsaronis et al., BMC Bioinformatics 2015): questions of experts with documents and answers.

Original: participants-area.bioasq.org, training and golden files, {"questions": [{"id", "type", "body", "documents",
"snippets", "exact_answer", "ideal_answer", "concepts"}]}; documents are addresses of PubMed that end in the PMID,
ideal_answer is a text or several. Copies of the golden files stand in github.com/Teddy-XiongGZ/MIRAGE, rawdata/bioasq.
Yes or no is scored by its label, factoids and lists by exact answers, all by the ideal answer and the snippets.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    SetRecord,
    name_group,
    read_texts,
    require_label,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.json_documents import iter_listed_records, iter_members
from wellsourced_evaluate.question_sets.mirage import mirage_form
from wellsourced_evaluate.questions.case_rows import BadRow

KINDS = ("yesno", "factoid", "list", "summary")


def translate_bioasq_lines(record: Any) -> Row:
    """A line: yes or no by its `answer`, factoids and lists by theirs, a summary by its `ideal_answer`."""
    fields = require_object(record)
    kind = _read_kind(fields)
    row = {**translate_lines(record), "kind": kind, "reference": read_texts(fields, "ideal_answer")}
    row["snippets"] = _name_documents(fields.get("snippets"), "pmid")
    if kind == "yesno":
        return {**row, "answer": require_label(fields, "answer", ("yes", "no"))}
    return row if kind == "summary" else {**row, "answer": None, "exact": _require_exact(fields, "answer")}


def translate_question(record: Any) -> Row:
    """A question of an original file."""
    fields = require_object(record)
    question = require_text(fields, "body")
    kind = _read_kind(fields)
    row = {
        "id": require_text(fields, "id"),
        "group": name_group("bioasq", question),
        "question": question,
        "kind": kind,
        "source": [_read_pmid(one) for one in read_texts(fields, "documents")],
        "reference": read_texts(fields, "ideal_answer"),
        "snippets": _name_documents(fields.get("snippets"), "document"),
    }
    if kind == "yesno":
        return {**row, "answer": _read_label(fields)}
    return row if kind == "summary" else {**row, "exact": _require_exact(fields, "exact_answer")}


def _read_pmid(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def _name_documents(snippets: Any, field: str) -> Any:
    """Snippets by the PMIDs of their documents."""
    if not isinstance(snippets, list):
        return snippets
    return [{**one, "document": _read_pmid(str(one.get(field)))} if isinstance(one, dict) else one for one in snippets]


def _require_exact(fields: Any, name: str) -> Any:
    """The names of what is asked for; early rounds write one name as a text."""
    value = fields.get(name)
    if not value:
        raise BadRow(f"it has no {name}")
    return [value] if isinstance(value, str) else value


def _read_kind(fields: Any) -> str:
    kind = fields.get("type")
    if kind not in KINDS:
        raise BadRow(f"its type “{kind}” is none of {', '.join(KINDS)}")
    if kind == "summary" and not read_texts(fields, "ideal_answer"):
        raise BadRow("it is a summary and has no ideal_answer")
    return str(kind)


def _read_label(fields: Any) -> str:
    """Early rounds write "Yes", and lists of one."""
    said = read_texts(fields, "exact_answer")
    if not said:
        raise BadRow("it has no exact_answer")
    label = said[0].casefold().rstrip(".")
    if len(said) > 1 or label not in ("yes", "no"):
        raise BadRow(f"its exact_answer “{', '.join(said)}” is none of yes, no")
    return label


def read_document(path: Path) -> Iterator[SetRecord]:
    """What stands under "questions"."""
    for key, value in iter_members(path):
        if key == "questions":
            yield from iter_listed_records(value)
            return
    raise UnreadableFile(path, "it has no “questions”", "Name a training or golden file of BioASQ task B.")


BIOASQ = PublishedSet(
    name="bioasq",
    paper="Tsatsaronis et al., BMC Bioinformatics 2015",
    address="http://participants-area.bioasq.org/datasets/",
    access="on request",
    licence="BioASQ's own terms, after registration",
    scored="accuracy of yes, no; exact answers of factoids and lists; ROUGE against ideal answers; snippets",
    forms=(
        SetForm("lines", "bioasq.jsonl", "lines", translate_bioasq_lines, ("id", "question", "type")),
        SetForm(
            "release",
            "training and golden files of task B",
            "json",
            translate_question,
            ("questions", "body", "type"),
            "",
            read_document,
        ),
        mirage_form("bioasq"),
    ),
    files=(
        ("*_golden.json",),
        ("Task*BGoldenEnriched/*_golden.json",),
        ("training*b.json",),
        ("BioASQ-training*.json",),
    ),
)
