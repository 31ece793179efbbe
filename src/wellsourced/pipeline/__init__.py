"""One question from its words to its answer. ask.py is the whole path, evidence.py its middle, and a step that
needs much has a folder. What reads settings, renders, or is built on a whole answer does not belong here."""
