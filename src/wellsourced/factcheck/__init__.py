"""Check a text that somebody else wrote: take it apart into claims and sources (load), find the sources (resolve), read
them (pages), judge, count and repair each claim. Answers of our own are made and verified in pipeline, not here."""
