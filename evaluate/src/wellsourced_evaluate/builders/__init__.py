"""Data sets made for evaluation: questions and pairs in the generic form, with what they were made from and what was
left out. Whatever scores them lies elsewhere in `evaluate`."""
