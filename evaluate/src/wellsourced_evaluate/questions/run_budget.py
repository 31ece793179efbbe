"""What a run may cost, and what each case took: calls to language models and steps, heard as they end."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from wellsourced.events import (
    AnswerChecked,
    AnswerCompleted,
    AnswerDrafted,
    Event,
    ModelCalled,
    PassagesRead,
    QuestionFramed,
    SearchPlanned,
    SourceSearched,
)
from wellsourced.models.providers.engine import estimate_tokens
from wellsourced_evaluate.questions.answer_run import AnswerRecord, PromptTokens, hash_parts

STEPS: Mapping[type[Event], str] = {
    QuestionFramed: "frame",
    SearchPlanned: "plan",
    SourceSearched: "search",
    PassagesRead: "read",
    AnswerDrafted: "write",
    AnswerChecked: "check",
    AnswerCompleted: "finish",
}
"""The event with which a step of a question ends."""


class RunLimit(NamedTuple):
    """What a run may cost, what was recorded before included; 0: as much as it takes."""

    calls: int = 0
    dollars: float = 0.0


class RunBudget:
    """The account of all arms of a run: cases are begun as long as it lasts, and those under way are finished.

    A case is begun when what was spent leaves room for it and for those under way, each as dear as the dearest so far;
    until one has ended, they are asked one by one. So only a case that is dearer than every one before it exceeds it.

    stopped   why no more cases are begun, with what to do; "" as long as they are
    """

    def __init__(self, limit: RunLimit) -> None:
        self.limit, self.stopped = limit, ""
        self.calls, self.dollars = 0, 0.0
        self._dearest: tuple[int, float] | None = None
        self._prices_known = True
        self._under_way: dict[str, tuple[int, float]] = {}
        self._changed = asyncio.Condition()

    def count_earlier(self, records: Iterable[AnswerRecord]) -> None:
        """Charge what is on the disk already."""
        for record in records:
            self._prices_known &= record.cost is not None and record.judge_cost is not None
            self._settle(record.calls + record.judge_calls, (record.cost or 0.0) + (record.judge_cost or 0.0))

    async def admit(self, case: str) -> bool:
        """Whether a case may be begun; waits while that depends on what those under way will cost."""
        async with self._changed:
            while any(self.limit) and not self.stopped and not self._has_room():
                self.stopped = self._explain_stop()
                if not self.stopped:
                    await self._changed.wait()
            if not self.stopped:
                self._under_way[case] = (0, 0.0)
            return not self.stopped

    def charge(self, case: str, calls: int, dollars: float | None) -> None:
        """Charge what a call of a case under way has cost."""
        self._prices_known &= dollars is not None
        before = self._under_way[case]
        self._under_way[case] = before[0] + calls, before[1] + (dollars or 0.0)

    async def end(self, case: str) -> None:
        """Count a case as over, well or not."""
        async with self._changed:
            self._settle(*self._under_way.pop(case))
            self._changed.notify_all()

    def _settle(self, calls: int, dollars: float) -> None:
        self.calls, self.dollars = self.calls + calls, self.dollars + dollars
        most = self._dearest or (0, 0.0)
        self._dearest = max(most[0], calls), max(most[1], dollars)

    def _has_room(self) -> bool:
        """Whether one more as dear as the dearest fits beside those under way."""
        if self.limit.dollars and not self._prices_known:
            return False
        if self._dearest is None:
            return not self._under_way
        calls, dollars = self._dearest
        begun = self._under_way.values()
        needed = self.calls + calls + sum(max(spent, calls) for spent, _ in begun)
        price = self.dollars + dollars + sum(max(spent, dollars) for _, spent in begun)
        return needed <= (self.limit.calls or needed) and price <= (self.limit.dollars or price)

    def _explain_stop(self) -> str:
        """Why nothing more can be asked, whatever those under way cost; "" for nothing."""
        if self.limit.dollars and not self._prices_known:
            return (
                "what the model costs is not known, so --max-dollars cannot be kept: set models.price_in and "
                "models.price_out, or give --max-calls instead"
            )
        if self._under_way or self._dearest is None:
            return ""
        calls, dollars = self._dearest
        parts = [f"{self.calls:,} of {self.limit.calls:,} calls"] if self.limit.calls else []
        parts += [f"{self.dollars:.4f} of {self.limit.dollars:g} US dollars"] if self.limit.dollars else []
        cost = f"{calls:,} calls" if self.limit.calls else f"{dollars:.4f} US dollars"
        return f"{' and '.join(parts)} are spent, and a case may take {cost}. Give it again with more, and it goes on"


class CallTally:
    """The calls that were made for one case, and the time that its steps took, also when it failed in the end.

    charge   hears of each call that cost anything: how many requests, and US dollars; None: that is not known
    """

    def __init__(self, charge: Callable[[int, float | None], None]) -> None:
        self.calls = self.cached = self.tokens = self.depth = 0
        self.cost: float | None = 0.0
        self._keys: set[str] = set()
        self._errors: list[str] = []
        self._charge = charge
        self._steps: defaultdict[str, float] = defaultdict(float)
        self._by_prompt: dict[str, PromptTokens] = {}
        self._shown = 0
        self._last = time.perf_counter()

    def hear(self, event: Event) -> None:
        """Count a call to a model, or the time since the last step ended for the one that ends now."""
        if step := STEPS.get(type(event)):
            before, self._last = self._last, time.perf_counter()
            self._steps[step] += self._last - before
        if isinstance(event, PassagesRead):
            self._shown += sum(estimate_tokens(one.passage.text) for one in event.evidence)
        if isinstance(event, ModelCalled):
            self._hear_call(event)

    def _hear_call(self, event: ModelCalled) -> None:
        self._keys.add(event.key)
        self.depth = max(self.depth, event.depth)
        self._errors += [event.error] if event.error else []
        if event.cached:
            self.cached += 1
            return
        self.calls += event.requests
        self.tokens += event.tokens_in + event.tokens_out
        calls, tokens_in, tokens_out = self._by_prompt.get(event.prompt, PromptTokens(0, 0, 0))
        self._by_prompt[event.prompt] = PromptTokens(
            calls + 1, tokens_in + event.tokens_in, tokens_out + event.tokens_out
        )
        self.cost = None if self.cost is None or event.cost is None else self.cost + event.cost
        self._charge(event.requests, event.cost)

    def to_fields(self) -> dict[str, object]:
        """As a record has it."""
        return {
            **{"calls": self.calls, "cached": self.cached, "tokens": self.tokens, "cost": self.cost},
            "depth": self.depth,
            **{"failed_calls": len(self._errors), "model_error": next(iter(self._errors), "")},
            "prompts": hash_parts(sorted(self._keys)) if self._keys else "",
            "steps": {name: round(seconds, 3) for name, seconds in self._steps.items()},
            **{"by_prompt": self._by_prompt, "context_tokens": self._shown},
        }
