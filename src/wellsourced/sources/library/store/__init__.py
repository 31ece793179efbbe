"""What is kept of a library for good: its documents and the files they came from, in one SQLite file. Whatever can be
made anew from it belongs in search or word_index."""
