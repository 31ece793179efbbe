"""Web pages that a text cites: fetched, classed (dead, walled, paywalled) and described by their addresses and
domains. What is read is text and is never obeyed."""
