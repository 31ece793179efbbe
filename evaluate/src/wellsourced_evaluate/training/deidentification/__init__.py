"""A small tagger of names and places in notes: invented people in real sentences, a linear chain, packed weights."""
