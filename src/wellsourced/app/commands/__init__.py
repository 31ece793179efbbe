"""A module for each command, under its name: its options, what it calls, how it exits. What several commands print
belongs in presentation; what a caller of the package could need belongs below app."""
