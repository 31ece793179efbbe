"""Searches of systematic reviews: their topics are read as they were released, each search is read, put to PubMed where
that is wanted, and compared with the works that the review took as relevant."""
