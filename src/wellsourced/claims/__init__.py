"""Take a text apart into claims that stand alone and atomic facts, and compare what two texts state. Pure functions
over strings, without a model and without I/O. What a claim cites is in `citations/`; whether a source supports it is
decided in `judges/`."""
