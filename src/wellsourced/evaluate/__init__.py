"""How good retrieval and verification are: queries and labelled pairs are read, measured, compared and reported with
intervals. Making of test data (minimal pairs) is in benchmarks."""
