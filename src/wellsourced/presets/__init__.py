"""Settings that belong together, a TOML file for each preset; every key in them is a setting of config."""
