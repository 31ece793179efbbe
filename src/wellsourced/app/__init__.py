"""The command line: it reads what is typed, calls the package, and prints events and answers. It decides nothing
itself. Modules beside cli.py are shared by several commands."""
