"""From candidates to evidence: open documents and compare them with the index, judge passages and quotable spans, with
a language model too where there is one."""
