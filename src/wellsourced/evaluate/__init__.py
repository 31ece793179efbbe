"""How good retrieval, verification, summaries and citations are: recorded cases are read, measured, compared and
reported with intervals. Test data (minimal pairs) is made in benchmarks."""
