"""What language models wrote for multiple choice, recorded elsewhere and read again: outputs go in, accuracy and what
could not be read come out. Nothing here asks a model."""
