"""Write the questions that the guideline digests answer into the package, and compute their vectors.

    python tools/expected_questions.py add FOLDER …   beside those that are there, questions as they were written
    python tools/expected_questions.py move OLD       after `make guidelines`: OLD holds the digests as they were, and
                                                      their manifest
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
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import (
    DOCUMENTS_FILE,
    FILES_FILE,
    FOLDER,
    LINES_FILE,
    MAPS_FILE,
    NEAR_MISSES_FILE,
    QUESTIONS_FILE,
    VECTORS_FILE,
    AnsweringLine,
    ExpectedQuestion,
    Floats,
    PackedVectors,
    hash_words,
    load_maps,
    load_questions,
    normalize_rows,
    read_bank,
)
from wellsourced.readers.guidelines import (
    MANIFEST_FILE,
    GuidelineDigests,
    GuidelineManifest,
    document_id,
    load_digests,
    read_digests,
    read_guidelines,
    render_digest,
)
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

PACKAGE = Path(__file__).parents[1] / "src" / Path(*FOLDER.split("."))

SEARCHED_AHEAD = 60
"""Lines of a document, after the last one that was found, among which the next one of a file is looked for."""

QUESTION_STEP, LEAD_STEP = 0.003, 0.004
"""Of the numbers of packed vectors. Half of them makes the file greater by a quarter, twice of them moves one cosine in
a hundred by .005. Those of the questions count twice as much in what is made of them."""

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


def place_file_lines(digests: GuidelineDigests, documents: dict[str, Document]) -> dict[tuple[str, str, int], Place]:
    """(guideline, file, number of a line) → where the line stands in the document of the guideline."""
    found: dict[tuple[str, str, int], Place] = {}
    for entry in digests.entries.values():
        lines, at = list(list_lines(documents[document_id(entry)])), 0
        for name, path in zip(entry.sections, entry.paths, strict=True):
            for number, line in enumerate(digests.texts[path].splitlines(), 1):
                words = "" if line.startswith("#") else strip_marks(line)
                ahead = range(at, min(at + SEARCHED_AHEAD, len(lines)))
                place = next((one for one in ahead if words and lines[one][1] == words), None)
                if place is not None:
                    found[entry.id, name, number], at = lines[place][0], place
    return found


def read_written(folders: Sequence[Path]) -> Iterator[PlacedQuestion]:
    """The questions of these folders; lines that are not found are left out."""
    documents = {one.reference.id: one for one in read_guidelines()}
    places = place_file_lines(load_digests(), documents)
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


def move_questions(folder: Path) -> Iterator[PlacedQuestion]:
    """The questions of the package, which are on the digests of this folder, their lines where they stand now."""
    manifest = GuidelineManifest.model_validate_json((folder / MANIFEST_FILE).read_bytes())
    old = read_digests(folder, manifest.version, manifest)
    before = {one.reference.id: one for one in read_guidelines(old)}
    moved: dict[Place, Place] = {}
    for document in read_guidelines():
        lines, at = list(list_lines(document)), 0
        for place, words in list_lines(before[document.reference.id]) if document.reference.id in before else ():
            found = next((one for one in range(at, len(lines)) if lines[one][1] == words), None)
            if found is not None:
                moved[place], at = lines[found][0], found
    for one in read_bank(old):
        lead, also = (
            tuple(moved[place] for place in map(_place, lines) if place in moved) for lines in (one.lead, one.also)
        )
        yield PlacedQuestion(one.text, lead, also, one.is_answered)


def _place(line: AnsweringLine) -> Place:
    return line.document.id, line.span.start, line.span.end


def write_questions(placed: Sequence[PlacedQuestion]) -> None:
    """Write the five tables, in the order of the digests."""
    digests = load_digests()
    documents = [one.text for one in read_guidelines()]
    order = {document_id(entry): number for number, entry in enumerate(digests.entries.values())}
    kept = sorted((one for one in placed if one.lead), key=lambda one: (order[one.lead[0][0]], one.lead[0], one.text))
    lines = sorted({place for one in kept for place in (*one.lead, *one.also)}, key=lambda one: (order[one[0]], one))
    numbers = {place: number for number, place in enumerate(lines)}
    pages = list(list_pages(digests))
    _write_rows(DOCUMENTS_FILE, ((id, hash_text(text)) for id, text in zip(digests.entries, documents, strict=True)))
    _write_rows(FILES_FILE, ((page.path, str(page.start)) for page in pages))
    _write_rows(LINES_FILE, (_describe_line(pages, one) for one in lines))

    def number(places: Sequence[Place]) -> str:
        return " ".join(str(numbers[place]) for place in places)

    answered, missed = ([one for one in kept if one.is_answered == wanted] for wanted in (True, False))
    _write_rows(QUESTIONS_FILE, ((number(one.lead), number(one.also), one.text) for one in answered))
    _write_rows(NEAR_MISSES_FILE, ((number(one.lead), one.text) for one in missed))
    print(
        f"{len(answered):,} questions and {len(missed):,} near misses on {len(lines):,} lines; "
        f"left out without a line: {len(placed) - len(kept):,}"
    )


class PlacedPage(NamedTuple):
    """A file of the digests: the id of its document, its path, where it begins in the document, and its text."""

    document: str
    path: str
    start: int
    text: str


def list_pages(digests: GuidelineDigests) -> Iterator[PlacedPage]:
    """Every file, in reading order. They stand a blank line apart in the document of their guideline."""
    for entry in digests.entries.values():
        start = 0
        for path in entry.paths:
            text = render_digest(digests, path).text
            yield PlacedPage(document_id(entry), path, start, text)
            start += len(text) + len("\n\n")


def _describe_line(pages: Sequence[PlacedPage], place: Place) -> tuple[str, ...]:
    id, start, end = place
    number, page = next(
        (number, one)
        for number, one in enumerate(pages)
        if one.document == id and one.start <= start and end <= one.start + len(one.text)
    )
    words = " ".join(page.text[start - page.start : end - page.start].split())
    return str(number), str(start - page.start), str(end - page.start), hash_words(words)


def _write_rows(name: str, rows: Iterator[tuple[str, ...]]) -> None:
    text = "".join("\t".join(map(" ".join, map(str.split, row))) + "\n" for row in rows)
    (PACKAGE / name).write_text(text, encoding="utf-8")


def lead_under_headings(one: ExpectedQuestion) -> str:
    """The lines that answer a question, as they are encoded."""
    return f"{one.lead[0].section}\n{one.lead_text}"


LARGEST = 127
"""Numbers of packed vectors go up to this."""


def pack_vectors(vectors: Floats, step: float) -> PackedVectors:
    """The vectors in steps of this size; of a greater one along a direction in which they would not fit otherwise."""
    middle = vectors.mean(axis=0)
    apart = vectors - middle
    steps = np.maximum(np.abs(apart).max(axis=0) / LARGEST, step).astype(np.float32)
    return PackedVectors(np.ascontiguousarray(np.rint(apart / steps).astype(np.int8).T), steps, middle)


def find_directions(vectors: Floats) -> Floats:
    """The directions in which these differ, most to least, as rows: what turns them so that they pack well."""
    apart = (vectors - vectors.mean(axis=0)).astype(np.float64)
    directions = np.linalg.eigh(apart.T @ apart).eigenvectors.T[::-1]
    # Which way a direction points is chance: the same one each time, so that packing again changes nothing.
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    found: Floats = (directions * signs[:, None]).astype(np.float32)
    return found


def write_vectors() -> None:
    """Encode questions and lines, turn both so that they pack well, the matrices with them, and store all."""
    encoder, maps, bank = MiniLM(), load_maps(), load_questions()
    questions = list(bank)
    if len(questions) < len(bank):
        raise SystemExit("Some lines do not read as they did: `move` the questions first.")
    leads = {text: row for row, text in enumerate(dict.fromkeys(map(lead_under_headings, questions)))}
    asked = normalize_rows(encoder.encode([one.text for one in questions]) @ maps["to_question"].T)
    answers = normalize_rows(encoder.encode(list(leads)) @ maps["of_lead"].T)
    of_questions, of_leads = find_directions(asked), find_directions(answers)
    turned = {
        "to_question": of_questions @ maps["to_question"],
        "to_lead": of_leads @ maps["to_lead"],
        "of_lead": of_leads @ maps["of_lead"],
    }
    np.savez(PACKAGE / MAPS_FILE, **{name: one.astype(np.float16) for name, one in turned.items()})
    packed = {
        f"{kind}_{field}": numbers
        for kind, rows, step in (
            ("question", asked @ of_questions.T, QUESTION_STEP),
            ("lead", answers @ of_leads.T, LEAD_STEP),
        )
        for field, numbers in pack_vectors(rows, step)._asdict().items()
    }
    rows = np.array([leads[lead_under_headings(one)] for one in questions], dtype=np.uint16)
    np.savez_compressed(PACKAGE / VECTORS_FILE, lead_rows=rows, **packed)
    print(f"vectors of {len(questions):,} questions and {len(leads):,} answers: {PACKAGE / VECTORS_FILE}")


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
