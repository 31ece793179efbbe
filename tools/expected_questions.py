"""Write the questions that the guideline digests answer into the package, and compute their vectors.

    python tools/expected_questions.py add FOLDER …   beside those that are there, questions as they were written
    python tools/expected_questions.py move OLD       after `make guidelines`: OLD holds the digests as they were
    python tools/expected_questions.py vectors        encode all anew (two minutes)

FOLDER holds GUIDELINE__FILE.jsonl, a question a line: {"q": "…", "lead": [14, 41], "also": [42]}, with the numbers of
lines of the digest GUIDELINE/FILE.md that answer it, and of those that belong beside them; of a question that no digest
answers {"q": "…", "near": [14]}, with the lines that stand nearest to it. Or GUIDELINE.jsonl, where
lines of all files of a guideline are named: "FILE:14". A line that the digests do
not have any more is left out, and so is a question that has no line left; both are counted.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import (
    DOCUMENTS_FILE,
    FOLDER,
    LINES_FILE,
    NEAR_MISSES_FILE,
    QUESTIONS_FILE,
    VECTORS_FILE,
    AnsweringLine,
    ExpectedQuestion,
    Floats,
    load_maps,
    load_questions,
    normalize_rows,
)
from wellsourced.readers.guidelines import DIGEST_FOLDER, read_entries, read_guidelines, read_manifest
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

PACKAGE = Path(__file__).parents[1] / "src" / Path(*FOLDER.split("."))

SEARCHED_AHEAD = 60
"""Lines of a document, after the last one that was found, among which the next one of a file is looked for."""

LARGEST = 127
"""Numbers of vectors are stored as whole ones up to this."""

Place = tuple[str, int, int]
"""A line of a document: its id, and where the line begins and ends."""


class PlacedQuestion(NamedTuple):
    """A question, and the lines that answer it, or stand nearest to it: see ExpectedQuestion."""

    text: str
    lead: tuple[Place, ...]
    also: tuple[Place, ...]
    is_answered: bool = True


def list_lines(document: Document) -> Iterator[tuple[Place, str]]:
    """The lines of a document that say something, and their plain words."""
    at = 0
    for line in document.text.split("\n"):
        start = at + len(line) - len(line.lstrip())
        if words := strip_marks(line):
            yield (document.reference.id, start, at + len(line.rstrip())), words
        at += len(line) + 1


def strip_marks(line: str) -> str:
    """The words of a line, in small letters, without Markdown, its number in a list and its table's bars."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).replace("*", "")
    words = re.findall(r"\w+", plain.lower())
    return " ".join(words[1:] if re.match(r"\s*\d+[.)]\s", plain) else words)


def place_file_lines(folder: Traversable, documents: dict[str, Document]) -> dict[tuple[str, str, int], Place]:
    """(guideline, file, number of a line) → where the line stands in the document of the guideline."""
    found: dict[tuple[str, str, int], Place] = {}
    for entry in read_entries(folder, read_manifest(folder)):
        lines, at = list(list_lines(documents[f"doi:{entry.doi}"])), 0
        for name in entry.sections:
            text = (folder / "content" / entry.id / f"{name}.md").read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                words = "" if line.startswith("#") else strip_marks(line)
                ahead = range(at, min(at + SEARCHED_AHEAD, len(lines)))
                place = next((one for one in ahead if words and lines[one][1] == words), None)
                if place is not None:
                    found[entry.id, name, number], at = lines[place][0], place
    return found


def read_written(folders: Sequence[Path]) -> Iterator[PlacedQuestion]:
    """The questions of these folders; lines that are not found are left out."""
    documents = {one.reference.id: one for one in read_guidelines()}
    places = place_file_lines(DIGEST_FOLDER, documents)
    for path in sorted(path for folder in folders for path in folder.glob("*.jsonl")):
        for row in map(json.loads, filter(str.strip, path.read_text(encoding="utf-8").splitlines())):
            is_answered = "near" not in row
            kinds = ("lead", "also") if is_answered else ("near", "also")
            named = ([_name_line(path.stem, line) for line in row.get(kind, [])] for kind in kinds)
            lead, also = (tuple(dict.fromkeys(places[one] for one in some if one in places)) for some in named)
            beside = tuple(one for one in also if one not in lead)
            yield PlacedQuestion(" ".join(row["q"].split()), lead, beside, is_answered)


def _name_line(stem: str, line: int | str) -> tuple[str, str, int]:
    """Guideline, file and number of a line that is named as in the file of this stem."""
    guideline, _, name = stem.partition("__")
    if isinstance(line, str):
        name, _, number = line.rpartition(":")
        return guideline, name, int(number)
    return guideline, name, line


