"""Plan, look, reflect, and plan again."""

from collections.abc import Sequence

from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.plan_trials import DEFAULT_LIMITS, TrialLimits, TrialRun
from wellsourced.planners.searches import fall_back_to_original, select_askable
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class ReflexionPlanner:
    """Reflexion (Shinn et al., NeurIPS 2023) over plans for several sources, as in Omni-RAG (Chen et al., ACL 2025).

    Every plan is made in the light of all that was said of the earlier ones. The best scored wins, the earliest of
    equals. A proposal that fails ends the search for a better one.
    """

    name = "reflexion"

    def __init__(self, model: Model, understanding: Understanding, limits: TrialLimits = DEFAULT_LIMITS) -> None:
        self.model, self.understanding, self.limits = model, understanding, limits

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The best plan that was tried; the question itself where there is none."""
        there = select_askable(question, cards)
        if not there.sources:
            return Proposal((), there.notes)
        bench = TrialRun(self.model, question, there.sources, look, self.limits)
        await bench.run(lambda: bench.attempt(bench.trials))
        if not bench.trials:
            return await fall_back_to_original(question, cards, self.understanding, bench.failure)
        return bench.build_proposal([str(place) for place in range(1, len(bench.trials) + 1)], there.notes)
