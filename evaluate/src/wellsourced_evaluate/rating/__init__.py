"""Answers rated by people: blinded questionnaires, what raters sent back, and what it comes to."""
