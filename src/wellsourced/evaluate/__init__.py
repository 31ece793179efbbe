"""How good retrieval and verification are: queries and labelled pairs are read, measured, compared and reported with
intervals. Test data (minimal pairs) is made in benchmarks."""
