"""What the words of a question mean, without a language model: spelling, abbreviations, synonyms, keywords, signs of
an emergency. General tools of text (tokens, languages) belong in text."""
