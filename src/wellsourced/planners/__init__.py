"""Which source is asked what: the protocol (base), what planners share (searches, prompting, plan_trials), and one
file a planner or family of planners. In which order tiers are opened belongs in pipeline/plan."""
