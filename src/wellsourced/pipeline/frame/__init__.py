"""Makes of what was typed a question that can be searched for: tidied, stripped of identifiers, restated by a model,
joined to what was said before. What words mean belongs in understanding."""
