"""Two texts beside each other: the sentence that a claim is nearest to and the words that differ (`alignment.py`,
`differences.py`), figures that follow from those of the source or stand nowhere (`quantities.py`), or clash with it
(`figure_clash.py`), which way a result points (`results.py`), and what of a claim its place leaves open (`slots.py`).
Pure functions over strings, without a model and without I/O. Whether a source supports a claim is decided in `judges/`.
"""
