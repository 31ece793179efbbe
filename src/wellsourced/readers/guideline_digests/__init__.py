"""The guideline digests that come with wellsourced, as their project published them: data, and no code.

    manifest.json   the package, version, author and licence they were taken from, with the SHA-256 of its wheel and of
                    every file here
    registry.json   the guidelines: title, DOI, year, organisation, and their files in reading order
    content/        a folder for each guideline, a Markdown file for each section
    LICENSE         the licence of these files (MIT)

No file here is edited by hand: `make guidelines` replaces them all from a wheel whose SHA-256 is given, and shows what
changed. `readers/guidelines.py` reads them, and refuses a file that is not the one in the manifest.
"""
