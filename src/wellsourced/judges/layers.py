"""Judges around judges: a guard that refuses what differs in a fact, verdicts that are kept on disk, and a judge that
is believed as far as it has earned it.
"""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path

from wellsourced.citations.quote_alignment import is_verbatim
from wellsourced.compare.slots import REVERSALS, find_disagreements
from wellsourced.judges.base import (
    VERBATIM_VERDICT,
    Judge,
    Pair,
    QuestionAwareJudge,
    ScoredVerdict,
    ScoringJudge,
    score_pairs,
)
from wellsourced.judges.track_record import JudgeEvidence
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Verdict, VerdictLabel

MIN_ABOUT_COVERAGE = 0.6
"""Share of the claim's words in a sentence that is about it."""

VERBATIM_SCORE = ScoredVerdict(VERBATIM_VERDICT, 0.0)


class GuardedJudge(ScoringJudge):
    """Another judge's verdicts, but a text that disagrees on a fact, or only asks for it, cannot support.

    Where the guard finds the opposite (negation, direction, sides that changed places) the verdict is "contradicts",
    where it finds another number, population or drug it is "silent". The reason names both sides; the score stays the
    other judge's, and says how near the text is. Whole sentences of the text are supported by it with score 1, by
    construction. A part of a sentence is not, since "there is no evidence that" may stand before it.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge_behind = judge

    @property
    def name(self) -> str:
        return f"guarded:{self.judge_behind.name}"

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        """The judge behind is asked only about what is not verbatim.

        Where the guard finds the opposite, what it took for support counts as contradiction.
        """
        verbatim = [is_verbatim(pair.claim, pair.text) for pair in pairs]
        asked = [pair for pair, own in zip(pairs, verbatim, strict=True) if not own]
        judged = iter(await score_pairs(self.judge_behind, asked) if asked else [])
        return [
            VERBATIM_SCORE if own else _guard_score(pair, next(judged))
            for pair, own in zip(pairs, verbatim, strict=True)
        ]


def _guard_score(pair: Pair, heard: ScoredVerdict) -> ScoredVerdict:
    verdict = guard_verdict(pair, heard.verdict)
    # Only where the guard found the opposite does what was taken for support count against the claim.
    if heard.against is None or verdict is heard.verdict or verdict.label != "contradicts":
        return ScoredVerdict(verdict, heard.against)
    return ScoredVerdict(verdict, min(1.0, heard.verdict.score + heard.against))


def guard_verdict(pair: Pair, verdict: Verdict) -> Verdict:
    """The verdict, unless claim and text disagree on a fact; whoever can be believed is not overruled by it."""
    # Whoever read the text, or found its own words, is not overruled by a comparison of words.
    if verdict.basis != "likeness":
        return verdict
    found = find_disagreements(pair.claim, pair.text) if pair.text.strip() else []
    if not found:
        return verdict
    opposite = [one for one in found if one.kind in REVERSALS]
    if verdict.label != "supports" and not (opposite and _is_about_claim(pair)):
        # What the text does not have takes no contradiction back, and makes none of what is about something else.
        return verdict
    worst = (opposite or found)[0]
    label: VerdictLabel = "contradicts" if opposite else "silent"
    return verdict.model_copy(update={"label": label, "reason": worst.describe("claim", "text")})


def _is_about_claim(pair: Pair) -> bool:
    """Whether a sentence of the text is about the claim: then the opposite in it is one."""
    return any(
        stem_coverage(pair.claim, pair.text[span.start : span.end]) >= MIN_ABOUT_COVERAGE
        for span in split_sentences(pair.text)
    )


MAX_BYTES = 50_000_000
"""Of all verdicts, about 200,000; the oldest go first."""


class CachedJudge:
    """Another judge's verdicts, kept in a SQLite file that several processes, and all judges, may share.

    Of a claim and a text only a hash is stored, and the words that decided a verdict. What was not judged (`unjudged`)
    is not kept: it is asked again.

    path        of the file; it is open only while it is asked, since nobody closes a judge
    max_bytes   of all verdicts
    """

    def __init__(self, judge: Judge, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.judge_behind = judge
        self.cache = SqliteCache(path, max_bytes, what="verdicts", tracks_use=False)

    @property
    def name(self) -> str:
        return self.judge_behind.name

    def for_question(self, question: str) -> "CachedJudge":
        """The same, of a judge that is told what the claims answer; this one where the judge cannot be told."""
        # Its verdicts do not depend on the question, so that they can go on being shared.
        if not isinstance(self.judge_behind, QuestionAwareJudge):
            return self
        copied = copy(self)
        copied.judge_behind = self.judge_behind.for_question(question)
        return copied

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; the judge behind is asked once, and only for what is not known."""
        keys = {pair: hash_parts(self.name, pair.claim, pair.text) for pair in pairs}
        known = await self._find_verdicts(keys)
        missing = [pair for pair in keys if pair not in known]
        if missing:
            new = dict(zip(missing, await self.judge_behind.judge(missing), strict=True))
            await self._store_verdicts({keys[pair]: verdict for pair, verdict in new.items()})
            known |= new
        return [known[pair] for pair in pairs]

    async def _find_verdicts(self, keys: Mapping[Pair, bytes]) -> dict[Pair, Verdict]:
        entries = await self.cache.find(*keys.values())
        await self.cache.close()
        verdicts = {key: _load_verdict(entry) for key, entry in entries.items()}
        return {pair: verdict for pair, key in keys.items() if (verdict := verdicts.get(key))}

    async def _store_verdicts(self, verdicts: Mapping[bytes, Verdict]) -> None:
        # Whoever failed may answer the next time.
        judged = {key: verdict for key, verdict in verdicts.items() if verdict.label != "unjudged"}
        rows = {key: [one.label, one.score, one.reason, one.quote, one.basis] for key, one in judged.items()}
        await self.cache.store({key: CacheEntry(json.dumps(row)) for key, row in rows.items()})
        await self.cache.close()


