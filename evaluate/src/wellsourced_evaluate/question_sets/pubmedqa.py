"""PubMedQA (Jin et al., EMNLP 2019): questions that are titles of papers, answered yes, no or maybe by their abstracts.

Original: github.com/pubmedqa/pubmedqa, data/ori_pqal.json and ori_pqaa.json, {PMID: {"QUESTION", "CONTEXTS", "LABELS",
"MESHES", "YEAR", "final_decision", "LONG_ANSWER", …}}; data/test_ground_truth.json, {PMID: label}, says which 500 of
the labelled ones are the test. PubMedQA* (Xiong et al., 2024, MIRAGE) is these 500 without their contexts; contexts
are never shown to what is measured here, so that the two differ in their questions alone.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    SetForm,
    SetRecord,
    read_text,
    read_texts,
    require_label,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.json_documents import iter_keyed_records, iter_members
from wellsourced_evaluate.question_sets.mirage import mirage_form
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow, SkippedRow

COMMIT = "1cbae8e92f72f20c8d3747cbb3bf5bc53554d997"
URL = f"https://raw.githubusercontent.com/pubmedqa/pubmedqa/{COMMIT}/data/"
QUESTIONS, LABELS = "ori_pqal.json", "test_ground_truth.json"


def translate_pubmedqa_lines(record: Any) -> Row:
    """A line, with the year of its paper; its options are the three labels, so that it is no multiple choice."""
    row, fields = translate_lines(record), require_object(record)
    answer = require_label(fields, "answer", YES_NO_LABELS)
    known = {"as_of": _last_day(fields, "year"), "reference": read_text(fields, "ideal_answer")}
    return {**row, "answer": answer, **known, "context": read_texts(fields, "contexts")}


def translate_star_lines(record: Any) -> Row:
    """A line of the official test; others are not asked."""
    if not require_object(record).get("official_test"):
        raise SkippedRow("not in the official test")
    return translate_pubmedqa_lines(record)


def translate_original(record: Any) -> Row:
    """A member of ori_pqal.json or ori_pqaa.json: its key is the PMID. Of ori_pqau.json no answer is published."""
    fields = require_object(record)
    pmid = require_text(fields, "_key")
    if not pmid.isdecimal():
        raise BadRow(f"its key “{pmid}” is no PMID")
    if "final_decision" not in fields:
        raise SkippedRow("without a published answer")
    return {
        "id": pmid,
        "group": pmid,
        "question": require_text(fields, "QUESTION"),
        "answer": require_label(fields, "final_decision", YES_NO_LABELS),
        "source": pmid,
        "as_of": _last_day(fields, "YEAR"),
        "reference": read_text(fields, "LONG_ANSWER"),
        "context": read_texts(fields, "CONTEXTS"),
    }


def _last_day(fields: Any, name: str) -> str | None:
    year = read_text(fields, name)
    if year and not re.fullmatch(r"\d{4}", year):
        raise BadRow(f"its {name} “{year}” is no year")
    return f"{year}-12-31" if year else None


def read_official_test(path: Path) -> Iterator[SetRecord]:
    """The questions whose labels a file has, from the questions beside it; labels that differ are faults."""
    beside = path.with_name(QUESTIONS)
    if not beside.is_file():
        reason = f"it holds labels only, and {QUESTIONS}, which has their questions, is not beside it"
        raise UnreadableFile(path, reason, f"Put {QUESTIONS} into the same folder.")
    records = {record.value.get("_key"): record.value for record in iter_keyed_records(beside)
               if isinstance(record.value, dict)}  # fmt: skip
    for number, (pmid, label) in enumerate(iter_members(path), 1):
        where = f"record {number} ({pmid})"
        value: Any = records.get(pmid)
        if isinstance(label, BadRow):
            value = label
        elif value is None:
            value = BadRow(f"{QUESTIONS} has no such question")
        elif value.get("final_decision") != label:
            value = BadRow(f"its label is “{label}”, and in {QUESTIONS} “{value.get('final_decision')}”")
        yield SetRecord(where, value)


ORIGINAL = SetForm(
    "release", "ori_pqal.json, ori_pqaa.json", "json", translate_original, ("QUESTION", "final_decision", "CONTEXTS")
)
TEST = SetForm(
    "test labels", f"{LABELS} with {QUESTIONS} beside it", "json", translate_original, (), LABELS, read_official_test
)
DOWNLOADS = (
    # The digests are those that several who fetched this commit have published; the authors give none.
    SetDownload(URL + QUESTIONS, QUESTIONS, "8b3276be8942ebbd77f3ddcda12c1749bf0e490045a736fd8438ee40cf37a41d"),
    SetDownload(URL + LABELS, LABELS, "939fe566f09017d13b1ca64d2ddfee0bc2374b366048152997669cccedc44d51"),
)
PUBMEDQA = PublishedSet(
    name="pubmedqa",
    paper="Jin et al., EMNLP 2019",
    address="https://github.com/pubmedqa/pubmedqa",
    access="public",
    licence="MIT; the abstracts may be under their publishers' copyright",
    scored="accuracy of yes, no, maybe; ROUGE-L against the conclusion",
    forms=(
        SetForm("lines", "pubmedqa.jsonl", "lines", translate_pubmedqa_lines, ("id", "question", "answer")),
        ORIGINAL,
        SetForm("unlabelled", "ori_pqau.json", "json", translate_original, ("QUESTION", "CONTEXTS")),
    ),
    files=((QUESTIONS,), (f"data/{QUESTIONS}",), ("ori_pqaa.json",)),
    downloads=DOWNLOADS,
)
PUBMEDQA_STAR = PublishedSet(
    name="pubmedqa_star",
    paper="Xiong et al., Findings of ACL 2024 (MIRAGE), of Jin et al., EMNLP 2019",
    address="https://github.com/pubmedqa/pubmedqa, or https://github.com/Teddy-XiongGZ/MIRAGE",
    access="public",
    licence=PUBMEDQA.licence,
    scored="accuracy of yes, no, maybe, on the official test",
    forms=(
        TEST,
        mirage_form("pubmedqa"),
        SetForm("release", "test_set.json", "json", translate_original, ("QUESTION", "CONTEXTS"), r"test_set\.json.*"),
        SetForm("lines", "pubmedqa.jsonl, of it the official test", "lines", translate_star_lines, ("official_test",)),
    ),
    files=((LABELS,), (f"data/{LABELS}",), ("test_set.json",), ("pubmedqa.jsonl*",)),
    downloads=DOWNLOADS,
    rows_of="pubmedqa",
)
