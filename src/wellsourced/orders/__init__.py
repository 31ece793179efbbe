"""A medical order explained term by term, in the words of documents."""
