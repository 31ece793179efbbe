"""What finds passages: where they are and their vectors (SQLite), their words (tantivy), and the two rankings fused
into one. It can always be made anew from the store."""
