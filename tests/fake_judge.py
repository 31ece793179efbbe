"""A judge that returns the verdicts a test gives it for each text."""

from collections.abc import Mapping, Sequence

from wellsourced.judges.base import Pair
from wellsourced.types import Verdict

SILENT_VERDICT = Verdict(label="silent", score=0.0)


class FakeJudge:
    """Refuses to guess: a text it was told nothing about raises KeyError. An empty text is silent."""

    name = "told"

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        self.verdicts = verdicts
        self.asked: list[Pair] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """The verdict told for each text, in order."""
        self.asked += pairs
        return [self.verdicts[pair.text] if pair.text.strip() else SILENT_VERDICT for pair in pairs]
