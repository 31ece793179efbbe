"""Published sets of claims and texts with labels, each read as it was released, a module each; how a file is told to be
of one, and what of this package was fitted on which. Nothing here judges."""
