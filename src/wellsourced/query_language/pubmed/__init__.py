"""PubMed's syntax: lexer, parser, field tags, words → the tree, and the writer from the tree back to PubMed."""
