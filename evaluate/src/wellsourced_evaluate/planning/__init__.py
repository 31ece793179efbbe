"""Learning which source to ask what (Chen et al., ACL 2025): queries explored, judged, made rows; planners compared."""
