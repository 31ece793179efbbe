"""Search a tree of plans, where each is made better than the one above it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.plan_trials import DEFAULT_LIMITS, MAX_SCORE, PlanTrial, TrialLimits, TrialRun
from wellsourced.planners.searches import fall_back_to_original, select_askable
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


@dataclass
class PlanNode:
    """A plan that was tried, and those that were made from it.

    label    "1" is the root, "1.2" its second child
    visits   plans at or below it that have a score
    total    the sum of their rewards, each score / 5
    """

    label: str
    trial: PlanTrial
    parent: Self | None = None
    children: list[Self] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """The mean reward; 0 when nothing has a score."""
        return self.total / self.visits if self.visits else 0.0

    def lineage(self) -> Iterator["PlanNode"]:
        """The node, then those above it up to the root."""
        node: PlanNode | None = self
        while node:
            yield node
            node = node.parent


class SertsPlanner:
    """Self-rewarding tree search (Hu et al., 2024) over plans for several sources, as in Omni-RAG.

    Monte Carlo tree search by UCT (Kocsis and Szepesvári, 2006): go down to where a plan may have another child, always
    to the child of the highest mean reward + c·√(ln visits of the parent / visits), those without a visit first and the
    earliest of equals; make a child from what was said of that plan and of its children; score it, and let its reward
    count for all above it. The best scored plan wins, the earliest of equals. The constants are ours.

    c              weight of what was seldom tried
    max_children   plans made from one
    """

    name = "serts"

    def __init__(
        self,
        model: Model,
        understanding: Understanding,
        limits: TrialLimits = DEFAULT_LIMITS,
        *,
        c: float = 1.0,
        max_children: int = 3,
    ) -> None:
        self.model, self.understanding, self.limits = model, understanding, limits
        self.c, self.max_children = c, max_children

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The best plan of the tree; the question itself where there is none."""
        there = select_askable(question, cards)
        if not there.sources:
            return Proposal((), there.notes)
        tree = PlanTree(TrialRun(self.model, question, there.sources, look, self.limits), self.c, self.max_children)
        await tree.bench.run(tree.grow)
        if tree.root is None:
            return await fall_back_to_original(question, cards, self.understanding, tree.bench.failure)
        return tree.bench.build_proposal(tree.labels, there.notes)


class PlanTree:
    """The plans for one question as they grow.

    labels   of the plans, in the order in which they were tried
    """

    def __init__(self, bench: TrialRun, c: float, max_children: int) -> None:
        self.bench, self.c, self.max_children = bench, c, max_children
        self.root: PlanNode | None = None
        self.labels: list[str] = []

    async def grow(self) -> PlanTrial:
        """A new plan in its place, its reward counted. Raises ModelError and leaves the tree as it is."""
        if self.root is None:
            node = self.root = PlanNode("1", await self.bench.attempt())
        else:
            parent = self._select_parent(self.root)
            near = [parent.trial, *(child.trial for child in parent.children)]
            elsewhere = [trial for trial in self.bench.trials if not any(trial is one for one in near)]
            trial = await self.bench.attempt(near, elsewhere)
            node = PlanNode(f"{parent.label}.{len(parent.children) + 1}", trial, parent)
            parent.children.append(node)
        propagate_score(node)
        self.labels.append(node.label)
        return node.trial

    def _select_parent(self, root: PlanNode) -> PlanNode:
        """The plan that gets another child."""
        node = root
        while len(node.children) >= self.max_children:
            node = max(node.children, key=lambda child: uct_score(child, self.c))
        return node


def uct_score(node: PlanNode, c: float) -> float:
    """The upper confidence bound of a child; without a visit it comes first."""
    if not node.visits or node.parent is None:
        return math.inf
    return node.mean + c * math.sqrt(math.log(node.parent.visits) / node.visits)


def propagate_score(node: PlanNode) -> None:
    """Let the score of a new plan count for it and for all above it; one without a score counts for nobody."""
    if node.trial.score is None:
        return
    for one in node.lineage():
        one.visits += 1
        one.total += node.trial.score / MAX_SCORE
