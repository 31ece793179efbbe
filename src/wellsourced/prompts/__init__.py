"""What a language model is asked, as types: the docstring is the instruction, the fields are what is shown, the reply
is typed. Who asks, and what becomes of the reply, belongs to the caller."""
