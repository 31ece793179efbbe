"""A small learnt tagger of names and places in running text: a linear chain of labels over weighed features.

It was trained on real medical sentences into which invented people were put (evaluate/data/deidentification/README.md).
Its weights lie beside this file; their sha256 is checked before they are used. The same text has the same labels
everywhere.
"""

import hashlib
import io
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple
from zlib import crc32

from wellsourced.deidentification.identifiers import Identifier, IdentifierKind
from wellsourced.errors import SettingsError

WEIGHTS_FILE = "tagger.npz"

WEIGHTS_SHA256 = "0f72bd621c3ce91b3ac3155c976ced133d77b69b9c6367690f4c14efae4c6e21"
"""sha256 of the file."""

LABELS = ("O", "B-NAME", "I-NAME", "B-PLACE", "I-PLACE")

MAX_PART_WORDS = 300
"""Words that are labelled together at most; a part ends at the end of a line where it can."""

LabelScores = tuple[float, ...]
# What the tagger of names and places sees of a text: its words, and for each word the features that it weighs.
#
# A feature is a string; only its CRC-32 is kept, in training and at run time alike. What is known of a word (is it a
# given name, a surname, a town, a common word, a medical word?) comes from a table of bits by the word's CRC-32.


GIVEN_NAME, SURNAME, FREQUENT_SURNAME, TOWN, MEDICAL, FOREIGN, RARE, COMMON = (1 << bit for bit in range(8))
"""Bits of a word: what it can be. RARE and COMMON: an English word; both together: among the commonest."""

