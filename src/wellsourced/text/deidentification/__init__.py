"""Finding what identifies a person: rules by kind, and a small learnt tagger of names and places beside them."""
