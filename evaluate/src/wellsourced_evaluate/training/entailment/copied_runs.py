"""How a claim is put together from runs of words of its passage, and what stands between the runs.

A faulty statement of a language model is often a near copy: a run of its source, one other word, and the run goes on.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.text.lexicon import word_set
from wellsourced.text.sentences import split_sentences

SHORTEST, TELLING = 2, 3
"""Words of a run at least; of one that tells from which sentence the claim comes."""

WIDEST_CLAIM_GAP, WIDEST_SOURCE_GAP = 4, 8
"""Words that carry meaning between two runs, on either side, for the gap to be a change inside a copy."""

_WORD = re.compile(r"\d+(?:[.,·]\d+)*|[^\W\d_]+|[<>≥≤=%]")
_LIGHT = word_set(
    "the a an of in to and or with for on at by is are was were as that this it its be been had has have from than"
)


class Run(NamedTuple):
    """Words that claim and passage have alike: where they start in the claim, how many, which sentence, where in it."""

    start: int
    length: int
    sentence: int
    place: int


def words_of(text: str) -> list[str]:
    """Its words, numbers and signs of comparison in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def find_runs(claim: Sequence[str], sentences: Sequence[Sequence[str]]) -> list[Run]:
    """The runs that the claim is made of, the longest from each word on, in order."""
    places: dict[str, list[tuple[int, int]]] = {}
    for number, sentence in enumerate(sentences):
        for place, word in enumerate(sentence):
            places.setdefault(word, []).append((number, place))
    found: list[Run] = []
    start = 0
    while start < len(claim):
        runs = [
            Run(start, _shared_length(claim, start, sentences[number], place), number, place)
            for number, place in places.get(claim[start], ())
        ]
        best = max(runs, key=lambda run: run.length, default=None)
        if best and best.length >= SHORTEST:
            found.append(best)
            start += best.length
        else:
            start += 1
    return found


def _shared_length(claim: Sequence[str], start: int, sentence: Sequence[str], place: int) -> int:
    length = 0
    while start + length < len(claim) and place + length < len(sentence):
        if claim[start + length] != sentence[place + length]:
            break
        length += 1
    return length


def measure_copying(claim: str, passage: str) -> dict[str, float]:
    """How much of the claim is copied, from how many sentences, and what is changed inside a copy."""
    said = words_of(claim)
    sentences = [words_of(passage[start:end]) for start, end in split_sentences(passage)]
    runs = find_runs(said, sentences)
    number = max(1, len(said))
    telling = [run for run in runs if run.length >= TELLING]
    known = {word for sentence in sentences for word in sentence}
    new = [word for word in said if word not in known and word not in _LIGHT]
    return {
        "longest_run": max((run.length for run in runs), default=0) / number,
        "copied": sum(run.length for run in runs) / number,
        "copied_in_long_runs": sum(run.length for run in runs if run.length > TELLING) / number,
        "runs": float(len(runs)),
        "sentences": float(len({run.sentence for run in telling})),
        "back": float(sum(one.sentence == two.sentence and two.place < one.place for one, two in pairwise(telling))),
        "jumps": float(sum(one.sentence != two.sentence for one, two in pairwise(telling))),
        "new_words": len(new) / number,
        "new_numbers": float(sum(word[0].isdigit() for word in new)),
        "words": float(len(said)),
        **count_gaps(runs, said, sentences),
    }


def count_gaps(runs: Sequence[Run], claim: Sequence[str], sentences: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """Between two runs of one sentence: how often words are exchanged, put in, left out, and figures among them."""
    found = dict.fromkeys(("exchanged", "put_in", "left_out", "figures"), 0.0)
    for one, two in pairwise(runs):
        if one.sentence != two.sentence or two.place < one.place + one.length:
            continue
        here = _telling_words(claim[one.start + one.length : two.start])
        there = _telling_words(sentences[one.sentence][one.place + one.length : two.place])
        if len(here) <= WIDEST_CLAIM_GAP and len(there) <= WIDEST_SOURCE_GAP:
            found["exchanged"] += bool(here and there)
            found["put_in"] += bool(here and not there)
            found["left_out"] += bool(there and not here)
            found["figures"] += any(word[0].isdigit() for word in (*here, *there))
    return found


def _telling_words(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _LIGHT]
