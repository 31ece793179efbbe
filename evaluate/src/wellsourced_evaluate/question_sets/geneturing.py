"""GeneTuring (Hou and Ji, bioRxiv 2023), its module of diseases: which genes are related to a disease.

Original: the supplementary tables of the paper; github.com/ncbi/GeneGPT (Jin et al., Bioinformatics 2024) has its nine
modules as data/geneturing.json, {"Gene disease association": {"What are genes related to …?": "SLC4A1, ATP6V0A4"}}.
The answer is a list of symbols: each is a fact that the answer should say, found as a word by itself. GeneTuring gives
each question the share of its genes and takes the mean; `facts_said` is the share of all genes together.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import PublishedSet, Row, SetDownload, SetForm, SetRecord, hash_question
from wellsourced_evaluate.question_sets.json_documents import iter_members
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

MODULE = "Gene disease association"
SYMBOL = re.compile(r"[A-Za-z0-9][\w.@-]*")


def translate_question(record: Any) -> Row:
    """(module, question, answer)."""
    module, question, answer = record
    if module != MODULE:
        raise SkippedRow(f"of the module {module}")
    if not isinstance(answer, str):
        raise BadRow("its answer is no text")
    genes = list(dict.fromkeys(one.strip() for one in answer.split(",") if one.strip()))
    if not genes:
        raise BadRow("its answer names no gene")
    if odd := next((one for one in genes if not SYMBOL.fullmatch(one)), None):
        raise BadRow(f"its answer names “{odd}”, which is no symbol of a gene")
    return {
        "id": f"geneturing-{hash_question(question)[:10]}",
        "question": question,
        "facts": [{"fact": one, "pattern": rf"(?<![\w-]){re.escape(one)}(?![\w-])"} for one in genes],
    }


def read_modules(path: Path) -> Iterator[SetRecord]:
    """Each question of each module. Raises UnreadableFile where the module of diseases is missing."""
    found = False
    for module, questions in iter_members(path):
        found = found or module == MODULE
        if not isinstance(questions, dict):
            fault = BadRow("it is no object of questions")
            yield SetRecord(module, questions if isinstance(questions, BadRow) else fault)
            continue
        for number, (question, answer) in enumerate(questions.items(), 1):
            yield SetRecord(f"{module}, record {number}", (module, question, answer))
    if not found:
        raise UnreadableFile(path, f"it has no module “{MODULE}”", "Take geneturing.json of GeneGPT.")


GENETURING = PublishedSet(
    name="geneturing",
    paper="Hou and Ji, bioRxiv 2023; Jin et al., Bioinformatics 2024",
    address="https://github.com/ncbi/GeneGPT",
    access="public",
    licence="public domain (NCBI)",
    scored="share of the genes that are named (facts_said); other modules are counted",
    forms=(SetForm("release", "geneturing.json of GeneGPT", "json", translate_question, (MODULE,), "", read_modules),),
    files=(("geneturing.json",), ("data/geneturing.json",)),
    downloads=(
        SetDownload(
            "https://raw.githubusercontent.com/ncbi/GeneGPT/c93d7d334a2bb1ab2a91484c9a4545b8943ba859/data/geneturing.json",
            "geneturing.json",
        ),
    ),
)
