"""Keep the questions that the guideline digests answer, which come with wellsourced, and their vectors.

    python tools/expected_questions.py add FILE …   beside those that are there, questions as people write them
                                                    (`wellsourced library expect --help` has the form)
    python tools/expected_questions.py move         after `make guidelines`: look for changed lines elsewhere
    python tools/expected_questions.py vectors      encode all again (two minutes)

A question that has a line no more is left out by `move`, and counted. `vectors` turns the matrices of `maps.npz`
so that the vectors pack well, and stores there how far the numbers of packed vectors are apart.
"""

import argparse
import gzip
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wellsourced.encoders.base import normalize_rows
from wellsourced.encoders.minilm import MiniLM
from wellsourced.expected_questions.bank import (
    MAPS_FILE,
    PACKED_FILE,
    SHIPPED_FOLDER,
    AnswerPlace,
    ExpectedQuestion,
    Floats,
    QuestionBank,
    QuestionRow,
    QuestionVectors,
    find_lines,
    load_bank,
    load_maps,
)
from wellsourced.ingest.question_files import (
    LARGEST,
    lead_under_headings,
    pack_vectors,
    place_row,
    read_question_file,
    save_vectors,
    write_row,
)
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Document, hash_words

QUESTION_STEP, LEAD_STEP = 0.006, 0.010
"""Between the numbers of packed vectors: cosines are off by .002 and .003 (standard deviation). Half of them makes the
file greater by a quarter."""


def read_documents() -> dict[str, Document]:
    """The digests by their ids, in reading order."""
    return {document.reference.id: document for document in read_guidelines()}


def list_known() -> list[QuestionRow]:
    """The questions of the package."""
    bank = read_bank()
    return [row for number in range(len(bank)) if (row := bank.row(number))]


def read_bank() -> QuestionBank:
    """What lies in the package. SystemExit where nothing does."""
    bank = load_bank(SHIPPED_FOLDER)
    if bank is None:
        raise SystemExit(f"{SHIPPED_FOLDER} has no questions.")
    return bank


def list_placed_questions() -> list[ExpectedQuestion]:
    """The questions of the package with their lines. SystemExit where one is not found."""
    documents = read_documents()
    found = [find_lines(row, documents[row.document]) for row in list_known()]
    if not all(found):
        raise SystemExit("Some lines do not read as they did: `move` the questions first.")
    return [question for question in found if question]


def read_written(paths: Sequence[Path]) -> Iterator[QuestionRow]:
    """The questions of these files. SystemExit for the first one that cannot be used."""
    documents = read_documents()
    for path in paths:
        for row in read_question_file(path):
            document = documents.get(str(row.fields.get("document")))
            placed = row.fault or (place_row(row.fields, document) if document else "no such digest")
            if isinstance(placed, str):
                raise SystemExit(f"{path}, line {row.line}: {placed}")
            yield placed


def move_questions() -> Iterator[QuestionRow]:
    """The questions of the package, their lines where they stand now; those that lost one are left out."""
    documents = read_documents()
    places = {id: place_lines(document.text) for id, document in documents.items()}

    def move(id: str, place: AnswerPlace) -> AnswerPlace | None:
        start, end, sha256 = place
        if hash_words(documents[id].text[start:end]) == sha256:
            return place
        return min(places[id][sha256], key=lambda other: abs(other.start - start), default=None)

    for row in list_known():
        if row.document in documents:
            lead, also = ([move(row.document, place) for place in places] for places in (row.lines, row.also))
            if all(lead):
                yield row.model_copy(update={"lines": tuple(lead), "also": tuple(filter(None, also))})


def place_lines(text: str) -> dict[str, list[AnswerPlace]]:
    """The lines of a text by the hashes of their words."""
    found: dict[str, list[AnswerPlace]] = defaultdict(list)
    at = 0
    for line in text.split("\n"):
        if words := line.strip():
            start = at + line.index(words)
            found[hash_words(words)].append(AnswerPlace(start, start + len(words), hash_words(words)))
        at += len(line) + 1
    return found


