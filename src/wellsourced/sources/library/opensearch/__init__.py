"""OpenSearch as the engine of a library: its passages in an index on a server, or on a cluster of them."""
