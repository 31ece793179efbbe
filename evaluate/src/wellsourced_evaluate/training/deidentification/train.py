"""Train the tagger of names and places and pack its weights.

    python -m wellsourced_evaluate.training.deidentification.train DATA [--notes 9000] [--fillings 12] [--folds 3]

DATA is the folder of the development data. Prints the sha256 that belongs into tagger.py. Some six minutes of one core.
With --folds the hand-written texts and the development notes are dealt out, and each part is scored by a tagger that
was fitted without it; nothing is packed then. `--name`, `--place`: added to the score of a first word then, besides
BEGIN; `--show` prints what is missed.
"""

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pycrfsuite

from wellsourced.clinical.deidentification.detector import find_identifiers
from wellsourced.clinical.deidentification.tagger import (
    COMMON,
    FREQUENT_SURNAME,
    GIVEN_NAME,
    LABELS,
    SURNAME,
    TOWN,
    FeatureExtractor,
    NameLexicon,
    NameTagger,
    read_tagger,
)
from wellsourced_evaluate.clinical.cases import CaseMarks, add_marks
from wellsourced_evaluate.clinical.text_checks import IdentifierMark, MarkedNote, mark_note, read_notes, score_note
from wellsourced_evaluate.development_data import PRODUCT, REPOSITORY, find_data
from wellsourced_evaluate.training.deidentification.carriers import Carrier, fill_slots, read_marked, read_slotted
from wellsourced_evaluate.training.deidentification.compose import Composer, Labelled, read_carriers, strip_marks
from wellsourced_evaluate.training.deidentification.lexicon import build_lexicon, pack
from wellsourced_evaluate.training.deidentification.people import People

BRANDS = PRODUCT / "clinical/brands.tsv"
OUT = PRODUCT / "clinical/deidentification/tagger.npz"
NOTES = REPOSITORY / "tests/data/deidentification/development.jsonl"
SEED, SCORED_SEED = 11, 4_071
"""Of the people in the texts that are fitted on, and in those that are scored: others."""

KINDS = {"N": "name", "P": "address", "X": "other"}
BEGIN = {"NAME": 0.7, "PLACE": 0.0}
"""Added to the score of every step into the first word of a name or place: more is found with more, rightly or not."""

NAMES = GIVEN_NAME | SURNAME | FREQUENT_SURNAME | TOWN


def forget(bits: dict[str, int]) -> dict[str, int]:
    """A lexicon that does not know a third of the names and an eighth of the rarer words."""
    known = {}
    for word, value in bits.items():
        draw = crc32(f"forget {word}".encode()) % 100
        if draw < 33:
            value &= ~NAMES
        if draw % 8 == 3 and not value & COMMON:
            value &= NAMES
        known[word] = value
    return known


def read_texts() -> list[Carrier]:
    """The hand-written texts, and the development notes."""
    return [*read_slotted(find_data("deidentification/carriers.jsonl")), *read_marked(NOTES)]


def gather(data: Path, notes: int, fillings: int, folds: int) -> Any:
    """A trainer with invented notes; the texts of fold n are group n, what is no text of a fold is group `folds`."""
    partial = build_lexicon(data, BRANDS, odd=True)
    keys, values = pack(forget(partial))
    describer = FeatureExtractor(NameLexicon(keys, values))
    composer = Composer(read_carriers(data, BRANDS), SEED)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)

    def append(note: Labelled, group: int) -> None:
        if note.words:
            trainer.append([list(features) for features in describer.extract(note.words)], note.labels, group)

    for _ in range(notes):
        append(composer.compose(), folds)
    for at, text in enumerate(read_texts()):
        for _ in range(fillings):
            append(composer.compose_from(text), at % folds)
    return trainer


def fit(trainer: Any, model: Path, iterations: int, without: int = -1) -> None:
    """Fit the chain; `without`: the group that is left out."""
    trainer.set_params({"c1": 0.6, "c2": 0.02, "max_iterations": iterations, "feature.minfreq": 4})
    trainer.train(str(model), without)


