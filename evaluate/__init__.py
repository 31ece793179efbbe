"""The distribution wellsourced-evaluate: `src/` is what is installed, `tests/` its tests, which the product's run beside."""
