"""Plans that are carried out and scored, so that the next one may be better: one after the other (Reflexion), or as a
tree (SeRTS).
"""

import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches, TrialSearch
from wellsourced.planners.prompting import MAX_QUERIES_PER_SOURCE, MAX_SEARCHES, convert_plan, request_plan
from wellsourced.planners.searches import fall_back_to_original, select_askable, summarize_source
from wellsourced.prompts.planning import PassageExcerpt, ScorePlan, SearchReport, SourcePlan, TriedPlan
from wellsourced.question.understanding import Understanding
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import short_line
from wellsourced.types import Question

MAX_SCORE = 5
"""The highest score."""


class TrialLimits(NamedTuple):
    """How much of it.

    most         queries for one source
    in_all       searches of one plan
    iterations   plans that are tried
    stop         score at which no further plan is tried
    passages     of each search that the model sees when it scores: half of the ten that Omni-RAG keeps
    """

    most: int = MAX_QUERIES_PER_SOURCE
    in_all: int = MAX_SEARCHES
    iterations: int = 8
    stop: int = MAX_SCORE
    passages: int = 5


DEFAULT_LIMITS = TrialLimits()


class PlanTrial(NamedTuple):
    """A plan that was carried out; one that asks nothing was not.

    score      0 to 5; None when the model gave none that can be read, or was not asked for one
    not_held   the model says that the sources do not hold what is asked
    note       what its reader should know of the score; "" where there is nothing
    """

    plan: SourcePlan
    proposal: Proposal
    score: int | None = None
    advice: str = ""
    note: str = ""
    not_held: bool = False

    @property
    def is_last(self) -> bool:
        """Whether no further plan is to be made, since this one asks nothing, or nothing is to be found."""
        return self.not_held or not self.proposal.searches

    @property
    def feedback(self) -> TriedPlan:
        """As the model is shown it when it plans again."""
        return TriedPlan(plan=self.plan, score=self.score, advice=self.advice)

    @property
    def summary(self) -> str:
        """What came of it, in a few words: never what the model advised, which may be medicine that nobody checked."""
        size = len(self.proposal.searches)
        score = "no score" if self.score is None else f"{self.score} of {MAX_SCORE} points"
        note = f" ({self.note.rstrip('.')})" if self.note else ""
        return f"{size} {'search' if size == 1 else 'searches'}, {score}{note}" if size else "no search"


