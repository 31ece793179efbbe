"""From candidates to evidence: documents opened and compared with the index, passages and quotable units judged, by a
language model too where there is one."""
