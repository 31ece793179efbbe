"""PDF → a Document: words with places from PDFium (words), columns (layout), paragraphs, headings (outline), metadata
and DOI (document)."""

from wellsourced.readers.pdf.document import read_pdf, read_pdf_with_references

__all__ = ["read_pdf", "read_pdf_with_references"]
