"""Every case of every arm as a row: a table that a spreadsheet or a statistician reads."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.scores import count_marks

RUN_COLUMNS = ("set", "arm", "preset", "regime", "sha256", "seed", "model", "judge", "library", "snapshot", "code")
"""What of a run stands in each of its rows."""

CASE_COLUMNS = (
    *(
        "case",
        "group",
        "as_of",
        "answerable",
        "gold",
        "label",
        "outcome",
        "status",
        "writer",
        "probability",
        "error",
        "reason",
    ),
    *("facts_said", "facts_judged", "own_source", "queries", "query_words", "query_diversity", "passages_read"),
    *(
        "replayed",
        "searched",
        "calls",
        "cached",
        "tokens",
        "cost",
        "failed_calls",
        "model_error",
        "judge_calls",
        "judge_cost",
        "seconds",
        "at_once",
    ),
    *("prompts", "fitted", "cited", "short"),
)
"""What of a case does; `outcome` is empty where no answer is known."""

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""With which a text begins that a spreadsheet would compute."""


def write_case_table(path: Path, runs: Sequence[AnswerRun]) -> None:
    """Write a row for each case that was asked; what is not known is empty, and no text can be a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*RUN_COLUMNS, *CASE_COLUMNS))
        for run in runs:
            values = _describe_run(run)
            before = [values[name] for name in RUN_COLUMNS]
            writer.writerows([*map(_to_cell, (*before, *_case_values(one)))] for one in run.records.values())


def _describe_run(run: AnswerRun) -> Mapping[str, object]:
    header, data = run.header, run.header.data
    return {
        **{"set": data["name"], "arm": run.arm, "preset": header.preset, "regime": header.regime},
        **{"sha256": data.get("sha256"), "seed": data.get("seed"), "model": header.model, "judge": header.judge},
        **{"library": header.library, "snapshot": header.snapshot, "code": header.code},
    }


def _case_values(record: AnswerRecord) -> list[object]:
    said, judged = count_marks(record)
    own = {
        **{"facts_said": said if judged else None, "facts_judged": judged if record.marks else None},
        "outcome": record.outcome if record.gold and record.answerable is not False else "",
    }
    return [own[name] if name in own else getattr(record, name) for name in CASE_COLUMNS]


def _to_cell(value: object) -> object:
    if isinstance(value, tuple):
        value = "; ".join(map(str, value))
    if isinstance(value, str):
        value = " ".join(value.split())
        return f"'{value}" if value.startswith(FORMULA_SIGNS) else value
    return "" if value is None else value
