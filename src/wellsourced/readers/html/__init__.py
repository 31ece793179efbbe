"""Web pages → Documents: decoding and a safe tree (page_tree), the main text (main_text), and a fetched page of any
media type (web_page)."""
