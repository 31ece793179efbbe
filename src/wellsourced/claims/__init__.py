"""Take a text apart into claims that stand alone and atomic facts. Pure functions over strings, without a model and
without I/O. What a claim cites is in `citations/`; how it is compared with a source, in `compare/`."""
