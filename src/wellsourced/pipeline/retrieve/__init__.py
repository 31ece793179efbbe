"""From planned searches to one ranking of passages worth reading: search, fusion, diversification, reranking,
retractions. No document is opened here."""
