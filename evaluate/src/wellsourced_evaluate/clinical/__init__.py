"""Statements as strong language models write them, and what checks make of them."""
