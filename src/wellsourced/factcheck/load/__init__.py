"""Make of a file or a server's response a text with its claims, markers and sources. Nothing here looks for a source or
judges a claim."""
