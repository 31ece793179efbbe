"""`wellsourced library …`: libraries created, filled, inspected, maintained. How files become documents belongs in
ingest."""
