"""Texts to vectors: the protocols (base), one file an encoder, and the files of their weights. Whether a text
supports a claim belongs in judges."""
