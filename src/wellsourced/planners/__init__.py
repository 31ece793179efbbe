"""Planners: which source to ask what. `base` is the seam; `config` names the implementations."""
