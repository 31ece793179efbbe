"""Questions made from pages, and variants of a question that must not change its answer: what an answerer is tried
with. Measures over known answers are in evaluate."""
