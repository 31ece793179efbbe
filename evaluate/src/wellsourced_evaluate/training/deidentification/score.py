"""Score taggers of folds, each on the hand-written texts and development notes that it was fitted without.

python -m …training.deidentification.score MODEL.crfsuite --folds 3 [--name 0.0] [--place 0.0] [--show]

MODEL.0.npz … are the files that `train --folds` left. `--name`, `--place`: added to the score of a first word,
besides `train.BEGIN`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.deidentification import Mark, Note, Score, read_notes, score_note, summarise
from wellsourced.clinical.deidentification.detector import find_identifiers
from wellsourced.clinical.deidentification.tagger import LABELS, NameTagger, read_tagger
from wellsourced_evaluate.training.deidentification.carriers import fill_slots, read_slotted
from wellsourced_evaluate.training.deidentification.compose import strip_marks
from wellsourced_evaluate.training.deidentification.people import People
from wellsourced_evaluate.training.deidentification.train import CARRIERS, NOTES

KINDS = {"N": "name", "P": "address", "X": "other"}
SEED = 4_071
"""Of the people in the texts that are scored: others than those of training."""


def list_notes() -> Iterator[tuple[str, Note]]:
    """Each hand-written text, filled once, and each development note; in the order of `train.read_texts`."""
    people = People(SEED)
    for one in read_slotted(CARRIERS):
        text, spans = strip_marks(fill_slots(one, people))
        yield "texts", Note(one.id, text, tuple(Mark(KINDS[kind], start, end) for start, end, kind in spans))
    for note in read_notes(NOTES):
        yield "notes", note


def lean(tagger: NameTagger, name: float, place: float) -> NameTagger:
    """A tagger with other scores of the first word of a name and of a place."""
    added = {"B-NAME": name, "B-PLACE": place}
    steps = [tuple(s + added.get(to, 0) for s, to in zip(row, LABELS, strict=True)) for row in tagger._transitions]
    return NameTagger(tagger._lexicon, tagger._states, steps)


def score_folds(taggers: list[NameTagger]) -> Iterator[tuple[str, Note, Score]]:
    """Each text, and its score by the tagger that does not know it."""
    for at, (source, note) in enumerate(list_notes()):
        yield source, note, score_note(note, find_identifiers(note.text, taggers[at % len(taggers)]))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--name", type=float, default=0.0)
    parser.add_argument("--place", type=float, default=0.0)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    files = [args.model.with_suffix(f".{fold}.npz") for fold in range(args.folds)]
    taggers = [lean(read_tagger(file.read_bytes()), args.name, args.place) for file in files]
    scored = list(score_folds(taggers))
    for source, note, score in scored if args.show else ():
        print(source, note.id, "\n    missed", *score.missed, "\n    false ", *score.false, sep=" | ")
    for source in ("texts", "notes"):
        for name, (mean, low, high) in summarise([score for each, _, score in scored if each == source]):
            print(f"{source} {name:28} {mean:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
