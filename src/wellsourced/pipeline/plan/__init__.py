"""Decide which source is asked what, in which tiers, and whether the next tier is searched. How a planner works belongs
in planners."""
