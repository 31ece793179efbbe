"""The texts given to `wellsourced check`, and their reports: text, JSON, HTML, CSV, SARIF. What a check finds and how
it judges belongs in wellsourced.factcheck."""
