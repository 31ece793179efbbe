"""Train the tagger of names and places and pack its weights.

    python -m wellsourced_evaluate.training.deidentification.train DATA [--notes 9000] [--fillings 12] [--folds 3]

DATA is the folder of the development data. Prints the sha256 that belongs into tagger.py. Some six minutes of one core.
With --folds the hand-written texts and the development notes are dealt out, and each part is scored by a tagger that
was fitted without it; nothing is packed then. `--show` prints what is missed.
"""

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pycrfsuite

from wellsourced.clinical.deidentification.detector import find_identifiers
from wellsourced.clinical.deidentification.tagger import (
    LABELS,
    FeatureExtractor,
    NameLexicon,
    NameTagger,
    read_tagger,
)
from wellsourced_evaluate.clinical.marks import CaseMarks, add_marks
from wellsourced_evaluate.clinical.text_checks import NOTES, IdentifierMark, MarkedNote, mark_note, read_notes
from wellsourced_evaluate.development_data import PRODUCT
from wellsourced_evaluate.training.deidentification.compose import (
    Composer,
    Labelled,
    People,
    fill_slots,
    read_marked,
    read_slotted,
    read_texts,
    strip_marks,
)
from wellsourced_evaluate.training.deidentification.lexicon import BRANDS, build_lexicon, forget, pack

OUT = PRODUCT / "clinical/deidentification/tagger.npz"
SEED, SCORED_SEED = 11, 4_071
"""Of the people in the texts that are fitted on, and in those that are scored: others."""

BEGIN = {"B-NAME": 0.7, "B-PLACE": 0.0}
"""Added to the score of every step into the first word of a name or place: more is found with more, rightly or not."""


# --- fit -------------------------------------------------------------------------------------------------------------


def gather(data: Path, notes: int, fillings: int, folds: int) -> Any:
    """A trainer with invented notes; the texts of fold n are group n, what is no text of a fold is group `folds`."""
    extractor = FeatureExtractor(NameLexicon(*pack(forget(build_lexicon(data, odd=True)))))
    composer = Composer(read_texts(data, BRANDS), SEED)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)

    def append(note: Labelled, group: int) -> None:
        if note.words:
            trainer.append([list(features) for features in extractor.extract(note.words)], note.labels, group)

    for _ in range(notes):
        append(composer.compose(), folds)
    for at, text in enumerate([*read_slotted(), *read_marked(NOTES)]):
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
    rows: defaultdict[int, list[float]] = defaultdict(lambda: [0.0] * len(LABELS))
    for (feature, label), weight in info.state_features.items():
        if abs(weight) >= 0.02:
            rows[crc32(feature.encode())][LABELS.index(label)] += weight
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(after)] = weight
    for before, name in enumerate(LABELS):
        for after, to in enumerate(LABELS):
            if to[0] == "I" and name[2:] != to[2:]:
                transitions[before, after] = -30.0
    for label, added in BEGIN.items():
        transitions[:, LABELS.index(label)] += added
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


# --- figures ---------------------------------------------------------------------------------------------------------


def list_notes() -> Iterator[tuple[str, MarkedNote]]:
    """Each hand-written text, filled once, and each development note; in the order in which `gather` deals them out."""
    kinds = {"N": "name", "P": "address", "X": "other"}
    people = People(SCORED_SEED)
    for one in read_slotted():
        text, spans = strip_marks(fill_slots(one, people))
        marks = tuple(IdentifierMark(kinds[kind], start, end) for start, end, kind in spans)
        yield "texts", MarkedNote(one.id, text, marks)
    for note in read_notes():
        yield "notes", note


def report_folds(taggers: list[NameTagger], show: bool) -> None:
    """Print each text's marks by the tagger that does not know it, and their sums."""
    found: dict[str, list[CaseMarks]] = {"texts": [], "notes": []}
    for at, (source, note) in enumerate(list_notes()):
        marked = mark_note(note, find_identifiers(note.text, taggers[at % len(taggers)]))
        found[source].append(marked)
        if show and marked.told:
            print(f"{source} {note.id}\n{marked.told}")
    for source, cases in found.items():
        print(source, *(one.describe() for one in add_marks(cases)), sep="\n")


def main() -> None:
    """Train, pack, print the digest; or print the figures of folds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--notes", type=int, default=9_000)
    parser.add_argument("--fillings", type=int, default=12, help="how often each hand-written text is used")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--folds", type=int, default=0, help="score parts that were not fitted on; pack nothing")
    parser.add_argument("--model", type=Path, default=Path("tagger.crfsuite"))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    trainer = gather(args.data, args.notes, args.fillings, max(1, args.folds))
    bits = build_lexicon(args.data)
    taggers = []
    for fold in range(args.folds):
        fit(trainer, args.model, args.iterations, without=fold)
        file = args.model.with_suffix(f".{fold}.npz")
        pack_model(args.model, bits, file)
        taggers.append(read_tagger(file.read_bytes()))
    if taggers:
        report_folds(taggers, args.show)
    else:
        fit(trainer, args.model, args.iterations)
        print(pack_model(args.model, bits, args.out))


if __name__ == "__main__":
    main()