def pack_model(model: Path, bits: dict[str, int], out: Path) -> str:
    """Write weights and lexicon as one file without objects; returns its sha256."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    info = tagger.info()
    rows: dict[int, list[float]] = {}
    for (feature, label), weight in info.state_features.items():
        if abs(weight) >= 0.02:
            rows.setdefault(crc32(feature.encode()), [0.0] * len(LABELS))[LABELS.index(label)] += weight
    transitions = np.full((len(LABELS), len(LABELS)), 0.0, np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(after)] = weight
    for before, name in enumerate(LABELS):
        for after, to in enumerate(LABELS):
            if to[0] == "I" and name[2:] != to[2:]:
                transitions[before, after] = -30.0
    transitions[:, LABELS.index("B-NAME")] += BEGIN["NAME"]
    transitions[:, LABELS.index("B-PLACE")] += BEGIN["PLACE"]
    features = np.array(sorted(rows), np.uint32)
    weights = np.array([rows[key] for key in features.tolist()], np.float32)
    scale = np.float32(np.abs(weights).max() / 32_000)
    keys, values = pack(bits)
    # A fixed order and no times: the same weights give the same bytes.
    np.savez_compressed(
        out,
        features=features,
        weights=np.round(weights / scale).astype(np.int16),
        scale=scale,
        transitions=transitions,
        words=np.array(keys, np.uint32),
        bits=np.array(values, np.uint8),
    )
    print(len(features), "features", len(keys), "words", out.stat().st_size, "bytes")
    return hashlib.sha256(out.read_bytes()).hexdigest()


# --- folds -----------------------------------------------------------------------------------------------------------


def list_notes() -> Iterator[tuple[str, MarkedNote]]:
    """Each hand-written text, filled once, and each development note; in the order of `read_texts`."""
    people = People(SCORED_SEED)
    for one in read_slotted(find_data("deidentification/carriers.jsonl")):
        text, spans = strip_marks(fill_slots(one, people))
        marks = tuple(IdentifierMark(KINDS[kind], start, end) for start, end, kind in spans)
        yield "texts", MarkedNote(one.id, text, marks)
    for note in read_notes(NOTES):
        yield "notes", note


def lean(tagger: NameTagger, name: float, place: float) -> NameTagger:
    """A tagger with other scores of the first word of a name and of a place."""
    added = {"B-NAME": name, "B-PLACE": place}
    steps = [tuple(s + added.get(to, 0) for s, to in zip(row, LABELS, strict=True)) for row in tagger._transitions]
    return NameTagger(tagger._lexicon, tagger._states, steps)


def report_folds(taggers: list[NameTagger], show: bool) -> None:
    """Print each text's marks by the tagger that does not know it, and their sums."""
    found: dict[str, list[CaseMarks]] = {"texts": [], "notes": []}
    for at, (source, note) in enumerate(list_notes()):
        marked = mark_note(note, score_note(note, find_identifiers(note.text, taggers[at % len(taggers)])))
        found[source].append(marked)
        if show and marked.told:
            print(f"{source} {note.id}\n{marked.told}")
    for source, cases in found.items():
        print(source, *(one.describe() for one in add_marks(cases)), sep="\n")


def main() -> None:
    """Train, pack, print the digest; or print the figures of folds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--notes", type=int, default=9_000)
    parser.add_argument("--fillings", type=int, default=12, help="how often each hand-written text is used")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--folds", type=int, default=0, help="score parts that were not fitted on; pack nothing")
    parser.add_argument("--model", type=Path, default=Path("tagger.crfsuite"))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--name", type=float, default=0.0)
    parser.add_argument("--place", type=float, default=0.0)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    trainer = gather(args.data, args.notes, args.fillings, max(1, args.folds))
    bits = build_lexicon(args.data, BRANDS)
    for fold in range(args.folds):
        fit(trainer, args.model, args.iterations, without=fold)
        pack_model(args.model, bits, args.model.with_suffix(f".{fold}.npz"))
    if args.folds:
        files = [args.model.with_suffix(f".{fold}.npz") for fold in range(args.folds)]
        report_folds([lean(read_tagger(one.read_bytes()), args.name, args.place) for one in files], args.show)
    else:
        fit(trainer, args.model, args.iterations)
        print(pack_model(args.model, bits, args.out))


if __name__ == "__main__":
    main()
