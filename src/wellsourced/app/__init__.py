"""The command line: it reads what is typed, calls the package, and prints events and answers; nothing is decided
here. A module beside cli.py is shared by several commands."""
