"""Plan, look, reflect, and plan again."""

from collections.abc import Iterator, Sequence

from wellsourced.models.base import Model
from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.proposing import IN_ALL, MOST
from wellsourced.planners.searches import askable, instead
from wellsourced.planners.trying import BEST, Bench, Limits
from wellsourced.sources.base import Card
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class Reflexion:
    """Reflexion (Shinn et al., NeurIPS 2023) over plans for several sources, as in Omni-RAG (Chen et al., ACL 2025).

    Every plan is made in the light of all that was said of the earlier ones. The best scored wins, the earliest of
    equals. A proposal that fails ends the search for a better one.

    iterations   plans that are tried, at most
    stop         score, of 5, at which no further plan is tried
    most         queries for one source
    in_all       searches of one plan
    passages     of each search that the model sees when it scores
    """

    name = "reflexion"

    def __init__(
        self,
        model: Model,
        understanding: Understanding,
        *,
        iterations: int = 8,
        stop: int = BEST,
        most: int = MOST,
        in_all: int = IN_ALL,
        passages: int = 5,
    ) -> None:
        self.model, self.understanding = model, understanding
        self.limits = Limits(most, in_all, iterations, stop, passages)

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """The best plan that was tried; the question itself where there is none."""
        there = askable(question, cards)
        if not there.cards:
            return Proposal((), there.notes)
        bench = Bench(self.model, question, there.cards, look, self.limits)
        await bench.run(lambda: bench.attempt(bench.trials))
        if not bench.trials:
            return await instead(question, cards, self.understanding, bench.failure)
        return bench.concluded(_trace(bench), there.notes)


def _trace(bench: Bench) -> Iterator[str]:
    for place, trial in enumerate(bench.trials, start=1):
        yield f"plan {place}{', carried out' if trial is bench.best else ''}: {trial.said}"
