"""One module a command, named as it is typed: its options, what it calls, how it exits. What several print alike
belongs in app/render; whatever a caller of the package could want belongs below app."""
