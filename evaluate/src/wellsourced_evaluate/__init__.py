"""The laboratory of wellsourced: how good retrieval, verification, summaries and citations are, measured on questions,
texts and judges whose right answers are known. It is a distribution of its own, `wellsourced-evaluate`, which builds on
the product and which the product never imports."""