MAX_WORD_LENGTH = 40
"""Letters of a word that are looked at."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+){0,3}|\d+|\n|\t| {3,}|[^\w\s]|_+")


class TaggerToken(NamedTuple):
    """A word, number, mark or break of a text: half-open, in code points."""

    text: str
    start: int
    end: int


class NameLexicon:
    """What is known of words: bits by the CRC-32 of a word in small letters, in ascending order of the CRC-32."""

    def __init__(self, keys: Sequence[int], bits: Sequence[int]) -> None:
        self._keys = keys
        self._bits = bits

    def look_up(self, word: str) -> int:
        """The bits of a word; 0 of one that is not known."""
        key = crc32(word.lower().replace("’", "'").encode())
        place = bisect_left(self._keys, key)
        return self._bits[place] if place < len(self._keys) and self._keys[place] == key else 0


def split_words(text: str) -> list[TaggerToken]:
    """Words, numbers, marks, ends of lines and wide gaps of a text, in order."""
    return [TaggerToken(found.group(), *found.span()) for found in _WORD.finditer(text)]


class WordTraits(NamedTuple):
    """What is seen of a word by itself.

    word    in small letters; digits as "9"
    shape   "Xx", "XX", "x", "X", "mix", "9…", or the mark itself
    word_class   what the lexicon knows of it, with its shape
    own_features   features of the word that do not depend on its place
    """

    word: str
    shape: str
    word_class: str
    own_features: tuple[str, ...]


def word_shape(word: str) -> str:
    """How a word is written."""
    if word.isdigit():
        return "9" * min(len(word), 6)
    if word in {"\n", "\t"} or word.isspace():
        return "nl" if word == "\n" else "gap"
    if not word[0].isalpha():
        return word[0]
    if len(word) == 1:
        return "X" if word.isupper() else "y"
    if word.islower():
        return "x"
    if word.isupper():
        return "XX"
    return "Xx" if word[0].isupper() and word[1:].islower() else "mix"


class FeatureExtractor:
    """Features of each word of a text, with a lexicon; what it saw of a word before is remembered."""

    def __init__(self, lexicon: NameLexicon) -> None:
        self._lexicon = lexicon
        self._traits = lru_cache(maxsize=20_000)(self._describe_word)

    def _describe_word(self, text: str) -> WordTraits:
        text = text[:MAX_WORD_LENGTH]
        shape = word_shape(text)
        if not text[0].isalpha():
            word = shape if shape[0] == "9" or text.isspace() else text
            return WordTraits(word, shape, shape, (f"w={word}",))
        word = text.lower().replace("’", "'")
        bits = self._lexicon.look_up(word) or self._lexicon.look_up(word.removesuffix("'s"))
        class_ = f"{bits}{shape}"
        own = (
            f"w={word}",
            f"s={shape}",
            f"c={class_}",
            f"b={bits}",
            *(f"b{bit}={bits >> bit & 1}{shape}" for bit in range(8)),
            *(f"p{size}={word[:size]}" for size in (2, 3, 4)),
            *(f"e{size}={word[-size:]}" for size in (2, 3, 4)),
            f"n={min(len(word), 12)}",
        )
        return WordTraits(word, shape, class_, own)

    def extract(self, words: Sequence[TaggerToken]) -> Iterator[tuple[str, ...]]:
        """The features of each word, in order."""
        traits = [self._traits(word.text) for word in words]
        modes, labels = _line_modes(traits), _field_labels(traits)
        edge = WordTraits("^", "^", "^", ())
        padded = [edge, edge, edge, *traits, edge, edge, edge]
        for place, (mode, label) in enumerate(zip(modes, labels, strict=True), 3):
            before3, before2, before, here, after, after2, after3 = padded[place - 3 : place + 4]
            yield (
                *here.own_features,
                f"m={mode}{here.word_class}",
                f"L={label}",
                f"Ls={label}|{here.shape}",
                f"-w={before.word}",
                f"+w={after.word}",
                f"-2w={before2.word}",
                f"+2w={after2.word}",
                f"-3w={before3.word}",
                f"-c={before.word_class}",
                f"+c={after.word_class}",
                f"-2c={before2.word_class}",
                f"+2c={after2.word_class}",
                f"-ww={before2.word}|{before.word}",
                f"+ww={after.word}|{after2.word}",
                f"-wc={before.word}|{here.word_class}",
                f"+wc={here.word_class}|{after.word}",
                f"-cc={before.word_class}|{here.word_class}",
                f"+cc={here.word_class}|{after.word_class}",
                f"-wws={before2.word}|{before.word}|{here.shape}",
                f"-2ws={before2.word}|{here.shape}",
                f"-3ws={before3.word}|{here.shape}",
                f"ss={before2.shape}|{before.shape}|{here.shape}|{after.shape}|{after2.shape}|{after3.shape[:1]}",
            )


def _line_modes(traits: Sequence[WordTraits]) -> list[str]:
    """How the line of each word is written: mostly capitals, no capitals, or both."""
    modes: list[str] = []
    line: list[WordTraits] = []
    for one in (*traits, WordTraits("\n", "nl", "", ())):
        line.append(one)
        if one.shape == "nl":
            shapes = [each.shape for each in line]
            small, capitals = shapes.count("x"), shapes.count("XX")
            mixed = shapes.count("Xx") + shapes.count("mix")
            mode = "caps" if capitals > small + mixed else "small" if not mixed and small > 3 else "both"
            modes += [mode] * len(line)
            line = []
    return modes[: len(traits)]


def _field_labels(traits: Sequence[WordTraits]) -> list[str]:
    """The word before the last colon or equals sign of the same field, and how many words ago that was (to 5)."""
    labels: list[str] = []
    label, ago, last = "", 0, ""
    for one in traits:
        labels.append(f"{label}{min(ago, 5) if ago <= 8 else 9}" if label and ago <= 8 else "")
        if one.shape in {"nl", "gap"}:
            label = ""
        elif one.word in {":", "="}:
            label, ago = last, 0
        elif one.shape not in {"."}:
            last = one.word
            ago += 1
    return labels


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
        raise SettingsError(f"{WEIGHTS_FILE} is damaged or was changed: install the package again.")
    return read_tagger(content)


def read_tagger(content: bytes) -> NameTagger:
    """A tagger from the bytes of a file that is known to be sound (`unpack` looks)."""
    import numpy as np

    with np.load(io.BytesIO(content)) as packed:
        rows = packed["weights"].astype(np.float32) * packed["scale"]
        states = dict(zip(packed["features"].tolist(), map(tuple, rows.tolist()), strict=True))
        lexicon = NameLexicon(array("I", packed["words"].tobytes()), packed["bits"].tobytes())
        return NameTagger(lexicon, states, [tuple(row) for row in packed["transitions"].tolist()])
