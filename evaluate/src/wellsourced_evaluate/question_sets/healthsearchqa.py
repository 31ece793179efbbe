"""HealthSearchQA (Singhal et al., Nature 2023): 3,173 questions that people type into a search engine, and no answers.

Original: Supplementary Data 6 of the paper, 41586_2023_6291_MOESM6_ESM.xlsx: the first sheet has a question in each
row of its first column, and no header; the second the 140 of them that people rated. The copy on Hugging Face
(katielink/healthsearchqa) is a table with the columns id and question. Nothing is known to compare answers with: they
are counted, and can be rated by people (`wellsourced evaluate questionnaire`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced_evaluate.question_sets.base import PublishedSet, Row, SetDownload, SetForm, SetRecord, require_text
from wellsourced_evaluate.question_sets.workbook import read_first_sheet
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

FILE_NAME = "41586_2023_6291_MOESM6_ESM.xlsx"
HEADERS = ("question", "questions")


def translate_cells(record: Any) -> Row:
    """(number of the row, cells) of the workbook."""
    number, cells = record
    if number is None:
        raise SkippedRow("sheet that is not the first")
    if any(cells[1:]):
        raise BadRow(f"it has {sum(map(bool, cells))} cells, and not one question")
    return {"id": f"hsqa-{number:04}", "question": cells[0]}


def translate_row(record: Any) -> Row:
    """A row of the table."""
    return {"id": f"hsqa-{require_text(record, 'id')}", "question": require_text(record, "question")}


def read_sheet(path: Path) -> Iterator[SetRecord]:
    """The rows of the first sheet; the other sheets are counted."""
    sheet = read_first_sheet(path)
    for at, (number, cells) in enumerate(sheet.rows.items()):
        if at or cells[0].casefold() not in HEADERS:
            yield SetRecord(f"row {number}", (number, cells))
    for _ in range(sheet.others):
        yield SetRecord("", (None, ()))


HEALTHSEARCHQA = PublishedSet(
    name="healthsearchqa",
    paper="Singhal et al., Nature 2023",
    address="https://www.nature.com/articles/s41586-023-06291-2 (Supplementary Data 6)",
    access="public",
    licence="CC BY 4.0, as the article",
    scored="nothing: it has no answers; who is answered and who is not is counted",
    forms=(
        SetForm("release", FILE_NAME, "workbook", translate_cells, (), r".*(moesm6|healthsearch).*\.xlsx", read_sheet),
        SetForm("table", "CSV with id and question", "table", translate_row, ("id", "question"), r".*healthsearch.*"),
    ),
    files=((FILE_NAME,), ("HealthSearchQA.xlsx",), ("healthsearchqa.csv",)),
    downloads=(
        SetDownload(
            "https://static-content.springer.com/esm/art%3A10.1038%2Fs41586-023-06291-2/MediaObjects/" + FILE_NAME,
            FILE_NAME,
            # Two who fetched it have published this digest; the publisher gives none.
            "a89f6639ee76717e2a1ea25bbe25c8c69cf396681be76fd8145da7e9c8917e1e",
        ),
    ),
)
