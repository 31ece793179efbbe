"""Pairs from one sentence and its neighbours: paraphrase, contradiction by one change, another subject, more said."""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from wellsourced_evaluate.training.entailment import alter
from wellsourced_evaluate.training.entailment.texts import Document, Weights

CONTRADICTED, NOT_ENOUGH, SUPPORTED = "contradicted", "not_enough", "supported"
SHORTEST, LONGEST = 40, 320
"""Characters of a sentence that is used."""


class Pair(NamedTuple):
    """A claim, a text, what the text says of the claim, how the pair was made and from which document."""

    claim: str
    evidence: str
    label: str
    kind: str
    document: str


def usable(sentence: str) -> bool:
    """Whether it is a plain sentence of a fitting length."""
    letters = sum(c.isalpha() or c == " " for c in sentence)
    return SHORTEST <= len(sentence) <= LONGEST and letters > 0.75 * len(sentence) and not sentence.endswith("?")


def with_neighbour(document: Document, place: int, sentence: str, random: Random) -> str:
    """The sentence, at times with the one before or after it."""
    said = document.sentences
    if random.random() < 0.6 or len(said) < 2:
        return sentence
    if place and (random.random() < 0.5 or place + 1 == len(said)):
        return f"{said[place - 1]} {sentence}"[-600:]
    return f"{sentence} {said[min(place + 1, len(said) - 1)]}"[:600]


def minimal(document: Document, place: int, weights: Weights, random: Random) -> Iterator[Pair]:
    """Pairs about one sentence. Claims changed and unchanged are as often supported as contradicted."""
    sentence = document.sentences[place]
    short_forms = alter.abbreviations(" ".join(document.sentences))

    def claimed(text: str) -> str:
        return alter.paraphrased(text, short_forms, random)

    def pair(claim: str, evidence: str, label: str, kind: str) -> Pair:
        return Pair(claim, with_neighbour(document, place, evidence, random), label, kind, document.id)

    claim = claimed(sentence)
    against = alter.contradicted(claim, random)
    turned = alter.contradicted(sentence, random)
    if against and turned:
        # Four corners, so that neither the claim nor the evidence alone tells the label.
        yield from _corners(sentence, claim, against, turned, pair, random)
    elsewhere = _elsewhere(document, place, claim, weights)
    if elsewhere is not None:
        text = document.sentences[elsewhere]
        chosen = against if against and random.random() < 0.6 else claim
        yield Pair(
            chosen, with_neighbour(document, elsewhere, text, random)[:400], NOT_ENOUGH, "elsewhere", document.id
        )
    yield from _subject(sentence, claimed, pair, random)
    yield from _added(sentence, pair, random)


def _corners(sentence: str, claim: str, against: str, turned: str, pair, random: Random) -> Iterator[Pair]:  # type: ignore[no-untyped-def]
    """Two or three of: claim and sentence, claim turned, sentence turned, both turned by the same change."""
    same = _same_change(sentence, random)
    if same:
        old, new = same
        claim = alter.paraphrased(old, {}, random)
        claim_new = alter.paraphrased(new, {}, random)
        corners = [
            pair(claim, old, SUPPORTED, "as said"), pair(claim_new, new, SUPPORTED, "both changed"),
            pair(claim_new, old, CONTRADICTED, "claim changed"), pair(claim, new, CONTRADICTED, "evidence changed"),
        ]  # fmt: skip
        yield from random.choice(
            [(corners[0], corners[2]), (corners[1], corners[3]), (corners[0], corners[3]), (corners[1], corners[2])]
        )
    else:
        yield pair(claim, sentence, SUPPORTED, "as said")
        yield (
            pair(against, sentence, CONTRADICTED, "claim changed")
            if random.random() < 0.5
            else pair(claim, turned, CONTRADICTED, "evidence changed")
        )


def _same_change(sentence: str, random: Random) -> tuple[str, str] | None:
    """The bare sentence and the same after one change that contradicts it."""
    old = alter.bare(sentence)
    new = alter.contradicted(old, random)
    return (old, new) if new and new != old else None


def _elsewhere(document: Document, place: int, claim: str, weights: Weights) -> int | None:
    """Another sentence of the document that shares words with the claim and does not hold it."""
    near = [p for p in range(max(0, place - 4), min(len(document.sentences), place + 5)) if p != place]
    covered = [
        (weights.covered(claim, document.sentences[p]), p) for p in near if len(document.sentences[p]) > SHORTEST
    ]
    fitting = [one for one in covered if 0.05 < one[0] < 0.45]
    return max(fitting)[1] if fitting else None


def _subject(sentence: str, claimed, pair, random: Random) -> Iterator[Pair]:  # type: ignore[no-untyped-def]
    """About another population, organ or time: in one of the two it is silent, in both it is said."""
    other = alter.other_subject(sentence, random)
    if other is None or random.random() < 0.3:
        return
    ways = [(claimed(other), sentence), (claimed(sentence), other)]
    # A paraphrase may have dropped the very words that were changed: then nothing was.
    for claim, evidence in random.sample(ways, 1):
        changed = set(re.findall(r"\w+", other)) ^ set(re.findall(r"\w+", sentence))
        if changed & set(re.findall(r"\w+", claim)):
            yield pair(claim, evidence, NOT_ENOUGH, "other subject")
    if random.random() < 0.5:
        yield pair(claimed(other), other, SUPPORTED, "both subject")


def _added(sentence: str, pair, random: Random) -> Iterator[Pair]:  # type: ignore[no-untyped-def]
    """The claim says more than the evidence: the other way round it would be supported."""
    short = alter.shortened(sentence, random)
    if short and len(sentence) - len(short) > 40 and sentence.startswith(short[:20]) and random.random() < 0.4:
        rest = sentence[len(short) - 1 :]
        yield pair(alter.bare(sentence), short, NOT_ENOUGH, "more said")
        if len(rest) > 40 and random.random() < 0.3:
            yield pair(alter.bare(sentence), sentence, SUPPORTED, "whole")


def sentences_of(documents: Sequence[Document], count: int, random: Random) -> list[tuple[Document, int]]:
    """Documents and places of usable sentences, at most three of a document, drawn at random; conclusions first."""
    found: list[tuple[Document, int]] = []
    for document in documents:
        places = [p for p, s in enumerate(document.sentences) if usable(s)]
        random.shuffle(places)
        places.sort(key=lambda p: p not in document.conclusions)
        found += [(document, p) for p in places[:3]]
    random.shuffle(found)
    return found[:count]
