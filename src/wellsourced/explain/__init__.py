"""Explain a medical order in plain language, term by term, each from sources, and answer a question about it."""
