"""The judge by weighed features, and what only it needs: texts encoded word by word, polarity of words, features of a
claim and of a text, the fitted model."""
