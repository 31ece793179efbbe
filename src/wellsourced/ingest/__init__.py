"""Files, folders and public collections into a library: downloads, archives, reading in batches, verification. How a
file becomes documents belongs in readers; how a library stores them, in sources/library."""

from wellsourced.ingest.file_ingestion import ingest_files
from wellsourced.ingest.fingerprints import LibraryVerification, manifest_path, verify_library

__all__ = ["LibraryVerification", "ingest_files", "manifest_path", "verify_library"]
