"""PDF: `words` takes them off the page, `layout` finds the columns, `paragraphs` and `outline` make a text of them."""

from wellsourced.readers.pdf.document import read_pdf, read_pdf_with_references

__all__ = ["read_pdf", "read_pdf_with_references"]
