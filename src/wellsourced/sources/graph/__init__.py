"""Concepts, their names and their relations in one SQLite file, as a source, a thesaurus and a list of MeSH headings.
Readers of vocabularies are in readers/concepts."""