def write_questions(rows: Sequence[QuestionRow]) -> None:
    """Write the file, in the order of the digests, near misses last; without the date that gzip keeps."""
    order = {id: number for number, id in enumerate(read_documents())}
    ordered = sorted(rows, key=lambda row: (row.near_miss, order[row.document], row.lines[0], row.question))
    content = "".join(f"{write_row(row)}\n" for row in dict.fromkeys(ordered))
    (SHIPPED_FOLDER / PACKED_FILE).write_bytes(gzip.compress(content.encode(), mtime=0))
    print(f"{len(ordered):,} questions: {SHIPPED_FOLDER / PACKED_FILE}")


def find_directions(vectors: Floats) -> Floats:
    """The directions in which these differ, most to least, as rows: what turns them so that they pack well."""
    apart = (vectors - vectors.mean(axis=0)).astype(np.float64)
    directions = np.linalg.eigh(apart.T @ apart).eigenvectors.T[::-1]
    # Which way a direction points is chance: the same one each time, so that packing again changes nothing.
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    found: Floats = (directions * signs[:, None]).astype(np.float32)
    return found


def write_vectors() -> None:
    """Encode questions and lines, turn the matrices so that both pack well, and store all."""
    questions, encoder = list_placed_questions(), MiniLM()
    with np.load(SHIPPED_FOLDER / MAPS_FILE) as file:
        maps = {name: file[name].astype(np.float32) for name in ("to_question", "to_lead", "of_lead")}
    leads = list(map(lead_under_headings, questions))
    numbers = {text: at for at, text in enumerate(dict.fromkeys(leads))}
    asked = normalize_rows(encoder.encode([one.text for one in questions]) @ maps["to_question"].T)
    answers = normalize_rows(encoder.encode(list(numbers)) @ maps["of_lead"].T)
    of_questions, of_leads = find_directions(asked), find_directions(answers)
    turned = {
        "to_question": of_questions @ maps["to_question"],
        "to_lead": of_leads @ maps["to_lead"],
        "of_lead": of_leads @ maps["of_lead"],
    }
    asked, answers = asked @ of_questions.T, answers @ of_leads.T
    packings = {"question": describe_packing(asked, QUESTION_STEP), "lead": describe_packing(answers, LEAD_STEP)}
    stored: dict[str, Any] = {name: matrix.astype(np.float16) for name, matrix in turned.items()}
    stored |= {f"{kind}_steps": packing.steps for kind, packing in packings.items()}
    stored |= {f"{kind}_middle": packing.middle for kind, packing in packings.items()}
    np.savez(SHIPPED_FOLDER / MAPS_FILE, **stored)
    load_maps.cache_clear()
    packed = (pack_vectors(asked, *packings["question"]), pack_vectors(answers, *packings["lead"]))
    rows = np.array([numbers[text] for text in leads], dtype=np.int32)
    save_vectors(SHIPPED_FOLDER, read_bank().lines, QuestionVectors(*packed, rows))
    print(f"vectors of {len(asked):,} questions and {len(answers):,} answers: {SHIPPED_FOLDER}")


class Packing(NamedTuple):
    """How vectors are packed: see QuestionMaps."""

    steps: Floats
    middle: Floats


def describe_packing(vectors: Floats, step: float) -> Packing:
    """The steps of this size, greater along a direction in which vectors would not fit otherwise; and their mean."""
    middle = vectors.mean(axis=0)
    steps = np.maximum(np.abs(vectors - middle).max(axis=0) / LARGEST, step)
    return Packing(steps.astype(np.float32), middle.astype(np.float32))


def main() -> None:
    """Read the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["add", "move", "vectors"])
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    if given.what == "add":
        write_questions([*list_known(), *read_written(given.files)])
    elif given.what == "move":
        write_questions(list(move_questions()))
    else:
        write_vectors()


if __name__ == "__main__":
    main()
