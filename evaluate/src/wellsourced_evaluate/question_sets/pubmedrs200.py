"""PubMedRS-200 (Lozano et al., PSB 2024): questions that are titles of systematic reviews, with an answer from each.

Original: github.com/som-shahlab/Clinfo.AI, PubMedRS-200/PubMedRS-200.csv, columns specialty, SubTopic, Title, Abstract,
Introduction, Methods, Results, Conclusion, PMID, Ref_PMIDs, Ref_DOIs, questions, PublishedDate, HumanQuestions,
HumanAnswer, and empty ones. Asked is the question as people put it; the reference is what people took from the review.
The review itself is the source, and may be kept out (`--regime excluded`).
"""

import re
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    SetForm,
    read_text,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.questions.case_rows import BadRow

FILE_NAME = "PubMedRS-200.csv"


def translate_pubmedrs_lines(record: Any) -> Row:
    """A line of our tables of data."""
    fields = require_object(record)
    return {
        **translate_lines(record),
        "reference": read_text(fields, "human_answer") or read_text(fields, "ideal_answer"),
        "source": read_text(fields, "source_pmid"),
        "as_of": _read_day(read_text(fields, "published")),
    }


def translate_review(record: Any) -> Row:
    """A row of the table; one for which nobody wrote an answer is asked and compared with nothing."""
    fields = require_object(record)
    pmid = require_text(fields, "PMID").removesuffix(".0")
    if not pmid.isdecimal():
        raise BadRow(f"its PMID “{pmid}” is no number")
    return {
        "id": f"prs-{pmid}",
        "group": f"prs-{pmid}",
        "question": read_text(fields, "HumanQuestions") or require_text(fields, "questions"),
        "reference": read_text(fields, "HumanAnswer"),
        "source": pmid,
        "as_of": _read_day(read_text(fields, "PublishedDate")),
    }


def _read_day(text: str) -> str | None:
    """7/9/2021, as Americans write the ninth of July, and as a spreadsheet leaves it."""
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)
    if not found:
        raise BadRow(f"its date “{text}” is no day such as 7/9/2021")
    return f"{found[3]}-{int(found[1]):02}-{int(found[2]):02}"


PUBMEDRS200 = PublishedSet(
    name="pubmedrs200",
    paper="Lozano et al., PSB 2024 (Clinfo.ai)",
    address="https://github.com/som-shahlab/Clinfo.AI",
    access="public",
    licence="MIT; the abstracts may be under their publishers' copyright",
    scored="ROUGE-L against people's answer",
    forms=(
        SetForm("lines", "pubmedrs200.jsonl", "lines", translate_pubmedrs_lines, ("id", "question", "source_pmid")),
        SetForm("release", FILE_NAME, "table", translate_review, ("PMID", "HumanQuestions", "HumanAnswer")),
    ),
    files=((FILE_NAME,), (f"PubMedRS-200/{FILE_NAME}",)),
    downloads=(
        SetDownload(
            "https://raw.githubusercontent.com/som-shahlab/Clinfo.AI/e6568fc79fe0fcf55f80582be3d6826aea8f428e/"
            f"PubMedRS-200/{FILE_NAME}",
            FILE_NAME,
        ),
    ),
)
