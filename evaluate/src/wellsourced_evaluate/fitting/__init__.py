"""What the product ships as numbers is fitted here: one module for each file of weights, written by `python -m` and by
nobody's hand. `evaluate/docs/fitting.md` says which file is whose."""
