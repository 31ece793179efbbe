"""The graph: concepts of several vocabularies in one SQLite file, looked up by name and read as documents."""
