"""Whether a text supports a claim: the protocol (base), a file for each judge, and what goes around any judge (guard,
cache, calibration, ensemble). Which judge the settings name is decided in config."""