class TrialRun:
    """Where the plans for one question are tried, one after another.

    trials    in the order in which they were made
    failure   why no further plan was made; "" when there were enough
    """

    def __init__(
        self, model: Model, question: Question, cards: Sequence[SourceInfo], look: RunSearches, limits: TrialLimits
    ) -> None:
        self.model, self.question, self.cards, self.look, self.limits = model, question, cards, look, limits
        self.trials: list[PlanTrial] = []
        self.failure = ""

    @property
    def best(self) -> PlanTrial:
        """The trial with the highest score, the earliest of equals; one without a score comes after all others."""
        return max(self.trials, key=lambda trial: -1 if trial.score is None else trial.score)

    async def run(self, following: Callable[[], Awaitable[PlanTrial]]) -> None:
        """Try plans until there are enough, one is good enough, or the model has no better one or sees no use in it."""
        while len(self.trials) < self.limits.iterations:
            # Good enough: each further plan costs a call and its searches.
            if any(trial.score is not None and trial.score >= self.limits.stop for trial in self.trials):
                return
            if any(trial.is_last for trial in self.trials):
                return
            try:
                self.trials.append(await following())
            except ModelError as error:
                self.failure = f"plan {len(self.trials) + 1} was not made ({short_line(str(error))})"
                return

    def build_proposal(self, labels: Sequence[str], notes: Sequence[str]) -> Proposal:
        """The best plan, with how it was come by.

        labels   what each trial is called, in their order
        """
        told = (*self._describe_trials(labels), *filter(None, [self.failure]), *self.best.proposal.notes, *notes)
        return Proposal(self.best.proposal.searches, told)

    def _describe_trials(self, labels: Sequence[str]) -> Iterator[str]:
        """Which plan was chosen and what came of each, in a sentence, and why no other was made."""
        told = [f"plan {label}: {trial.summary}" for label, trial in zip(labels, self.trials, strict=True)]
        # Of equals the earliest, since `max` keeps the first.
        chosen = labels[self.trials.index(self.best)]
        if len(told) == 1:
            yield told[0]
        else:
            yield f"of {len(told)} search plans, plan {chosen} was used ({'; '.join(told)})"
        if any(trial.not_held for trial in self.trials):
            who = f"{self.model.name} said that the sources that answered"
            yield f"{who} do not hold all that is asked, so no further plan was made"

    async def attempt(self, feedback: Sequence[PlanTrial] = (), others: Sequence[PlanTrial] = ()) -> PlanTrial:
        """A new plan in the light of some, and another than all, carried out and scored; nothing is said of one that
        asks nothing. Raises ModelError when there is none."""
        tried, besides = ([trial.feedback for trial in trials] for trials in (feedback, others))
        plan = await request_plan(self.model, self.question, self.cards, self.limits.most, tried, besides)
        proposal = convert_plan(plan, self.question, self.cards, self.limits.most, self.limits.in_all)
        if not proposal.searches:
            return PlanTrial(plan, proposal)
        return await self._score_trial(PlanTrial(plan, proposal), await self.look(proposal.searches))

    async def _score_trial(self, trial: PlanTrial, looked: Sequence[TrialSearch]) -> PlanTrial:
        prompt = ScorePlan(
            question=self.question.text,
            options=self.question.options,
            cards=tuple(summarize_source(card) for card in self.cards),
            brought=tuple(self._describe_search(one) for one in looked),
        )
        try:
            reply = await self.model.complete(prompt)
        except ModelError as error:
            return trial._replace(note=short_line(str(error)))
        score = min(max(reply.score, 0), MAX_SCORE)
        note = "" if score == reply.score else f"the model gave {reply.score}, counted as {score}"
        # Where none could answer, nobody knows what they hold.
        not_held = reply.not_held and not all(one.has_failed for one in looked)
        return trial._replace(score=score, advice=short_line(reply.advice), note=note, not_held=not_held)

    def _describe_search(self, looked: TrialSearch) -> SearchReport:
        search = looked.search
        passages = looked.passages[: self.limits.passages]
        return SearchReport(
            source=search.source,
            query=" ".join((*search.query.terms, *search.query.also)),
            failed=looked.has_failed,
            passages=tuple(
                PassageExcerpt(title=one.reference.title, section=one.section, text=one.text) for one in passages
            ),
        )


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
        there, left_out = select_askable(question, cards)
        if not there:
            return Proposal((), left_out)
        tree = PlanTree(TrialRun(self.model, question, there, look, self.limits), self.c, self.max_children)
        await tree.bench.run(tree.grow)
        if tree.root is None:
            return await fall_back_to_original(question, cards, self.understanding, tree.bench.failure)
        return tree.bench.build_proposal(tree.labels, left_out)


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
            parent = self.root
            # Down to the first plan that may have another child, always to the child of the highest bound.
            while len(parent.children) >= self.max_children:
                parent = max(parent.children, key=lambda child: uct_score(child, self.c))
            near = [parent.trial, *(child.trial for child in parent.children)]
            # By identity: two plans that say the same are two trials, and both were made.
            elsewhere = [trial for trial in self.bench.trials if not any(trial is one for one in near)]
            trial = await self.bench.attempt(near, elsewhere)
            node = PlanNode(f"{parent.label}.{len(parent.children) + 1}", trial, parent)
            parent.children.append(node)
        propagate_score(node)
        self.labels.append(node.label)
        return node.trial


def uct_score(node: PlanNode, c: float) -> float:
    """The upper confidence bound of a child; without a visit it comes first."""
    if not node.visits or node.parent is None:
        return math.inf
    return node.mean + c * math.sqrt(math.log(node.parent.visits) / node.visits)


def propagate_score(node: PlanNode) -> None:
    """Let the score of a new plan count for it and for all above it; one without a score counts for nobody."""
    # The model gave no score that can be read: it must not count as a 0.
    if node.trial.score is None:
        return
    one: PlanNode | None = node
    while one:
        one.visits += 1
        one.total += node.trial.score / MAX_SCORE
        one = one.parent


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
        there, left_out = select_askable(question, cards)
        if not there:
            return Proposal((), left_out)
        bench = TrialRun(self.model, question, there, look, self.limits)
        await bench.run(lambda: bench.attempt(bench.trials))
        if not bench.trials:
            return await fall_back_to_original(question, cards, self.understanding, bench.failure)
        return bench.build_proposal([str(place) for place in range(1, len(bench.trials) + 1)], left_out)
