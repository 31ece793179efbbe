"""Test an answerer: questions made from pages, and variants of a question that must not change its answer. Measures
over known answers are in evaluate."""
