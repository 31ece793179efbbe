"""Make of the typed text a question that can be searched for: without identifiers, restated by a model, joined to what
was said before; and look for signs of an emergency. What the words of a question say belongs in question/."""
