"""What all arms of a run together may cost: cases are begun as long as it lasts, and those under way are finished."""

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from wellsourced_evaluate.questions.answer_run import AnswerRecord


class CaseCost(NamedTuple):
    """Requests to language models, and US dollars; None: that is not known."""

    calls: int = 0
    dollars: float | None = 0.0

    def plus(self, other: "CaseCost") -> "CaseCost":
        """Both together."""
        known = self.dollars is not None and other.dollars is not None
        return CaseCost(self.calls + other.calls, (self.dollars or 0) + (other.dollars or 0) if known else None)


class RunLimit(NamedTuple):
    """What a run may cost, what was recorded before included; 0: as much as it takes."""

    calls: int = 0
    dollars: float = 0.0


class RunBudget:
    """The account of a run. What it may cost is exceeded only by a case that is dearer than every one before it.

    A case is begun when what was spent leaves room for it and for those under way, each as dear as the dearest so far;
    until one has ended, they are asked one by one.

    stopped   why no more cases are begun, with what to do; "" as long as they are
    """

    def __init__(self, limit: RunLimit) -> None:
        self.limit, self.stopped = limit, ""
        self.spent = self.dearest = CaseCost()
        self._has_dearest = False
        self._under_way: dict[str, CaseCost] = {}
        self._changed = asyncio.Condition()

    def count_earlier(self, records: Iterable[AnswerRecord]) -> None:
        """Charge what is on the disk already."""
        for one in records:
            self._settle(CaseCost(one.calls + one.judge_calls, _add(one.cost, one.judge_cost)))

    async def admit(self, case: str) -> bool:
        """Whether a case may be begun; waits while that depends on what those under way will cost."""
        async with self._changed:
            while not self.stopped and any(self.limit):
                self.stopped = self._find_obstacle()
                if not self.stopped and self._has_room():
                    break
                if not self.stopped and not self._under_way:
                    self.stopped = self._describe_end()
                if not self.stopped:
                    await self._changed.wait()
            if not self.stopped:
                self._under_way[case] = CaseCost()
            return not self.stopped

    def charge(self, case: str, calls: int, dollars: float | None) -> None:
        """Charge what a call of a case under way has cost."""
        self._under_way[case] = self._under_way[case].plus(CaseCost(calls, dollars))

    async def end(self, case: str) -> None:
        """Count a case as over, well or not."""
        async with self._changed:
            self._settle(self._under_way.pop(case))
            self._changed.notify_all()

    def _settle(self, cost: CaseCost) -> None:
        self.spent = self.spent.plus(cost)
        self.dearest = CaseCost(
            max(self.dearest.calls, cost.calls), max(self.dearest.dollars or 0.0, cost.dollars or 0.0)
        )
        self._has_dearest = True

    def _has_room(self) -> bool:
        """Whether one more as dear as the dearest fits beside those under way."""
        if not self._has_dearest:
            return not self._under_way
        begun = self._under_way.values()
        calls = self.spent.calls + sum(max(one.calls, self.dearest.calls) for one in begun) + self.dearest.calls
        most = self.dearest.dollars or 0.0
        dollars = (self.spent.dollars or 0.0) + sum(max(one.dollars or 0.0, most) for one in begun) + most
        return not (self.limit.calls and calls > self.limit.calls) and not (
            self.limit.dollars and dollars > self.limit.dollars
        )

    def _find_obstacle(self) -> str:
        """Why nothing more can be asked, whatever those under way cost; "" for nothing."""
        every = [self.spent, *self._under_way.values()]
        if self.limit.dollars and any(one.dollars is None for one in every):
            return (
                "what the model costs is not known, so --max-dollars cannot be kept: set models.price_in and "
                "models.price_out, or give --max-calls instead"
            )
        return ""

    def _describe_end(self) -> str:
        spent, limit, dearest = self.spent, self.limit, self.dearest
        parts = [f"{spent.calls:,} of {limit.calls:,} calls"] if limit.calls else []
        parts += [f"{spent.dollars:.4f} of {limit.dollars:g} US dollars"] if limit.dollars else []
        cost = f"{dearest.calls:,} calls" if limit.calls else f"{dearest.dollars:.4f} US dollars"
        return f"{' and '.join(parts)} are spent, and a case may take {cost}. Give it again with more, and it goes on"


def _add(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
