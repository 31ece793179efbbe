"""PDF → a Document: words with places from PDFium (words), columns (layout), paragraphs, headings, metadata and DOI
(document); and a page as it is printed."""
