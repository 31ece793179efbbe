"""The processed files of Omni-RAG (Chen et al., ACL 2025): several sets in one list, with the options in the question.

Original: github.com/Jack-ZC8/Omni-RAG-Medical, data/data_processed/{train,dev,test}_{short,long}.json, [{"id",
"question", "gold", "name", "long"}]. In the short ones the options stand at the end of the question, a line each (“A.
…”; beyond Z come a, b, …), and gold is a letter; in the long ones gold is a text.

SEER stands only here: records of breast cancer, and which of seven orders of radiation and surgery was chosen. They
are of the register of the US National Cancer Institute (seer.cancer.gov), whose own files are given under an
agreement and are not read. The answer is what was done, not what should have been; “Radiation recode”, which is among
the fields, all but says it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters, ascii_uppercase
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    SetRecord,
    read_text,
    require_label,
    require_object,
)
from wellsourced_evaluate.question_sets.json_documents import iter_keyed_records
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

MARKERS = ("id", "question", "gold", "name", "long")
LETTERS = ascii_uppercase + ascii_letters[:26]
OPTION = re.compile(r"^([A-Za-z])\. ?(.*)$", re.MULTILINE)


def omni_rag_form(name: str, *, long: bool) -> SetForm:
    """The form in which the set of this name stands there; what is of other sets is counted."""

    def read(path: Path) -> Iterator[SetRecord]:
        for record in iter_keyed_records(path):
            said = record.value
            yield SetRecord(record.where, {**said, "_wanted": name} if isinstance(said, dict) else said)

    files = "test_long.json" if long else "test_short.json"
    translate = _translate_long if long else _translate_short
    return SetForm("Omni-RAG", f"{files} of Omni-RAG, of it {name}", "json", translate, MARKERS, "", read)


def _require_own(record: Any) -> dict[str, Any]:
    fields = dict(require_object(record))
    if fields.get("name") != fields["_wanted"]:
        raise SkippedRow(f"of {fields.get('name')}")
    if fields.get("question") is not None and not read_text(fields, "question"):
        raise SkippedRow("published without a question")
    return fields


def _translate_long(record: Any) -> Row:
    """Two of its questions have no answer: they are asked, and compared with nothing."""
    fields = _require_own(record)
    return {"id": fields.get("id"), "question": fields.get("question"), "reference": read_text(fields, "gold")}


def _translate_short(record: Any) -> Row:
    fields = _require_own(record)
    question, options = split_options(read_text(fields, "question"))
    answer = require_label(fields, "gold", tuple(options))
    return {"id": fields.get("id"), "question": question, "options": options, "answer": answer}


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """The question, and the options that stand at its end: the last “A. ” at the beginning of a line, and what follows.

    Raises BadRow where there are not two of them, or their letters are not in order.
    """
    found = list(OPTION.finditer(text))
    first = next((at for at in range(len(found) - 1, -1, -1) if found[at][1] == "A"), None)
    if first is None:
        raise BadRow("its question ends in no options “A. …”")
    listed = found[first:]
    letters = [one[1] for one in listed]
    if len(letters) < 2 or letters != list(LETTERS[: len(letters)]):
        raise BadRow(f"its options are called {', '.join(letters)}, and not A, B, …")
    ends = [*(one.start() for one in listed[1:]), len(text)]
    options = {one[1]: text[one.start(2) : end].strip() for one, end in zip(listed, ends, strict=True)}
    return text[: listed[0].start()].strip(), options


SHORT_FILES, LONG_FILES = (
    tuple((f"{folder}{name}",) for folder in ("", "data/data_processed/", "data_processed/"))
    for name in ("test_short.json", "test_long.json")
)
"""Where they lie in a copy of the repository."""

SEER = PublishedSet(
    name="seer",
    paper="Chen et al., ACL 2025 (Omni-RAG)",
    address="https://github.com/Jack-ZC8/Omni-RAG-Medical",
    access="public",
    licence="Apache 2.0 for the questions; the register's own files need its agreement",
    scored="accuracy of the letter, of seven",
    forms=(omni_rag_form("seer", long=False),),
    files=SHORT_FILES,
)
