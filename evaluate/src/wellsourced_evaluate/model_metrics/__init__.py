"""How near a text is to a reference, as models see it; each model is the user's, but for the one that comes along."""
