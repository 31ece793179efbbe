"""The other path: files → reader → documents → library. Incremental, resumable, and safe to stop at any moment.

A file that is as it was (size and time of change, or else sha256) costs nothing. Of one that has changed, only the
documents that have changed are written, and those that it no longer holds are removed. A file that was cut short is
read again from its beginning, which writes only what is not there yet. A file that is gone from the disk is left
alone in the library, and so are the documents of one that can no longer be read. A digest or a template beside a file
is part of it.
"""

from wellsourced.ingest.disk import manifest_path
from wellsourced.ingest.documents import ingest_files
from wellsourced.ingest.verification import LibraryVerification, verify_library

__all__ = ["LibraryVerification", "ingest_files", "manifest_path", "verify_library"]
