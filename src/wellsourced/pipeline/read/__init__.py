"""From candidates to evidence: open documents and compare them with the index, cut and score their sections, have a
language model judge them."""
