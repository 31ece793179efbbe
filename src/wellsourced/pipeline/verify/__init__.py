"""From a draft to statements that stand: consistency, facts, contradictions, repair, and the appraisal of what is
cited. Other people's texts belong in factcheck."""
