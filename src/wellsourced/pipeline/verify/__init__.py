"""From a draft to verified statements: consistency, facts, repair, and the appraisal of cited works.
Texts of other people belong in factcheck."""
