"""wellsourced over HTTP, for programs on this machine or, with a token, on others."""
