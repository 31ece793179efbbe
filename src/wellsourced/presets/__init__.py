"""Settings that belong together, one TOML file each, chosen by name; every key in them is a setting of config."""
