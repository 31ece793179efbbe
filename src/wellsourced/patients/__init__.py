"""What a record says of its patient, and the lines of documents to check for them. Nothing here judges an answer."""
