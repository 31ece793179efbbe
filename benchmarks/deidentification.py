"""How many identifiers are found in notes, how much else is masked, and how sure these figures are.

python -m benchmarks.deidentification NOTES [--data DATA] [--half odd|even] [--show]

NOTES is a file of JSON lines: {"id", "genre", "language", "text", "identifiers": [{"kind", "start", "end"}]}. An
identifier counts as found when each of its letters and digits is masked, as whatever kind. A masked span is false when
it touches no marked identifier; institutions count neither for nor against. Intervals: notes are drawn again. With
DATA, the folder of the development data: how many real questions and abstracts, which name no patient, are changed.
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.clinical.deidentification import Identifier, detect_identifiers
from wellsourced.confidence import ConfidenceInterval, bootstrap_share

IGNORED = "institution"
QUESTIONS = ("kqa", "medqa", "bioasq", "pubmedqa", "medmcqa", "mmlu_med", "pubmedrs200")
ABSTRACTS = 1_000


class Mark(NamedTuple):
    """An identifier that somebody marked: half-open, in code points."""

    kind: str
    start: int
    end: int


class Note(NamedTuple):
    """A text and what in it identifies somebody."""

    id: str
    text: str
    marks: tuple[Mark, ...]


class Score(NamedTuple):
    """Counts of one note.

    recall      kind → (found whole, there); "all" is every kind
    characters  kind → (letters and digits masked, there)
    spans       (masked spans that touch an identifier, masked spans)
    letters     (masked letters and digits that identify, masked letters and digits)
    missed      identifiers that are not masked whole, as they stand
    false       masked spans that touch no identifier, as they stand
    """

    recall: dict[str, tuple[int, int]]
    characters: dict[str, tuple[int, int]]
    spans: tuple[int, int]
    letters: tuple[int, int]
    missed: tuple[str, ...]
    false: tuple[str, ...]


def read_notes(path: Path) -> list[Note]:
    """The notes of a file, in order."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Note(row["id"], row["text"], tuple(Mark(m["kind"], m["start"], m["end"]) for m in row["identifiers"]))
        for row in rows
    ]


def score_note(note: Note, found: Sequence[Identifier]) -> Score:
    """What of one note was found, and what was masked besides."""
    hidden = {at for one in found for at in range(one.start, one.end) if note.text[at].isalnum()}
    recall: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    characters: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    missed = []
    for kind, start, end in note.marks:
        there = {at for at in range(start, end) if note.text[at].isalnum()}
        for name in (kind,) if kind == IGNORED else (kind, "all"):
            recall[name] = (recall[name][0] + (there <= hidden), recall[name][1] + 1)
            characters[name] = (characters[name][0] + len(there & hidden), characters[name][1] + len(there))
        if kind != IGNORED and not there <= hidden:
            missed.append(f"{kind}: {note.text[start:end]}")
    ignored = {at for kind, start, end in note.marks if kind == IGNORED for at in range(start, end)}
    marked = {at for kind, start, end in note.marks if kind != IGNORED for at in range(start, end)}
    counted = [one for one in found if not ignored & set(range(one.start, one.end)) - marked]
    false = [one for one in counted if not marked & set(range(one.start, one.end))]
    return Score(
        dict(recall),
        dict(characters),
        (len(counted) - len(false), len(counted)),
        (len(hidden & marked), len(hidden - ignored | hidden & marked)),
        tuple(missed),
        tuple(f"{one.kind}: {note.text[one.start : one.end]}" for one in false),
    )


def summarise(scores: Sequence[Score]) -> Iterator[tuple[str, ConfidenceInterval]]:
    """Each measure over the notes, with the interval between the percentiles of its bootstrap."""
    kinds = sorted({kind for score in scores for kind in score.recall}, key=lambda kind: (kind != "all", kind))
    for kind in kinds:
        yield f"recall {kind}", bootstrap_share([score.recall.get(kind, (0, 0)) for score in scores])
    yield "recall all, by letter", bootstrap_share([score.characters.get("all", (0, 0)) for score in scores])
    yield "precision by span", bootstrap_share([score.spans for score in scores])
    yield "precision by letter", bootstrap_share([score.letters for score in scores])
    holding = [score for score in scores if score.recall.get("all", (0, 0))[1]]
    yield "notes with nothing left", bootstrap_share([(not score.missed, 1) for score in holding])


def read_patientless(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Real questions by their set, and abstracts: texts that name no patient, but for a few of "medqa"."""
    for name in QUESTIONS:
        with gzip.open(data / "qa" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            yield name, [json.loads(line)["question"] for line in file]
    for name in ("research", "consumer"):
        with gzip.open(data / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            texts = [json.loads(line)["text"] for line in file]
        texts = [text for text in texts if len(text) > 400]  # whole abstracts, not snippets
        yield f"{name} ({ABSTRACTS} texts)", texts[:: max(1, len(texts) // ABSTRACTS)][:ABSTRACTS]


def report_alarms(data: Path, show: int) -> None:
    """Print how many texts without a patient are changed, per 1,000, and samples of what was masked."""
    for name, texts in read_patientless(data):
        start = time.perf_counter()
        found = [(text, detect_identifiers(text)) for text in texts]
        seconds = time.perf_counter() - start
        changed = [(text, spans) for text, spans in found if spans]
        size = sum(map(len, texts))
        print(
            f"{name:28} {len(texts):5} texts  changed {1000 * len(changed) / len(texts):6.1f} per 1,000"
            f"  spans per million characters {1e6 * sum(len(s) for _, s in found) / size:7.1f}"
            f"  {1e6 * seconds / size:5.1f} ms per 1,000 characters"
        )
        for text, spans in changed[:show]:
            one = spans[0]
            around = text[max(0, one.start - 40) : one.end + 30].replace("\n", " ")
            print(f"      {one.kind}: {text[one.start : one.end]!r} in {around!r}")


def main() -> None:
    """Print the figures of a file of notes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--data", type=Path, help="the folder of the development data")
    parser.add_argument("--half", choices=("odd", "even"), help="only the first, third … or second, fourth … note")
    parser.add_argument("--show", type=int, default=0, help="print what was missed and false; so many of DATA's sets")
    args = parser.parse_args()
    notes = read_notes(args.notes)
    notes = notes[args.half == "even" :: 2] if args.half else notes
    scores = [score_note(note, detect_identifiers(note.text)) for note in notes]
    for note, score in zip(notes, scores, strict=True) if args.show else ():
        print(note.id, "\n    missed", *score.missed, "\n    false ", *score.false, sep=" | ")
    for name, (mean, low, high) in summarise(scores):
        print(f"{name:28} {mean:.3f} [{low:.3f}, {high:.3f}]")
    if args.data:
        report_alarms(args.data, args.show)


if __name__ == "__main__":
    main()
