"""What a library keeps for good: its documents and the files they came from, in one SQLite file. What can be made again
from it belongs in search or word_index."""
