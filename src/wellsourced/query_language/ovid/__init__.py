"""Ovid's syntax → the tree: lexer, parser, fields, limits, words, and the strategy of numbered lines."""
