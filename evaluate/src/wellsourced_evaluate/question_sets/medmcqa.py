"""MedMCQA (Pal et al., CHIL 2022): questions of Indian entrance exams, with four options.

Original: github.com/medmcqa/medmcqa, data/{train,dev,test}.json, which are lines: {"id", "question", "opa", "opb",
"opc", "opd", "cop", "exp", "subject_name", "topic_name", "choice_type"}. Here `cop` is the right option, from 1 (a
copy: github.com/Teddy-XiongGZ/MIRAGE, rawdata/medmcqa). The copy on Hugging Face (openlifescienceai/medmcqa) counts
from 0, with -1 where no answer is published; which of the two a file is, its numbers tell, or else it is refused: an
answer key that is read one off looks like any other.
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
    read_text,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.containers import read_records
from wellsourced_evaluate.question_sets.medqa import translate_choice_lines
from wellsourced_evaluate.question_sets.mirage import mirage_form
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

OPTION_FIELDS = ("opa", "opb", "opc", "opd")
LETTERS = "ABCD"
NO_ANSWER = -1


def translate_question(record: Any) -> Row:
    """An original line; `_first` is what the first option is called in its file."""
    fields = require_object(record)
    if fields.get("cop") in (None, NO_ANSWER) and not fields["_has_answers"]:
        raise SkippedRow("without a published answer")
    question = require_text(fields, "question")
    place = _require_number(fields) - fields["_first"]
    if not 0 <= place < len(LETTERS):
        raise BadRow(f"its cop {fields['cop']} is none of {fields['_first']} to {fields['_first'] + 3}")
    return {
        "id": f"medmcqa-{require_text(fields, 'id')}",
        "group": name_group("medmcqa", question),
        "question": question,
        "options": {letter: _require_option(fields, name) for letter, name in zip(LETTERS, OPTION_FIELDS, strict=True)},
        "answer": LETTERS[place],
    }


def _require_option(fields: Any, name: str) -> str:
    """Some are published empty, and are options all the same."""
    if name not in fields:
        raise BadRow(f"it has no {name}")
    return read_text(fields, name)


def _require_number(fields: Any) -> int:
    number = fields.get("cop")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadRow("it has no cop" if number is None else f"its cop “{number}” is no whole number")
    return number


def read_original(path: Path) -> Iterator[SetRecord]:
    """The lines of a file, with how its options are counted. Raises UnreadableFile where that cannot be told."""
    first, has_answers = _find_first_option(path)
    for record in read_records(path, "lines"):
        said = record.value
        more = {"_first": first, "_has_answers": has_answers}
        yield SetRecord(record.where, {**said, **more} if isinstance(said, dict) else said)


def _find_first_option(path: Path) -> tuple[int, bool]:
    """(0 or 1, whether any line has an answer)."""
    values = {one.value.get("cop") for one in read_records(path, "lines") if isinstance(one.value, dict)}
    numbers = {value for value in values if isinstance(value, int) and value != NO_ANSWER}
    if {0, 4} <= numbers:
        raise UnreadableFile(
            path, "some of its cop count the options from 0, and some from 1", "Take each file as it is published."
        )
    if numbers and numbers.isdisjoint((0, 4)):
        raise UnreadableFile(
            path,
            "its cop are all between 1 and 3, so that it cannot be told whether the first option is 0 or 1",
            "Take a larger part of the file: one with an option 0 or 4.",
        )
    return (0 if 0 in numbers else 1), bool(numbers)


MEDMCQA = PublishedSet(
    name="medmcqa",
    paper="Pal et al., CHIL 2022",
    address="https://github.com/medmcqa/medmcqa (its data are on Google Drive)",
    access="public",
    licence="MIT",
    scored="accuracy of the letter",
    forms=(
        SetForm("lines", "medmcqa.jsonl", "lines", translate_choice_lines, ("id", "question", "answer", "options")),
        SetForm(
            "release",
            "dev.json, train.json",
            "lines",
            translate_question,
            ("question", *OPTION_FIELDS),
            "",
            read_original,
        ),
        mirage_form("medmcqa"),
    ),
    files=(("dev.json",), ("data/dev.json",)),
)
