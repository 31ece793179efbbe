"""The entailment model of our own: pairs from real text, training, export and assessment (see README.md)."""
