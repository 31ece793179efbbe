"""Studies of what changes an answer besides its question: what stands around the passage that answers, which sources
are searched, how the question is worded, chance.

What is asked, and what an answer is worth, is said in `evaluate.questions`."""
