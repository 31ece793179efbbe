"""From a file or a server's answer to a text with its claims, marks and sources. Nothing here looks for a source or
judges a claim."""
