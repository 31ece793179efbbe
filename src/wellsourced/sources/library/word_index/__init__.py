"""Which documents hold which words, in SQLite FTS5: Boolean search, counts of words, spelling. It is
derived from the store, and brought up to date by whoever reads it."""
