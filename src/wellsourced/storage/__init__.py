"""Files of this machine: private files and folders, locks, atomic writing, the SQLite cache. Knows nothing of what is
stored."""
