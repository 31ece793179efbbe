"""The default judge of support: seven measures of a claim and a text, and a logistic model of them.

A claim may be at fault in two ways. The text says nothing of it: then some of its words have no counterpart in meaning.
Or it says something else: then a result runs the other way, words differ in what is else a copy of a sentence, slots of
the claim are open. The length of a claim is no measure: that faulty statements are shorter was an accident of those
that were fitted on.

Its weights are in `calibrations.json`, written by wellsourced_evaluate/fitting/comparison.py.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.claims.extraction import strip_answer_word
from wellsourced.compare.alignment import TermComparison, compare_terms, find_source_sentence
from wellsourced.compare.differences import HARMLESS_KINDS, mark_differences
from wellsourced.compare.figure_clash import find_figure_clash
from wellsourced.compare.results import measure_agreement
from wellsourced.compare.slots import find_changed_terms, find_unsaid, list_nearest
from wellsourced.encoders.base import EncodedTokens, TokenEncoder, in_one_thread
from wellsourced.judges.base import NO_TEXT, Calibration, Pair
from wellsourced.judges.overlap import rare_coverage, stem_rarity
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems
from wellsourced.types import Verdict, VerdictLabel
from wellsourced.worker_pool import run_in_worker

MEASURES = ("meaning", "result", "faithful_copy", "altered_copy", "changed", "unsaid", "turned")
"""Names of what is measured.

meaning        how near the claim's words are to the nearest ones of the text, the rare ones above all, up to ENOUGH
result         how far the text states the result of the claim, and not another
faithful_copy  by how much the claim's words in the nearest sentence exceed COPIED, where no fact differs
altered_copy   the same where one does
changed        whether it says something in the place of what the sentence says that it nearly copies
unsaid         figures, names and certainties that the text does not have; three or more are 1
turned         directions and certainties that only the claim has, and directions that only its sentence has; 4 are 1
"""

ENOUGH = 0.75
"""Nearness from which more says nothing: right paraphrases are less near than faulty copies."""

COPIED = 0.7
"""Share of the claim's words in a sentence from which it is a copy of it, and words that differ tell."""

OPPOSED = -0.5
"""Agreement on a result up to which the text states another."""

MAX_SENTENCES = 40
"""Sentences of a text whose meaning is read; of a longer one those that share most of the claim's rare words."""

MAX_CACHED_TEXTS = 1_000
"""Readings kept: 30 MB at sentences of 20 words."""

Floats = NDArray[np.float32]


class EncodedWords(NamedTuple):
    """The words of a text: float32 (words, dim) of length 1, each as it is meant where it stands, and how rare each is.

    What carries no content has no rarity.
    """

    states: Floats
    rarity: Floats


class WordEncoder:
    """Reads each text once, as long as it is remembered; those used longest ago are forgotten first.

    Safe to use from several threads.
    """

    def __init__(self, encoder: TokenEncoder, limit: int = MAX_CACHED_TEXTS) -> None:
        self.encoder, self.limit = encoder, limit
        self._texts: OrderedDict[str, EncodedWords] = OrderedDict()
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> list[EncodedWords]:
        """The words of each text, in order. Raises ModelError."""
        with self._lock:
            known = {text: self._texts[text] for text in texts if text in self._texts}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= {text: join_pieces(read) for text, read in zip(new, self.encoder.encode_tokens(new), strict=True)}
        with self._lock:
            self._texts |= known
            for text in known:
                self._texts.move_to_end(text)
            while len(self._texts) > self.limit:
                self._texts.popitem(last=False)
        return [known[text] for text in texts]


def join_pieces(tokens: EncodedTokens) -> EncodedWords:
    """Word pieces joined to words; a word's state is the mean of its pieces'."""
    words: list[str] = []
    starts: list[int] = []
    for place, piece in enumerate(tokens.pieces):
        if piece.startswith("##") and words:
            words[-1] += piece.removeprefix("##")
        else:
            words.append(piece)
            starts.append(place)
    if not words:
        return EncodedWords(np.zeros((0, tokens.states.shape[1]), np.float32), np.zeros(0, np.float32))
    states = np.add.reduceat(tokens.states, starts, axis=0)
    states /= np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
    return EncodedWords(states, np.array([_word_rarity(word) for word in words], np.float32))


def _word_rarity(word: str) -> float:
    stems = content_stems(word)
    return stem_rarity(stems[0]) if stems else 0.0


