"""Whether a check can be believed: other judges, people, merged sources, breakdowns, data sets. All of it starts from
stored checkups (`stored_runs.py`) and asks for no source again. How a check is made belongs in the folder above."""
