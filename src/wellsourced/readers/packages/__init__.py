"""Files that are zips of parts: of office programs, books, and archives of any files that are read. Nothing that reads
a file in one piece.
"""
