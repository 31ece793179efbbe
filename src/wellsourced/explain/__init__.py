"""A medical order in plain language: its terms found, each explained from sources, a follow-up answered beside them."""
