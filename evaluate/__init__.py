"""The distribution wellsourced-evaluate: `src/` is installed, `tests/` runs beside the tests of the product."""
