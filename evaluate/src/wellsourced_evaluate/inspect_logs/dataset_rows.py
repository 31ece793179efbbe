"""Cases as a data set of inspect_ai, and back: JSON lines with `input`, `target`, `choices`, `id` and `metadata`.

Its choices have no letters of their own: the first is A. What a case has besides (facts, sources, a date, a group)
stands in `metadata` under the key `wellsourced`, so that nothing is lost on the way there and back.
"""

import json
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow, QuestionCase, build_case, parse_row
from wellsourced_evaluate.recorded_rows import refuse_faults

METADATA_KEY = "wellsourced"
"""Under which metadata of a sample, or of a log, holds what is ours."""

LETTERS = string.ascii_uppercase

Row = dict[str, Any]


class CaseConversion(NamedTuple):
    """Rows in the form of our own.

    judged   rows whose target is a text, which a judge has to find in the answer
    """

    rows: tuple[Row, ...]
    judged: int


def letter_choices(choices: Sequence[str]) -> dict[str, str]:
    """Letter → text of the choices, as inspect_ai counts them. Raises BadRow for more than the alphabet has."""
    if len(choices) > len(LETTERS):
        raise BadRow(f"it has {len(choices)} choices, and only {len(LETTERS)} have letters")
    return dict(zip(LETTERS, choices, strict=False))


def relabel_gold(options: Mapping[str, str], gold: str) -> str:
    """The letter by which inspect_ai calls the right one of these options."""
    return dict(zip(options, LETTERS, strict=False)).get(gold, "")


def case_to_sample(case: QuestionCase) -> Row:
    """A case as a line of a data set. Raises BadRow for more options than the alphabet has letters."""
    known = "\n".join(one.fact for one in case.facts)
    target = relabel_gold(case.options, case.answer) if case.options else case.answer or known
    sample: Row = {"id": case.id, "input": case.question, "target": target}
    if case.options:
        sample["choices"] = list(letter_choices(list(case.options.values())).values())
    return {**sample, "metadata": {METADATA_KEY: case_to_row(case)}}


def case_to_row(case: QuestionCase) -> Row:
    """A case in the form of our own; what it does not have is left out."""
    row: Row = {
        "id": case.id,
        "question": case.question,
        "answer": case.answer,
        "options": dict(case.options),
        "facts": [{"fact": one.fact, "pattern": one.pattern} for one in case.facts if one.pattern],
        "must_have": [one.fact for one in case.facts if not one.pattern],
        "source": list(case.sources),
        "as_of": case.as_of.isoformat() if case.as_of else None,
        "answerable": case.answerable,
        "group": case.group,
    }
    return {name: value for name, value in row.items() if value not in (None, "", [], {})}


def sample_to_row(sample: Mapping[str, Any], number: int) -> Row:
    """A line of a data set in the form of our own. Raises BadRow that says what cannot be taken.

    A target without choices is the label yes, no or maybe; any other text is what the answer should say.
    """
    metadata = sample.get("metadata")
    own = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    question, id = read_input(sample.get("input")), sample.get("id")
    row: Row = {"id": str(number if id is None else id), "question": question}
    targets = read_targets(sample.get("target"))
    if choices := sample.get("choices"):
        if not isinstance(choices, list) or not all(isinstance(one, str) for one in choices):
            raise BadRow("its choices are no list of texts")
        row |= {"options": letter_choices(choices), "answer": _read_letter(targets)}
    elif len(targets) == 1 and targets[0].casefold() in YES_NO_LABELS:
        row["answer"] = targets[0].casefold()
    elif targets:
        row["must_have"] = targets
    # What was exported comes back as it was, unless somebody changed what is asked.
    if isinstance(own, dict) and own.get("question") == question:
        exported = case_to_sample(build_case({**own, "id": row["id"]}))
        if all(exported.get(name) == sample.get(name) for name in ("target", "choices")):
            return {**own, "id": row["id"]}
    return row


def read_input(given: Any) -> str:
    """What a sample asks: a text, or what the user says in a conversation. Raises BadRow."""
    if isinstance(given, str) and given.strip():
        return given.strip()
    if isinstance(given, list):
        said = [one for one in given if isinstance(one, dict) and one.get("role") == "user"]
        texts = [one["content"] for one in said if isinstance(one.get("content"), str)]
        if texts and len(texts) == len(said):
            return "\n\n".join(texts)
    raise BadRow("its input is neither a text nor a conversation of texts")


def read_targets(given: Any) -> list[str]:
    """The target, or several, as texts; what is empty is none. Raises BadRow."""
    several = given if isinstance(given, list) else [given]
    if not all(one is None or isinstance(one, str | int | float) for one in several):
        raise BadRow("its target is neither a text nor a list of texts")
    return [str(one).strip() for one in several if one is not None and str(one).strip()]


def _read_letter(targets: Sequence[str]) -> str:
    if len(targets) > 1 or any(len(one) != 1 for one in targets):
        raise BadRow(f"its target {', '.join(targets)} is not one letter: one choice has to be right")
    return targets[0].upper() if targets else ""


def write_dataset(cases: Sequence[QuestionCase], path: Path) -> None:
    """Write cases as a data set of inspect_ai. Raises UnreadableFile for a case that it cannot say."""
    lines = []
    for case in cases:
        try:
            lines.append(json.dumps(case_to_sample(case), ensure_ascii=False) + "\n")
        except BadRow as bad:
            raise UnreadableFile(path, f"the case “{case.id}” cannot be written: {bad}", "Leave it out.") from bad
    path.write_text("".join(lines), encoding="utf-8")


def read_dataset(path: Path) -> CaseConversion:
    """Every line of a data set. Raises UnreadableFile that names the lines which cannot be used."""
    rows: dict[str, tuple[int, Row]] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            row = sample_to_row(parse_row(line), number)
            build_case(row)
            if row["id"] in rows:
                raise BadRow(f"the id “{row['id']}” stands on line {rows[row['id']][0]}")
            rows[row["id"]] = number, row
        except BadRow as bad:
            faults.append(f"line {number}: {bad}")
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, "it holds no sample", 'A line reads {"id": "q1", "input": "…", "target": "yes"}.')
    return CaseConversion(tuple(row for _, row in rows.values()), sum("must_have" in row for _, row in rows.values()))
