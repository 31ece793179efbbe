"""What is read in a text without answering it: signs of an emergency, identifiers.

**Emergencies.** At the first look the part "kept" of the labelled set, written before the rules, gave the rules a
sensitivity of 60/62 and a specificity of 136/137 in English; "fresh", written in freer words after them, 27/54 and
44/46; "last", written by another who had not read them, 40/76 and 94/95, and with a learnt net that had not seen it
either 71/76 and 78/95. The rules were then widened by "fresh", and the net was fitted on every part: what is printed
now is no longer what to expect of words that nobody thought of. `fitting/alarm.py` measures the net on rows that it was
not fitted on.
"""

import csv
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.deidentification import Identifier, detect_identifiers
from wellsourced.encoders.minilm import MiniLM
from wellsourced.medicine.emergencies import detect_emergency
from wellsourced.pipeline.frame.emergency_model import ModelEmergencyDetector
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, Marks, Row, count
from wellsourced_evaluate.development_data import REPOSITORY, read_rows

# --- emergencies -----------------------------------------------------------------------------------------------------

LABELLED = REPOSITORY / "tests/text/data/emergencies.tsv"
SETS = ("kqa", "medqa", "medmcqa", "mmlu_med", "bioasq", "pubmedqa", "pubmedrs200", "expertqa", "evidence_inference")


class LabelledText(NamedTuple):
    """A question; kind "none": no emergency. half: when it was written, as above; "more": to fit the net on."""

    half: str
    kind: str
    language: str
    text: str

    @property
    def is_danger(self) -> bool:
        """Whether it tells of an emergency."""
        return self.kind != "none"


def read_emergencies(path: Path = LABELLED) -> list[LabelledText]:
    """The labelled set of the tests."""
    with path.open(encoding="utf-8", newline="") as file:
        return [LabelledText(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def read_questions(data: Path) -> Iterator[tuple[str, str]]:
    """(set, question) of the development data."""
    for name in SETS:
        for row in read_rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for row in read_rows(data / "retrieval" / "medquad.queries.jsonl.gz"):
        yield "medquad", row["text"]


def mark_alarms(name: str, one: LabelledText, alarms: Mapping[str, bool]) -> Marks:
    """Whether those that look for signs are right; `alarms`: who → whether it raises one."""
    what = "sensitivity" if one.is_danger else "specificity"
    return {f"{name}, {who}: {what}": count([alarm == one.is_danger]) for who, alarm in alarms.items()}


async def measure_emergencies(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Sensitivity and specificity of the rules, and with the learnt net; alarms on the real questions of --data."""
    net = ModelEmergencyDetector(MiniLM())
    for one in options.cut(one for path in options.files or (LABELLED,) for one in read_emergencies(path)):
        alarms = {"rules": detect_emergency(one.text) is not None, "both": await net.detect(one.text) is not None}
        marks = dict(mark_alarms(f"{'en' if one.language == 'en' else 'other languages'}, {one.half}", one, alarms))
        if one.is_danger:
            marks[f"{one.kind}, both"] = count([alarms["both"]])
        is_right = alarms["both"] == one.is_danger
        yield CaseMarks(one.text, marks, "" if is_right else f"wrong: {one.kind}: {one.text}")
    for name, text in read_questions(options.data) if options.data else ():
        found = detect_emergency(text)
        told = f"alarm: {found.kind} {found.signs}: {text[:200]}" if found else ""
        yield CaseMarks(text, {f"alarms in {name}": count([found])}, told)


# --- identifiers -----------------------------------------------------------------------------------------------------

IGNORED = "institution"
NOTES = REPOSITORY / "tests/data/deidentification/development.jsonl"
PATIENTLESS = ("kqa", "medqa", "bioasq", "pubmedqa", "medmcqa", "mmlu_med", "pubmedrs200")
"""Sets of real questions that name no patient, but for a few of "medqa"."""

ABSTRACTS, WHOLE_ABSTRACT = 1_000, 400
"""Texts of each corpus that are looked at; characters from which one is no snippet."""


def mark_note(note: Row, found: Sequence[Identifier]) -> CaseMarks:
    """What of one note was found, and what was masked besides. Institutions count neither for nor against.

    note   {"id", "genre", "language", "text", "identifiers": [{"kind", "start", "end"}]}, half-open, in code points

    An identifier is found when each of its letters and digits is masked, as whatever kind.
    """
    text, identifiers = note["text"], [(one["kind"], one["start"], one["end"]) for one in note["identifiers"]]
    hidden = {at for one in found for at in range(one.start, one.end) if text[at].isalnum()}
    recall: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    masked = there_is = 0
    missed = []
    for kind, start, end in identifiers:
        there = {at for at in range(start, end) if text[at].isalnum()}
        for name in (kind,) if kind == IGNORED else (kind, "all"):
            recall[name] = (recall[name][0] + (there <= hidden), recall[name][1] + 1)
        if kind != IGNORED:
            masked, there_is = masked + len(there & hidden), there_is + len(there)
            if not there <= hidden:
                missed.append(f"{kind}: {text[start:end]}")
    ignored = {at for kind, start, end in identifiers if kind == IGNORED for at in range(start, end)}
    marked = {at for kind, start, end in identifiers if kind != IGNORED for at in range(start, end)}
    counted = [one for one in found if not ignored & set(range(one.start, one.end)) - marked]
    false = [one for one in counted if not marked & set(range(one.start, one.end))]
    marks: dict[str, tuple[float, float]] = {
        **{f"recall {kind}": share for kind, share in recall.items()},
        "recall all, by letter": (masked, there_is),
        "precision by span": (len(counted) - len(false), len(counted)),
        "precision by letter": (len(hidden & marked), len(hidden - ignored | hidden & marked)),
    }
    if "all" in recall:
        marks["notes with nothing left"] = count([not missed])
    wrong = {"missed": missed, "false": [f"{one.kind}: {text[one.start : one.end]}" for one in false]}
    return CaseMarks(
        note["id"], marks, "\n".join(f"{name}: {' | '.join(some)}" for name, some in wrong.items() if some)
    )


async def measure_identifiers(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """How many identifiers are found in notes, what else is masked; how many real texts of --data are changed."""
    for note in options.cut(row for path in options.files or (NOTES,) for row in read_rows(path)):
        yield mark_note(note, detect_identifiers(note["text"]))
    for name, text in _read_patientless(options.data) if options.data else ():
        spans = detect_identifiers(text)
        told = "".join(f"{one.kind}: {text[one.start : one.end]} in {text[:80]!r}\n" for one in spans[:1])
        yield CaseMarks(name, {f"{name}: changed, though it names no patient": count([spans])}, told)


def _read_patientless(data: Path) -> Iterator[tuple[str, str]]:
    for name in PATIENTLESS:
        for row in read_rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for name in ("research", "consumer"):
        texts = [row["text"] for row in read_rows(data / "corpora" / f"{name}.jsonl.gz")]
        texts = [text for text in texts if len(text) > WHOLE_ABSTRACT]
        for text in texts[:: max(1, len(texts) // ABSTRACTS)][:ABSTRACTS]:
            yield name, text
