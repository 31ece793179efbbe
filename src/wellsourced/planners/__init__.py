"""Planners: which source to ask what. `base` is the seam; `config` names the implementations.

`searches`, `cards`, `proposing` and `trying` are what they share; every other module is one planner.
"""