def measure_nearness(claim: EncodedWords, text: Sequence[EncodedWords]) -> float:
    """How near each word of the claim is to the nearest of the text, on average, the rare ones counting for more.

    "Heart attack" and "myocardial infarction" are near by that, which no stem tells (BERTScore; Zhang et al., 2020).
    """
    total = float(claim.rarity.sum())
    states = [part.states for part in text if len(part.states)]
    if not total or not states:
        return 0.0
    nearest = (claim.states @ np.concatenate(states).T).max(axis=1)
    return float(nearest @ claim.rarity) / total


class Comparison(NamedTuple):
    """A claim beside a text: the nearest sentence, "" where none is near, and what was measured.

    clashes   whether a figure stands otherwise in what is else the same sentence
    """

    sentence: str
    clashes: bool
    measures: dict[str, float]


def compare_claim(pair: Pair, nearness: float) -> Comparison:
    """All that is measured of a pair.

    nearness   of their words in meaning, as `measure_nearness`
    """
    claim, text = strip_answer_word(pair.claim), pair.text
    span = find_source_sentence(claim, text)
    sentence = text[span.start : span.end] if span else ""
    terms = compare_terms(claim, sentence, text)
    copied = max(0.0, terms.same_count / max(1, len(terms.claim)) - COPIED)
    # Only a copy is compared word by word: nearly every word of a paraphrase differs.
    is_altered = copied > 0 and any(one.kind not in HARMLESS_KINDS for one in mark_differences(terms, text))
    nearest = list_nearest(claim, text)
    measures = {
        "meaning": min(ENOUGH, nearness),
        "result": measure_agreement(claim, text),
        "faithful_copy": 0.0 if is_altered else copied,
        "altered_copy": copied if is_altered else 0.0,
        "changed": float(any(True for _ in find_changed_terms(claim, nearest, text))),
        "unsaid": min(1.0, sum(1 for _ in find_unsaid(claim, nearest, text)) / 3),
        "turned": min(1.0, _count_turned(terms) / 4),
    }
    clashes = bool(sentence) and find_figure_clash(claim, sentence, text) is not None
    return Comparison(sentence, clashes, measures)


def _count_turned(terms: TermComparison) -> int:
    said, given = ({one.key: one.kind for one in side} for side in (terms.claim, terms.source))
    new = sum(kind in ("direction", "certainty") for key, kind in said.items() if key not in given)
    return new + sum(kind == "direction" for key, kind in given.items() if key not in said)


class ComparisonJudge:
    """Supports, contradicts or is silent; the score is the probability that the text supports the claim.

    What it does not take for supported is contradicted where a figure clashes, or the text states another result; else
    the text is silent. The quote is the nearest sentence, the reason what was measured.

    encoder   the one that was fitted on; it is asked for the states of tokens, which no other judge reads
    """

    def __init__(self, encoder: TokenEncoder, calibration: Calibration) -> None:
        self.words, self.calibration = WordEncoder(encoder), calibration

    @property
    def name(self) -> str:
        return self.calibration.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order. Raises ModelError."""
        found = await run_in_worker(self.compare, pairs)
        return [self._build_verdict(one) if one else NO_TEXT for one in found]

    def compare(self, pairs: Sequence[Pair]) -> list[Comparison | None]:
        """What is measured of each pair, in order; None for an empty text. Raises ModelError."""
        return [self._compare_pair(pair) if pair.text.strip() else None for pair in pairs]

    def _compare_pair(self, pair: Pair) -> Comparison:
        with in_one_thread():
            claim, *text = self.words.encode([pair.claim, *_select_sentences(pair)])
            nearness = measure_nearness(claim, text)
        return compare_claim(pair, nearness)

    def _build_verdict(self, found: Comparison) -> Verdict:
        score = self.calibration.probability(found.measures)
        label: VerdictLabel = "silent"
        if score >= self.calibration.threshold:
            label = "supports"
        elif found.clashes or found.measures["result"] <= OPPOSED:
            label = "contradicts"
        told = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in found.measures.items())
        return Verdict(label=label, score=score, reason=told, quote=found.sentence)


def _select_sentences(pair: Pair) -> list[str]:
    found = [pair.text[start:end] for start, end in split_sentences(pair.text)]
    if len(found) <= MAX_SENTENCES:
        return found
    shared = [rare_coverage(pair.claim, sentence) for sentence in found]
    chosen = sorted(range(len(found)), key=lambda place: (-shared[place], place))[:MAX_SENTENCES]
    return [found[place] for place in sorted(chosen)]
