"""A language model as judge: all claims about one text in one call, and no verdict without the words that decide it."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.compare.slots import list_slots_of_text
from wellsourced.controls.record import CheckedReply, JudgeControls, ask_judges, clean_key
from wellsourced.judges.base import (
    NO_TEXT,
    PARTIAL,
    UNLOCATED_CONTRADICTION,
    UNLOCATED_SUPPORT,
    Pair,
    fill_windows,
    sentence_spans,
)
from wellsourced.models.base import Model
from wellsourced.prompts.verification import KeyedStatement, StatementVerdict, VerifyStatements
from wellsourced.text.sanitization import short_line
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems
from wellsourced.types import Verdict, VerdictLabel, short_key

NOT_FOUND = "excerpt not found"
"""What is counted of a verdict whose words stand nowhere."""

UNREADABLE_REPLY = Verdict(label="unjudged", score=0.0, reason="the model's reply on this could not be read")

PART_PLACEHOLDER = "999 of 999"
"""What the place of a part takes, before it is known how many there are."""

NOT_COPIED = (
    "You gave the excerpt “{}”, which does not stand in the source so. Copy words that do, as they stand; "
    "give passages that lie apart with … between them; or say that the source is silent."
)
NOTHING_COPIED = "You gave no excerpt. Copy the words of the source that decide it, or say that the source is silent."
PASSED_OVER = "You gave no verdict on this claim."
"""What a model is told of its reply when it is asked again."""

MAX_FAULT_WORDS = 40
"""Words of an excerpt that are given back."""

MIN_EXCERPT_WORDS = 3
"""Words of an excerpt that can be read alone."""

MAX_REASON = 300
"""Characters of a model's reason that are kept."""


class VerificationCall(NamedTuple):
    """What one call shows: claims about a text, or about a part of it.

    text       the whole of it, which the verdict belongs to
    faults     of a call that asks again: what was wrong with the reply on each claim
    question   what the claims answer; "" where nobody knows
    """

    claims: tuple[str, ...]
    text: str
    shown: str
    part: str = ""
    faults: Mapping[str, str] = MappingProxyType({})
    question: str = ""

    def build_prompt(self, *, with_questions: bool = False) -> VerifyStatements:
        """As the model is asked it; with what it is asked to look at in each claim, where that is wished."""
        claims = tuple(
            KeyedStatement(
                key=short_key(claim), text=claim, questions=self._list_questions(claim) if with_questions else ()
            )
            for claim in self.claims
        )
        return VerifyStatements(question=self.question, claims=claims, source=self.shown, part=self.part)

    def _list_questions(self, claim: str) -> tuple[str, ...]:
        pointed = list_slots_of_text(claim, self.shown, self.question)
        return (*filter(None, [self.faults.get(claim)]), *(one.phrase for one in pointed))


class ClaimOutcome(NamedTuple):
    """What came of one claim in one call; `fault`: what was wrong with the reply, where it is asked once more."""

    verdict: Verdict
    fault: str = ""


CallOutcomes = dict[tuple[Pair, str], ClaimOutcome]
"""By pair, and by the part of its text that was shown."""


