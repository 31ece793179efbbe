"""Does this text support this claim? The protocol (base), one file a judge, and what stands around any judge: guard,
cache, calibration, ensemble. Which judge the settings name is decided in config."""
