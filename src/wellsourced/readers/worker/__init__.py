"""The separate process with limits in which files from others are parsed: how it is started, limited, spoken to, kept
and replaced. What it can do is in wellsourced.reading_worker."""
