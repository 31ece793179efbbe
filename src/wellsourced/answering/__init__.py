"""Without a language model: the sections that answer a question, whole, with the lines that answer marked. Nothing is
composed or decided; `pipeline/ask.py` calls it, and documents are opened there.
"""
