"""What a source only asks, assumes or fails to show, claims that call unproven what it says, and advice that is turned
round.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.lazy import lazy_regex
from wellsourced.text.sanitization import short_line
from wellsourced.text.scope import list_regions
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import Verdict

DOUBTING = frozenset({"asked", "unshown"})
"""Sorts of scope in which a text asserts nothing."""

MIN_COVERAGE = 0.6
"""Share of a claim's words that a sentence has which says it, whether it believes it or not."""

NEAR_BEST = 0.6
"""Share of the best sentence's words from which another one is about the claim too."""

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read: a bound for hostile texts."""

_HEDGING_WORD = lazy_regex(
    r"\b(?:no|not|never|without|lack\w*|insufficient|unclear|unknown|unproven|uncertain|controversial|may|might)\b",
    re.IGNORECASE,
)


def is_claim_hedged(claim: str, sentence: str) -> bool:
    """Whether what the claim asserts stands in the sentence behind "there is no evidence that" and the like."""
    # The claim doubts as well: then the two say the same, and no doubt was lost.
    if _HEDGING_WORD.search(claim) or _find_doubted(claim, DOUBTING):
        return False
    read = sentence[:MAX_SENTENCE_LENGTH]
    doubted = _find_doubted(read, DOUBTING)
    return bool(doubted) and stem_coverage(claim, " ".join(doubted.values())) > stem_coverage(
        claim, _rest(read, doubted)
    )


def _find_doubted(text: str, sorts: frozenset[str]) -> dict[tuple[int, int], str]:
    """The parts of a text of which it says that nobody has found them, or asks and assumes them, by their places."""
    return {(one.start, one.end): text[one.start : one.end] for one in list_regions(text) if one.sort in sorts}


def _rest(text: str, parts: Iterable[tuple[int, int]]) -> str:
    letters = list(text)
    for start, end in parts:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def is_claim_only_hedged(claim: str, sentences: Sequence[str]) -> bool:
    """Whether the sentences that say most of the claim all doubt it: the aim of a study beside its result does not."""
    shares = [stem_coverage(claim, sentence) for sentence in sentences]
    best = max(shares, default=0.0)
    about = [one for one, share in zip(sentences, shares, strict=True) if share >= NEAR_BEST * best]
    # All of them: the aim of a study asks what its result then says.
    return bool(about) and all(is_claim_hedged(claim, sentence) for sentence in about)


def is_denial_of(claim: str, sentence: str) -> bool:
    """Whether the claim calls unshown or untrue what the sentence says without a doubt."""
    unshown = frozenset({"unshown"})
    denied = " ".join(_find_doubted(claim, unshown).values())
    # The source must say it without a doubt of its own, else both deny it, or nobody knows; unless the claim repeats
    # that doubt and denies it with the rest.
    own = set(map(str.lower, _HEDGING_WORD.findall(sentence))) - set(map(str.lower, _HEDGING_WORD.findall(denied)))
    if not denied or own or _find_doubted(sentence, unshown):
        return False
    return stem_coverage(denied, sentence) >= MIN_COVERAGE


def find_hedging_sentence(claim: str, text: str) -> str:
    """The sentence that speaks of the claim and doubts it, where none that is as near says so; "" otherwise."""
    read = [text[start:end] for start, end in split_sentences(text)]
    shares = [stem_coverage(claim, sentence) for sentence in read]
    best = max(shares, default=0.0)
    if best < MIN_COVERAGE:
        return ""
    about = [sentence for sentence, share in zip(read, shares, strict=True) if share >= NEAR_BEST * best]
    return about[0] if is_claim_only_hedged(claim, read) else ""


def withhold_hedged_support(claim: str, text: str, verdict: Verdict) -> Verdict:
    """The verdict, unless the text only asks, assumes or fails to show what it is said to support."""
    if verdict.label != "supports" or not (words := find_hedging_sentence(claim, text)):
        return verdict
    reason = f"the source only reports what is thought, asked or not shown: “{short_line(words)}”"
    return Verdict(label="silent", score=verdict.score, reason=reason)


MIN_SHARED_STEMS = 0.6
"""Share of the claim's other words that a clause, or with its sentence's first words, has when it advises the same."""

MAX_ADVICE_LENGTH = 2_000
"""Characters of a sentence that are read."""

_ACTION = r"(?:given|used|taken|started|offered|prescribed|administered|continued|considered)"
_APPROVAL = r"(?:recommended|indicated|safe|advised|preferred|advisable)"
_ADVICE_FOR = re.compile(
    rf"\b(?:(?:should|must|can) be {_ACTION}|(?:is|are) (?:also |generally )?{_APPROVAL})\b", re.IGNORECASE
)
_ADVICE_AGAINST = re.compile(
    rf"\b(?:(?:should|must|can) (?:not be {_ACTION}|be (?:avoided|withheld|stopped|discontinued))|cannot be {_ACTION}"
    rf"|(?:is|are) (?:contraindicated|unsafe|not (?:\w+ )?{_APPROVAL}))\b",
    re.IGNORECASE,
)
_ADVICE_CLAUSE_ENDS = re.compile(r"[;:]|,?\s\b(?:but|although|though|while|whereas|however|except)\b", re.IGNORECASE)


class Advice(NamedTuple):
    """What a clause advises: for (+1) or against (-1), in which words, of what, and for whom: its last word."""

    sign: int
    words: str
    subject_stems: frozenset[str]
    last_stem: str


def compare_advice(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Advice of the claim that the evidence turns round in the clause that has most of the claim's other words.

    One sentence that advises the same is enough: others may speak of other people.
    """
    said = next(_extract_advice(claim), None)
    if said is None or not said.subject_stems:
        return
    turned: Disagreement | None = None
    for start, end in split_sentences(evidence):
        given = list(_extract_advice(evidence[start : min(end, start + MAX_ADVICE_LENGTH)]))
        about = frozenset[str]().union(*(one.subject_stems for one in given))
        if not given or len(said.subject_stems & about) < MIN_SHARED_STEMS * len(said.subject_stems):
            continue
        nearest = max(
            given,
            key=lambda one: (
                len(one.subject_stems & said.subject_stems),
                said.last_stem in one.subject_stems,
                one.sign == said.sign,
            ),
        )
        if nearest.sign == said.sign:
            return
        turned = turned or Disagreement("direction", said.words, nearest.words)
    if turned:
        yield turned


def _extract_advice(sentence: str) -> Iterator[Advice]:
    for clause in _ADVICE_CLAUSE_ENDS.split(sentence):
        # Against first: "should not be given" has the words of advice for it, too.
        for sign, pattern in ((-1, _ADVICE_AGAINST), (1, _ADVICE_FOR)):
            if found := pattern.search(clause):
                rest = content_stems(f"{clause[: found.start()]} {clause[found.end() :]}")
                yield Advice(sign, found.group().lower(), frozenset(rest), rest[-1] if rest else "")
                break
