"""`wellsourced library …`: create, fill, inspect and maintain libraries. How files become documents belongs in
ingest."""
