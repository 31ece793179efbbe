"""`wellsourced evaluate …`: how good retrieval, verification and answers are, by measures and by people."""
