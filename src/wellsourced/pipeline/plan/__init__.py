"""Which source is asked what, in which tiers, and whether the next tier is opened. How a planner thinks belongs in
planners."""
