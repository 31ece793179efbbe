from tests.servers.opensearch.fixtures import node, open_on

__all__ = ["node", "open_on"]
