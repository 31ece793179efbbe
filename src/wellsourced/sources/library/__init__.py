"""The user's own library: library.py writes it, reader.py reads it; its documents and files are kept for good.

What finds passages (bm25_index, vector_search, passage_table, fused by hybrid_search) and the index of words for
Boolean queries (word_index) are made from these. Reading of files belongs in ingest.
"""

from wellsourced.sources.library.library import Library
from wellsourced.sources.library.reader import delete_library_folder, list_libraries, validate_name

__all__ = ["Library", "delete_library_folder", "list_libraries", "validate_name"]
