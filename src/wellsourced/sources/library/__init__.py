"""The user's own library: documents in SQLite (store), what finds their passages (search), and an index of words
for Boolean queries (word_index). library.py writes it, reader.py reads it; reading of files belongs in ingest."""

from wellsourced.sources.library.library import Library
from wellsourced.sources.library.reader import delete_library_folder, list_libraries, validate_name

__all__ = ["Library", "delete_library_folder", "list_libraries", "validate_name"]
