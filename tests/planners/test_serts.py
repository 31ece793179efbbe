"""A tree of plans: where it grows is worked out by hand here, from the scores."""

import math
import re
from collections.abc import Sequence

import pytest

from tests.planners.worlds import CARDS, QUESTION, World, asked, kinds_of, plan_for, score
from tests.scripted_model import ScriptedModel, ScriptedReply
from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.planners.base import Proposal
from wellsourced.planners.plan_trials import PlanNode, PlanTrial, SertsPlanner, TrialLimits, propagate_score, uct_score
from wellsourced.prompts.planning import ImprovePlan, PlanSources, ScorePlan, SourcePlan
from wellsourced.question.understanding import LiteralUnderstanding

FIRST = plan_for("trials", text="plan 1")
LATER = [plan_for("trials", text=f"plan {number}") for number in range(2, 9)]


async def grown(
    scores: Sequence[ScriptedReply], world: World | None = None, *, iterations: int = 8, max_children: int = 3
) -> tuple[Proposal, ScriptedModel]:
    model = ScriptedModel({PlanSources: FIRST, ImprovePlan: LATER, ScorePlan: scores})
    planner = SertsPlanner(model, LiteralUnderstanding(), TrialLimits(iterations=iterations), max_children=max_children)
    return await planner.plan(QUESTION, CARDS, (world or World()).look), model


def labels(proposal: Proposal) -> list[str]:
    """What the plans are called, in the order in which they were tried."""
    return re.findall(r"plan ([\d.]+): ", proposal.notes[0])


def seen_by(model: ScriptedModel) -> list[list[int | None]]:
    """The scores that each new plan was made from."""
    return [[one.score for one in prompt.tried] for prompt in model.prompts if isinstance(prompt, ImprovePlan)]


async def test_the_tree_grows_where_reward_and_curiosity_are_highest() -> None:
    # The root (1) gets three children, of 2, 4 and 3. With √(ln 4 / 1) for each, the second has the highest mean and
    # gets a child (1), which lowers its mean to .5; then 1.3 leads: .6 + √ln 5 = 1.87 against .5 + √(ln 5 / 2) = 1.40
    # and .4 + √ln 5 = 1.67. Its child (0) lowers it to .3; then 1.1 is the one: .4 + √ln 6 = 1.74 against 1.45 and
    # 1.25. Its child (2) leaves it at .4 of two visits, and 1.2 leads again: .5 + √(ln 7 / 2) = 1.49 against 1.39.
    world = World()
    proposal, model = await grown([score(points) for points in (1, 2, 4, 3, 1, 0, 2, 1)], world)
    assert labels(proposal) == ["1", "1.1", "1.2", "1.3", "1.2.1", "1.3.1", "1.1.1", "1.2.2"]
    assert proposal.notes[0].startswith("of 8 search plans, plan 1.2 was used (")
    assert seen_by(model) == [[1], [1, 2], [1, 2, 4], [4], [3], [2], [4, 1]]
    assert asked(proposal.searches) == [("trials", "plan 3")]
    assert (len(world.waves), len(model.prompts)) == (8, 16)


async def test_a_new_plan_is_shown_the_other_branches_too_so_that_it_can_repeat_none() -> None:
    _, model = await grown([score(points) for points in (1, 2, 4, 3, 1)], iterations=5)
    others = [[one.score for one in prompt.others] for prompt in model.prompts if isinstance(prompt, ImprovePlan)]
    assert others == [[], [], [], [1, 2, 3]]


async def test_how_the_tree_grew_is_told_without_its_arithmetic() -> None:
    proposal, _ = await grown([score(2), score(4)], iterations=2)
    told = "plan 1: 1 search, 2 of 5 points; plan 1.1: 1 search, 4 of 5 points"
    assert proposal.notes == (f"of 2 search plans, plan 1.1 was used ({told})",)


async def test_a_plan_of_the_highest_score_ends_the_search_and_wins() -> None:
    proposal, model = await grown([score(2), score(4), score(3), score(5)])
    assert kinds_of(model).count("ScorePlan") == 4
    assert asked(proposal.searches) == [("trials", "plan 4")]


async def test_a_plan_without_a_score_counts_for_nobody_and_gets_the_next_child() -> None:
    unread = UnparsableReply("good", "no number")
    proposal, _ = await grown([score(1), unread, score(4), score(3), score(2)], iterations=5)
    assert labels(proposal)[-1] == "1.1.1"


async def test_a_model_that_never_scores_still_ends_and_the_first_plan_wins() -> None:
    proposal, model = await grown([UnparsableReply("good", "no number")] * 8)
    assert len(model.prompts) == 16
    assert asked(proposal.searches) == [("trials", "plan 1")]


async def test_with_one_child_each_the_tree_is_a_chain() -> None:
    proposal, _ = await grown([score(1)] * 4, iterations=4, max_children=1)
    assert labels(proposal) == ["1", "1.1", "1.1.1", "1.1.1.1"]


async def test_a_model_that_fails_later_leaves_the_best_plan_so_far() -> None:
    model = ScriptedModel({PlanSources: FIRST, ImprovePlan: ModelError("down"), ScorePlan: score(2)})
    proposal = await SertsPlanner(model, LiteralUnderstanding()).plan(QUESTION, CARDS, World().look)
    assert asked(proposal.searches) == [("trials", "plan 1")]
    assert proposal.notes == ("plan 1: 1 search, 2 of 5 points", "plan 2 was not made (down)")


def node(points: int | None, parent: PlanNode | None = None) -> PlanNode:
    one = PlanNode("1", PlanTrial(SourcePlan(), Proposal(()), points), parent)
    if parent:
        parent.children.append(one)
    propagate_score(one)
    return one


def test_the_bound_is_the_mean_and_what_was_seldom_tried_counts_for_c_times_as_much() -> None:
    root = node(5)
    child = node(4, root)
    node(1, root)
    assert root.mean == pytest.approx((5 + 4 + 1) / 15)
    assert uct_score(child, 1.0) == pytest.approx(0.8 + math.sqrt(math.log(3)))
    assert uct_score(child, 0.5) == pytest.approx(0.8 + 0.5 * math.sqrt(math.log(3)))
    assert uct_score(node(None, root), 1.0) == math.inf
