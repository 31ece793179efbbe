"""Texts to vectors: the protocols (base), a file for each encoder, and the files of their weights. Whether a text
supports a claim belongs in judges."""
