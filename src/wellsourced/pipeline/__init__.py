"""One question from its words to its answer. ask.py is the whole path, evidence.py its middle, and each step has a
folder with what it needs. What reads settings, renders, or is built on a whole answer does not belong here."""
