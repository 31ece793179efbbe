"""The questions of `wellsourced setup`, a module for what each is about, and how they are asked. What becomes of the
answers belongs in config/own_settings.py."""
