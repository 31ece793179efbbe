"""The embedded library: documents in SQLite, what finds them in LanceDB."""

from wellsourced.sources.library.folders import checked, delete, libraries
from wellsourced.sources.library.library import Library

__all__ = ["Library", "checked", "delete", "libraries"]
