"""Which source is asked what: the protocol (base), what planners share (searches, prompting, plan_trials), and a file
for each planner or family of planners. In which order tiers are searched belongs in pipeline/search_plan."""
