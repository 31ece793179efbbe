"""Data sets that are built: what comes in, what is left out and why, and that a build goes on where it was."""
