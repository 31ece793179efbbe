"""Checking of a text that somebody else wrote: taken apart into claims and sources (load), its sources found
(resolve) and read (pages), each claim judged, counted and repaired. Answers of our own pipeline are made and verified
in pipeline, not here."""
