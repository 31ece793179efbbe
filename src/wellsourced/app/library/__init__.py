"""`wellsourced library …`, one file for each thing that people do with libraries."""
