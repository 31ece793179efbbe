"""Values as lines for a terminal: answers, references, passages, measurements. Pure functions of what they are given;
nothing is printed or looked up here."""
