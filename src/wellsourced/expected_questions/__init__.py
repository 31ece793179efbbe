"""Questions that a library answers, written beforehand, each with the places of the lines that answer it.

Who asks "How long DAPT after a stent?" shares no word with "Default: 12 months after ACS event", and many with a
question that somebody wrote to that line. So a question is held against questions (Nogueira et al., "Document Expansion
by Query Prediction", 2019), and what is shown are the library's own lines. Here belongs how questions are written,
kept and matched; not what is made of it.
"""
