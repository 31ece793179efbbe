"""Recorded runs as eval logs of inspect_ai, so that its viewer shows them, and its logs and data sets taken in."""
