"""Statements whose verdict is known, by which a language model that judges is itself checked."""
