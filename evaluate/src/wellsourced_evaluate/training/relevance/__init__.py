"""A cross-encoder that says how well a unit of text answers a question: its questions, its training, its export."""