class LlmJudge:
    """Supports or contradicts only with words that stand in the text; a text that supports a part of a claim is silent.

    All calls are made at once, one for each text; a second wave asks again, once, for claims that were passed over or
    whose excerpt stands nowhere in the text. A text that does not fit is shown in parts: what any part supports is
    supported, else what any part contradicts is contradicted. A call that fails leaves its claims unjudged. A score
    is 1 for support, else 0: a model that is asked for words says no probability. Support whose words stand nowhere
    is neither confirmed nor denied.

    per_call   claims in one call, at most; 0: all about one text. 1 is one call a pair, as SourceCheckup asked
    question   what the claims answer, with what is known of a patient; "" where nobody knows
    controls   how the model is itself checked in every call; None: it is not
    others     models that are asked once more where its verdicts of a call do not count
    counts     how often what happened: calls, asked again, excerpt not found, partial, unjudged
    """

    def __init__(
        self,
        model: Model,
        per_call: int = 0,
        question: str = "",
        controls: JudgeControls | None = None,
        others: Sequence[Model] = (),
    ) -> None:
        self.model, self.per_call, self.question = model, per_call, question
        self.controls, self.others = controls, tuple(others)
        self.counts: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """Names the model and the words of the prompt: another instruction, or question, is another judge."""
        asked = sha256(VerifyStatements.instruction().encode()).hexdigest()[:8]
        question = f"?{sha256(self.question.encode()).hexdigest()[:8]}" if self.question else ""
        # A verdict of a call that nothing was planted in is another one.
        checked = "/controlled" if self.controls else ""
        return f"asked:{self.model.name}@{asked}{question}{checked}" + (f"/{self.per_call}" if self.per_call else "")

    def for_question(self, question: str) -> "LlmJudge":
        """The same judge, who is shown what the claims answer."""
        judge = LlmJudge(self.model, self.per_call, question, self.controls, self.others)
        judge.counts = self.counts
        return judge

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; a model that fails raises nothing, its pairs are unjudged."""
        calls = list(self._plan_calls(pairs))
        heard = await self._run_wave(calls)
        again = [
            call._replace(claims=tuple(left), faults=left) for call in calls if (left := _claims_to_repeat(call, heard))
        ]
        heard |= await self._run_wave(again)
        self.counts["asked again"] += sum(len(call.claims) for call in again)
        said: dict[Pair, list[Verdict]] = defaultdict(list)
        for (pair, _), one in heard.items():
            said[pair].append(one.verdict)
        found = {pair: _merge_verdicts(some) for pair, some in said.items()}
        self.counts.update(_outcome_label(verdict) for verdict in found.values())
        return [found.get(pair, NO_TEXT) for pair in pairs]

    # --- what is asked ---------------------------------------------------------------------------------------------

    def _plan_calls(self, pairs: Sequence[Pair]) -> Iterator[VerificationCall]:
        claims: dict[str, dict[str, None]] = defaultdict(dict)
        for pair in pairs:
            if pair.text.strip() and pair.claim.strip():
                claims[pair.text][pair.claim] = None
        for text, some in claims.items():
            size = self.per_call or len(some)
            every = tuple(some)
            for start in range(0, len(every), size):
                yield from self._fit_calls(every[start : start + size], text)

    def _fit_calls(self, claims: tuple[str, ...], text: str) -> Iterator[VerificationCall]:
        """One call where it fits; else parts of the text, or parts of the claims where these take most of the room."""
        whole = VerificationCall(claims, text, text, question=self.question)
        if self.model.context_left(whole.build_prompt()) >= 0:
            yield whole
            return
        spare = self.model.context_left(whole._replace(shown="", part=PART_PLACEHOLDER).build_prompt())
        if len(claims) > 1 and spare < self.model.context_left(whole._replace(claims=(), shown="").build_prompt()) / 2:
            middle = len(claims) // 2
            yield from self._fit_calls(claims[:middle], text)
            yield from self._fit_calls(claims[middle:], text)
        elif spare <= 0:
            # It fits nowhere, and whoever is asked says so.
            yield whole
        else:
            yield from self._split_text(claims, text)

    def _split_text(self, claims: tuple[str, ...], text: str) -> Iterator[VerificationCall]:
        places = sentence_spans(text)
        asked = VerificationCall(claims, text, "", PART_PLACEHOLDER, question=self.question)

        def part_text(first: int, last: int) -> str:
            return text[places[first].start : places[last - 1].end]

        windows = fill_windows(
            len(places),
            lambda first, last: (
                self.model.context_left(asked._replace(shown=part_text(first, last)).build_prompt()) >= 0
            ),
        )
        for number, window in enumerate(windows, 1):
            yield asked._replace(shown=part_text(*window), part=f"{number} of {len(windows)}")

    # --- what is said ----------------------------------------------------------------------------------------------

    async def _run_wave(self, calls: Sequence[VerificationCall]) -> CallOutcomes:
        self.counts["calls"] += len(calls)
        replies = await asyncio.gather(*map(self._ask_model, calls))
        return {
            (Pair(claim, call.text), call.part): heard
            for call, reply in zip(calls, replies, strict=True)
            for claim, heard in reply.items()
        }

    async def _ask_model(self, call: VerificationCall) -> dict[str, ClaimOutcome]:
        pointed = call.build_prompt(with_questions=True)
        prompt = pointed if self.model.context_left(pointed) >= 0 else call.build_prompt()
        reply = await ask_judges(self.controls, (self.model, *self.others), prompt)
        why = str(reply.error or "") or reply.doubt
        unread = ClaimOutcome(UNREADABLE_REPLY.model_copy(update={"reason": why}))
        said: dict[str, list[StatementVerdict]] = defaultdict(list)
        for item in reply.items:
            if isinstance(item, StatementVerdict):
                said[clean_key(item.key)].append(item)
        return {
            claim: _add_reservations(_read_outcome(said[key], call.shown), reply)
            if (key := short_key(claim)) in said or not why
            else unread
            for claim in call.claims
        }


def _add_reservations(outcome: ClaimOutcome, reply: CheckedReply) -> ClaimOutcome:
    """With what speaks for caution beside support: that the model was not itself checked, or misses some errors."""
    if outcome.verdict.label != "supports":
        return outcome
    told = filter(None, (outcome.verdict.reason, *reply.notes))
    return outcome._replace(verdict=outcome.verdict.model_copy(update={"reason": "; ".join(told)[:MAX_REASON]}))


def _claims_to_repeat(call: VerificationCall, heard: CallOutcomes) -> dict[str, str]:
    """Those that are asked again, with what was wrong: the same request would be answered from the disk."""
    outcomes = {claim: heard[Pair(claim, call.text), call.part] for claim in call.claims}
    return {claim: one.fault for claim, one in outcomes.items() if one.fault}


def _read_outcome(said: Sequence[StatementVerdict], shown: str) -> ClaimOutcome:
    """One verdict of what was said of a claim: a contradiction that shows its words first, then silence, then support.

    A model may say several things of one claim: the most cautious counts.
    """
    if not said:
        return ClaimOutcome(UNREADABLE_REPLY, PASSED_OVER)
    quoted = [(item, _locate_excerpt(item.excerpt, shown)) for item in said]
    for item, quote in quoted:
        if item.label == "contradicts" and quote:
            return ClaimOutcome(_build_verdict("contradicts", item.reason, quote))
    for item, quote in quoted:
        if item.partial and item.label != "contradicts":
            reason = f"{PARTIAL}: {item.reason}" if item.reason else PARTIAL
            return ClaimOutcome(_build_verdict("silent", reason, quote))
        if item.label == "silent":
            return ClaimOutcome(_build_verdict("silent", item.reason))
    if all(quote for _, quote in quoted):
        return ClaimOutcome(_build_verdict("supports", quoted[0][0].reason, quoted[0][1]))
    return _unlocated_outcome(next(item for item, quote in quoted if not quote))


def _unlocated_outcome(item: StatementVerdict) -> ClaimOutcome:
    """What a verdict comes to whose words stand nowhere: it may be right, and nobody can see it."""
    fault = NOT_COPIED.format(short_line(item.excerpt, MAX_FAULT_WORDS)) if item.excerpt.strip() else NOTHING_COPIED
    if item.label == "supports":
        return ClaimOutcome(Verdict(label="silent", score=0.0, reason=UNLOCATED_SUPPORT), fault)
    reason = f"{UNLOCATED_CONTRADICTION}: {item.reason}" if item.reason else UNLOCATED_CONTRADICTION
    return ClaimOutcome(_build_verdict("silent", reason), fault)


def _locate_excerpt(excerpt: str, shown: str) -> str:
    """The source's own characters that a copy stands for; "" when it stands nowhere, or says nothing.

    Of words too few to be read alone, the sentence in which they stand: "colchicine" alone decides nothing.
    """
    found = align_quote(excerpt, shown) if content_stems(excerpt) else ()
    if len(found) == 1 and len(re.findall(r"\w+", excerpt)) < MIN_EXCERPT_WORDS:
        start, end = next(
            (span for span in split_sentences(shown) if span.start <= found[0].start and found[0].end <= span.end),
            found[0][:2],
        )
        return shown[start:end]
    return " … ".join(shown[one.start : one.end] for one in found)


def _build_verdict(label: VerdictLabel, reason: str, quote: str = "") -> Verdict:
    return Verdict(
        label=label, score=float(label == "supports"), reason=reason[:MAX_REASON], quote=quote, basis="model"
    )


def _merge_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Of the parts of one text: what any supports, else contradicts; what a part was not heard of is not silent."""
    for label in ("supports", "contradicts", "unjudged"):
        if found := next((verdict for verdict in verdicts if verdict.label == label), None):
            return found
    told = sorted(verdicts, key=lambda one: (one.reason != UNLOCATED_SUPPORT, not one.reason.startswith(PARTIAL)))
    return told[0]


def _outcome_label(verdict: Verdict) -> str:
    if verdict.label != "silent":
        return verdict.label
    told = verdict.reason.partition(":")[0]
    return {PARTIAL: "partial", UNLOCATED_SUPPORT: NOT_FOUND, UNLOCATED_CONTRADICTION: NOT_FOUND}.get(told, "silent")
