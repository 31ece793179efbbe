"""PDF → a Document: words with places from PDFium (words), columns (layout), paragraphs, headings (outline), metadata
and DOI (document)."""
