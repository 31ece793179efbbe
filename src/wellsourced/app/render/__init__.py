"""Values as lines for a terminal: answers, references, passages, measurements. Pure functions of their arguments:
nothing is printed or looked up here."""
