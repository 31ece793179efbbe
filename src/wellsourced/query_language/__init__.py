"""PubMed's query language, and Ovid's: read, written, and known by what they mean (`tree`). No I/O."""
