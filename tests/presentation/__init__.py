"""Builders and writers of the tree of blocks."""
