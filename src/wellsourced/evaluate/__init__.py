"""What is measured: an evaluation takes the settings as `ask` would, and tells how good what they describe is.

retrieval.py measures the search for documents; beir.py reads queries and judgements, corpora.py makes a library of a
corpus, results.py keeps what was measured, statistics.py and contrast.py say how sure one may be.
"""