def _load_verdict(entry: CacheEntry) -> Verdict | None:
    """A verdict; None for a row that is none, which is judged again and written over."""
    try:
        label, score, reason, quote, basis = json.loads(entry.meta)
        return Verdict(label=label, score=score, reason=reason, quote=quote, basis=basis)
    except (ValueError, TypeError):
        return None


MIN_SHOWN_COVERAGE = 0.3
"""Share of the claim's words that a sentence must have to be shown as what the verdict rests on."""

FRAGMENT_SEPARATOR = " … "


class EarnedJudge(ScoringJudge):
    """Another judge's verdicts, with basis “judge” where it has earned to be believed; all others stay as they are.

    Believed is “supports”, or “contradicts”, from the threshold on that was measured for it, if the words can be named
    that it rests on. That a text says nothing of a claim is not believed.
    """

    def __init__(self, judge: Judge, evidence: JudgeEvidence) -> None:
        self.judge_behind, self.evidence = judge, evidence

    @property
    def name(self) -> str:
        return f"{self.judge_behind.name}+earned@{self.evidence.thresholds_key}"

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        heard = await score_pairs(self.judge_behind, pairs)
        return [self._believe(pair, one) for pair, one in zip(pairs, heard, strict=True)]

    def _believe(self, pair: Pair, heard: ScoredVerdict) -> ScoredVerdict:
        call = next((one for one in self.evidence.calls if one.label == heard.verdict.label), None)
        step = call and call.earned_step
        if not call or not step or heard.verdict.basis != "likeness":
            return heard
        score, quote = call_score(heard), find_deciding_words(pair, heard.verdict)
        if score is None or score < step.threshold or not quote:
            return heard
        trust = f"score {score:.2f}; from {step.threshold:g} on, {step.right:,} of {step.calls:,} calls were right"
        told = {"quote": quote, "basis": "judge", "reason": "; ".join(filter(None, (heard.verdict.reason, trust)))}
        return heard._replace(verdict=heard.verdict.model_copy(update=told))


def call_score(heard: ScoredVerdict) -> float | None:
    """How sure the judge is of what it says; None: it does not tell."""
    return {"supports": heard.verdict.score, "contradicts": heard.against}.get(heard.verdict.label)


def find_deciding_words(pair: Pair, verdict: Verdict) -> str:
    """The words that a verdict rests on: those that the judge names, if they stand in the text, else the sentence that
    is nearest to the claim; "" where no sentence is near, and where the text neither supports nor contradicts.
    """
    if verdict.label not in ("supports", "contradicts"):
        return ""
    fragments = verdict.quote.split(FRAGMENT_SEPARATOR)
    if all(fragment and fragment in pair.text for fragment in fragments):
        return verdict.quote
    sentences = [pair.text[start:end] for start, end in split_sentences(pair.text)] or [pair.text]
    nearest = max(sentences, key=lambda sentence: (stem_coverage(pair.claim, sentence), -len(sentence)))
    return nearest if stem_coverage(pair.claim, nearest) >= MIN_SHOWN_COVERAGE else ""
