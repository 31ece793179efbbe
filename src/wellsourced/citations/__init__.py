"""How texts cite: markers, reference lists and their styles, reference files, links, quotes located in their sources.

No I/O. Whether a cited work exists is asked in factcheck/resolve/."""