def list_known() -> list[PlacedQuestion]:
    """The questions of the package, where they are."""
    return [
        PlacedQuestion(one.text, tuple(map(_place, one.lead)), tuple(map(_place, one.also)), one.is_answered)
        for one in load_questions()
    ]


def move_questions(old: Path) -> Iterator[PlacedQuestion]:
    """The questions of the package, their lines where the digests have them now."""
    before = {one.reference.id: one for one in read_guidelines(old)}
    moved: dict[Place, Place] = {}
    for document in read_guidelines():
        lines, at = list(list_lines(document)), 0
        for place, words in list_lines(before[document.reference.id]) if document.reference.id in before else ():
            found = next((one for one in range(at, len(lines)) if lines[one][1] == words), None)
            if found is not None:
                moved[place], at = lines[found][0], found
    for one in load_questions():
        lead, also = (
            tuple(moved[place] for place in map(_place, lines) if place in moved) for lines in (one.lead, one.also)
        )
        yield PlacedQuestion(one.text, lead, also, one.is_answered)


def _place(line: AnsweringLine) -> Place:
    return line.document.id, line.span.start, line.span.end


def write_questions(placed: Sequence[PlacedQuestion]) -> None:
    """Write the four tables, in the order of the digests."""
    documents = list(read_guidelines())
    order = {one.reference.id: number for number, one in enumerate(documents)}
    kept = sorted((one for one in placed if one.lead), key=lambda one: (order[one.lead[0][0]], one.lead[0], one.text))
    lines = sorted({place for one in kept for place in (*one.lead, *one.also)}, key=lambda one: (order[one[0]], one))
    numbers = {place: number for number, place in enumerate(lines)}
    _write_rows(DOCUMENTS_FILE, ((one.reference.id, hash_text(one.text), one.reference.title) for one in documents))
    _write_rows(LINES_FILE, (_describe_line(documents[order[one[0]]], order[one[0]], one) for one in lines))

    def number(places: Sequence[Place]) -> str:
        return " ".join(str(numbers[place]) for place in places)

    answered, missed = ([one for one in kept if one.is_answered == wanted] for wanted in (True, False))
    _write_rows(QUESTIONS_FILE, ((number(one.lead), number(one.also), one.text) for one in answered))
    _write_rows(NEAR_MISSES_FILE, ((number(one.lead), one.text) for one in missed))
    print(
        f"{len(answered):,} questions and {len(missed):,} near misses on {len(lines):,} lines; "
        f"left out without a line: {len(placed) - len(kept):,}"
    )


def _describe_line(document: Document, number: int, place: Place) -> tuple[str, ...]:
    _, start, end = place
    section = next((one.title for one in document.sections if one.start <= start and end <= one.end), "")
    return str(number), str(start), str(end), section, document.text[start:end]


def _write_rows(name: str, rows: Iterator[tuple[str, ...]]) -> None:
    text = "".join("\t".join(map(" ".join, map(str.split, row))) + "\n" for row in rows)
    (PACKAGE / name).write_text(text, encoding="utf-8")


def lead_under_headings(one: ExpectedQuestion) -> str:
    """The lines that answer a question, as they are encoded."""
    return f"{one.lead[0].section}\n{one.lead_text}"


def write_vectors() -> None:
    """Encode questions and lines, turn the lines as they were trained, and store both in eight bits."""
    encoder, maps, questions = MiniLM(), load_maps(), load_questions()
    asked = normalize_rows(encoder.encode([one.text for one in questions]) @ maps["to_question"].T)
    leads = normalize_rows(encoder.encode([lead_under_headings(one) for one in questions]) @ maps["of_lead"].T)
    stored = _to_whole(asked), _to_whole(leads)
    question_lengths, lead_lengths = (np.linalg.norm(rows.astype(np.float32), axis=1) for rows in stored)
    np.savez(
        PACKAGE / VECTORS_FILE,
        questions=stored[0],
        leads=stored[1],
        question_lengths=question_lengths,
        lead_lengths=lead_lengths,
    )
    print(f"vectors of {len(questions):,} questions: {PACKAGE / VECTORS_FILE}")


def _to_whole(vectors: Floats) -> np.ndarray:
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors / np.where(largest, largest, 1) * LARGEST).astype(np.int8)


def main() -> None:
    """Read the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["add", "move", "vectors"])
    parser.add_argument("folders", nargs="*", type=Path)
    given = parser.parse_args()
    if given.what == "add":
        known = list_known()
        texts = {(one.text, one.lead[:1]) for one in known}
        write_questions(known + [one for one in read_written(given.folders) if (one.text, one.lead[:1]) not in texts])
    elif given.what == "move":
        write_questions(list(move_questions(given.folders[0])))
    if given.what == "vectors":
        write_vectors()


if __name__ == "__main__":
    main()
