"""A small learnt tagger of names and places in running text: a linear chain of labels over weighed features.

It was trained on real medical sentences into which invented people were put (wellsourced_evaluate/training/deidentification). Its weights
lie beside this file; their sha256 is checked before they are used. The same text has the same labels everywhere.
"""

import hashlib
import io
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from zlib import crc32

from wellsourced.clinical.deidentification.identifiers import Identifier, IdentifierKind
from wellsourced.clinical.deidentification.tagger_features import (
    COMMON,
    FOREIGN,
    GIVEN_NAME,
    MEDICAL,
    RARE,
    SURNAME,
    TOWN,
    FeatureExtractor,
    NameLexicon,
    TaggerToken,
    split_words,
)
from wellsourced.errors import SettingsError

WEIGHTS_FILE = "tagger.npz"

WEIGHTS_SHA256 = "0f72bd621c3ce91b3ac3155c976ced133d77b69b9c6367690f4c14efae4c6e21"
"""sha256 of the file."""

LABELS = ("O", "B-NAME", "I-NAME", "B-PLACE", "I-PLACE")

MAX_PART_WORDS = 300
"""Words that are labelled together at most; a part ends at the end of a line where it can."""

LabelScores = tuple[float, ...]


class NameTagger:
    """Labels of words by the weights of their features and of two labels in a row (Viterbi)."""

    def __init__(
        self, lexicon: NameLexicon, states: dict[int, LabelScores], transitions: Sequence[LabelScores]
    ) -> None:
        self._lexicon = lexicon
        self._describer = FeatureExtractor(lexicon)
        self._states = states
        self._transitions = transitions

    def tag(self, text: str) -> list[Identifier]:
        """The names and places ("address") of a text, in order."""
        return [
            entity
            for part in _split_parts(split_words(text))
            for entity in _build_entities(part, self._label_words(part))
        ]

    def look_up(self, word: str) -> int:
        """What the lexicon knows of a word, as bits (features.py)."""
        return self._lexicon.look_up(word)

    def is_ordinary_word(self, word: str) -> bool:
        """Whether a word is known as one of a language or of medicine, and not as a name of a person or a town."""
        bits = self._lexicon.look_up(word)
        return bool(bits & (MEDICAL | COMMON | RARE | FOREIGN)) and not bits & (GIVEN_NAME | SURNAME | TOWN)

    def _label_words(self, words: Sequence[TaggerToken]) -> list[int]:
        states, columns = self._states, range(len(LABELS))
        scores: list[list[float]] = []
        for features in self._describer.extract(words):
            known = [row for name in features if (row := states.get(crc32(name.encode()))) is not None]
            scores.append([sum(column) for column in zip(*known, strict=True)] if known else [0.0] * len(LABELS))
        best, back = scores[0], []
        for score in scores[1:]:
            steps = [max((best[a] + self._transitions[a][b], -a) for a in columns) for b in columns]
            back.append([-step[1] for step in steps])
            best = [step[0] + own for step, own in zip(steps, score, strict=True)]
        last = max(columns, key=lambda label: (best[label], -label))
        path = [last]
        for pointers in reversed(back):
            last = pointers[last]
            path.append(last)
        return path[::-1]


def _split_parts(words: Sequence[TaggerToken]) -> Iterator[Sequence[TaggerToken]]:
    """Words in runs of at most PART, cut behind the last end of a line, full stop or gap in the run."""
    start = 0
    while start < len(words):
        end = min(start + MAX_PART_WORDS, len(words))
        if end < len(words):
            cuts = (
                at + 1 for at in range(end - 1, start + MAX_PART_WORDS // 2, -1) if words[at].text in {"\n", "\t", "."}
            )
            end = next(cuts, end)
        yield words[start:end]
        start = end


def _build_entities(words: Sequence[TaggerToken], labels: Sequence[int]) -> Iterator[Identifier]:
    """Runs of labels as spans; an "I" without a "B" begins one."""
    start: int | None = None
    for at, label in enumerate((*labels, 0)):
        name = LABELS[label]
        if start is not None and (name[0] != "I" or name[2:] != LABELS[labels[start]][2:]):
            kind: IdentifierKind = "name" if LABELS[labels[start]].endswith("NAME") else "address"
            yield Identifier(kind, words[start].start, words[at - 1].end)
            start = None
        if start is None and name != "O":
            start = at


@cache
def load_tagger() -> NameTagger:
    """The tagger with the weights that come with the package. Raises SettingsError, as `unpack`."""
    return unpack_tagger((files(__package__) / WEIGHTS_FILE).read_bytes())


def unpack_tagger(content: bytes) -> NameTagger:
    """A tagger from the bytes of its file. Raises SettingsError when they are not the ones that were packed."""
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise SettingsError(f"{WEIGHTS_FILE} is not the file that was packed: install the package again.")
    return read_tagger(content)


def read_tagger(content: bytes) -> NameTagger:
    """A tagger from the bytes of a file that is known to be sound (`unpack` looks)."""
    import numpy as np

    with np.load(io.BytesIO(content)) as packed:
        rows = packed["weights"].astype(np.float32) * packed["scale"]
        states = dict(zip(packed["features"].tolist(), map(tuple, rows.tolist()), strict=True))
        lexicon = NameLexicon(array("I", packed["words"].tobytes()), packed["bits"].tobytes())
        return NameTagger(lexicon, states, [tuple(row) for row in packed["transitions"].tolist()])
