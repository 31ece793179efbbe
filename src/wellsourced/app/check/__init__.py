"""A checked text, shown: on a terminal, as a page, as rows, as SARIF."""
