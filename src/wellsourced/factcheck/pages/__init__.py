"""Web pages that a text cites: fetched, classified (dead, walled, paywalled) and described by address and domain. What
a page says is text, and is never obeyed."""
