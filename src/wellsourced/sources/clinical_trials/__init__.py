"""ClinicalTrials.gov: what is asked of it, what it answers, and a trial as a document."""
