"""Make of the typed text a question that can be searched for: tidied, without identifiers, restated by a model, joined
to what was said before. What words mean belongs in understanding."""
