"""The embedded library: documents in SQLite, what finds them in LanceDB."""

from wellsourced.sources.library.library import Library, checked, delete, libraries

__all__ = ["Library", "checked", "delete", "libraries"]
