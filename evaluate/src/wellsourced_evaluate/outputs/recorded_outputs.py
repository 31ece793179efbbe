"""Recorded outputs of language models to multiple choice: JSON lines, and the choice that our own parser reads in each.

    {"id": "o1", "raw_output": "…", "options": {"A": "…", "B": "…"}, "gold": "B", "dataset": "medqa",
     "question_id": "q1", "model": "gpt-4", "mode": "cot", "group": "…", "parsed_choice": "B", "correct": true}

Only the first four have to be there. What `model` answers in `mode` is an arm; `question_id` pairs arms.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.pipeline.write.options import ANSWER_FIELD, ChoiceReading, read_reply_choice
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.text.sanitization import drop_thoughts
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.questions.case_rows import BadRow, parse_row, read_options, read_text
from wellsourced_evaluate.recorded_summaries import draw_cases, refuse_faults

LINE_FORMAT = 'A line reads {"id": "o1", "raw_output": "…", "options": {"A": "…", "B": "…"}, "gold": "B"}.'

MAX_ARMS = 100
"""Of a file: names beyond that are no names of models and modes."""

OutputOutcome = Literal["right", "wrong", "unparsed"]
OUTPUT_OUTCOMES: tuple[OutputOutcome, ...] = ("right", "wrong", "unparsed")


class RecordedOutput(NamedTuple):
    """What a model wrote for one question.

    published   the choice that was read when it was published, "" for none; None: not recorded
    correct     whether that was scored as right; None: not recorded
    """

    id: str
    group: str
    dataset: str
    question: str
    model: str
    mode: str
    text: str
    options: Mapping[str, str]
    gold: str
    published: str | None = None
    correct: bool | None = None

    @property
    def arm(self) -> str:
        """Who answered, and how."""
        return ", ".join(filter(None, (self.model, self.mode))) or "all"


class ReadOutput(NamedTuple):
    """An output, and what our parser reads in it; an output that chooses nothing is a class of its own."""

    output: RecordedOutput
    reading: ChoiceReading

    @property
    def outcome(self) -> OutputOutcome:
        """Right, wrong or unparsed: what is unparsed is not right, and no letter."""
        if not self.reading.key:
            return "unparsed"
        return "right" if self.reading.key == self.output.gold else "wrong"

    @property
    def form(self) -> str:
        """What the output looks like: JSON, JSON among words, words; and how it chooses."""
        text = self.output.text.strip()
        if not ANSWER_FIELD.search(text):
            return f"words: {self.reading.manner}"
        is_whole = text.startswith("{") and text.endswith("}")
        return f"{'JSON' if is_whole else 'JSON among words, or cut off'}: {self.reading.manner}"

    def to_json(self) -> dict[str, Any]:
        """The case, for programs."""
        output = self.output
        return {
            **{"id": output.id, "set": output.dataset, "question": output.question, "arm": output.arm},
            **{"gold": output.gold, "choice": self.reading.key or None, "manner": self.reading.manner},
            **{"outcome": self.outcome, "recorded": output.published or None, "recorded_correct": output.correct},
        }


class RecordedOutputs(NamedTuple):
    """All outputs of a file that are read, which file, and how many it has."""

    rows: tuple[ReadOutput, ...]
    file: str
    sha256: str
    recorded: int


def read_outputs(path: Path, limit: int = 0) -> RecordedOutputs:
    """Every output of a file; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile that names the lines which cannot be used.
    """
    rows: list[RecordedOutput] = []
    lines: dict[tuple[str, ...], int] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            row = _build_output(parse_row(line))
            for what, key in (("the id", (row.id,)), ("the question", (row.arm, row.dataset, row.question))):
                if key in lines:
                    raise BadRow(f"{what} “{key[-1]}” of this arm stands on line {lines[key]} already")
                lines[key] = number
            rows.append(row)
        except BadRow as bad:
            faults.append(f"line {number}: {bad}")
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, "it holds no output", LINE_FORMAT)
    if (arms := len({row.arm for row in rows})) > MAX_ARMS:
        raise UnreadableFile(path, f"it has {arms:,} pairs of model and mode", f"At most {MAX_ARMS} are compared.")
    drawn = draw_cases(rows, limit)
    return RecordedOutputs(tuple(map(read_output, drawn)), path.name, hash_file(path)[:16], len(rows))


def read_output(output: RecordedOutput) -> ReadOutput:
    """What a real reply goes through: thoughts are dropped, and the choice is read in the rest."""
    return ReadOutput(output, read_reply_choice(drop_thoughts(output.text), output.options))


def _build_output(row: Mapping[str, Any]) -> RecordedOutput:
    options = read_options(row.get("options"))
    if not options:
        raise BadRow("it has no options")
    id, gold, text = read_text(row, "id"), read_text(row, "gold"), row.get("raw_output")
    if gold not in options:
        raise BadRow(f"its gold “{gold}” is none of {', '.join(options)}")
    if not isinstance(text, str):
        raise BadRow("it has no raw_output" if text is None else "its raw_output is no text")
    names = {name: read_text(row, name, needed=False) for name in ("group", "dataset", "question_id", "model", "mode")}
    question = names["question_id"] or id
    group = names["group"] or question
    published, correct = _read_published(row, options)
    return RecordedOutput(
        id, group, names["dataset"], question, names["model"], names["mode"], text, options, gold, published, correct
    )


def _read_published(row: Mapping[str, Any], options: Mapping[str, str]) -> tuple[str | None, bool | None]:
    published, correct = row.get("parsed_choice"), row.get("correct")
    if published is not None and published not in options:
        raise BadRow(f"its parsed_choice “{published}” is none of {', '.join(options)}")
    if correct not in (None, True, False):
        raise BadRow("its correct is neither true nor false")
    return (published or "") if "parsed_choice" in row else None, correct
