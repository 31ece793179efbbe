"""One question from its words to its answer: ask.py is the path, evidence.py its middle, and a folder for each verb
holds what that verb needs. Nothing that reads settings, renders, or is built on a whole answer belongs here."""
