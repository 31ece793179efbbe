"""Files on this machine: private files and folders, locks, SQLite. Knows nothing of what is stored."""
