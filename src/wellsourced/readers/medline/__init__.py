"""PubMed and MEDLINE XML → a Document a record: the record as a type and by the XML parser (record), the same several
times as fast (scan), and both put together (documents)."""
