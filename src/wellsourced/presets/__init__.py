"""Settings that belong together, one file each (config/presets.py reads them)."""
