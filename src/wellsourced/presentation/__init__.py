"""How results are shown: a result becomes a tree of blocks once (`blocks.py`), and a writer for each form prints it.

Builders (`answers.py`, `checks.py` …) decide which words are shown; writers (`terminal.py`, `html.py`, `word.py`, and
`markdown.py` for files, chats and assistants) decide only how. Neither knows whether a person at a terminal, a browser
or a program reads it: what can be done next is a `NextStep`, which the catalogue of messages of each surface spells.
"""
