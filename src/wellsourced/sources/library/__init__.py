"""The embedded library: documents in SQLite, what finds them in LanceDB."""

from wellsourced.sources.library.folders import delete_library_folder, list_libraries, validate_name
from wellsourced.sources.library.library import Library

__all__ = ["Library", "delete_library_folder", "list_libraries", "validate_name"]
