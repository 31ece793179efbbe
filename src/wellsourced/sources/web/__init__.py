"""The web: a search engine names pages, the pages are read, and only their own words count."""

from wellsourced.sources.web.engines import Brave, Engine, Result, SearXNG, Tavily
from wellsourced.sources.web.source import Explored, Failed, Web

__all__ = ["Brave", "Engine", "Explored", "Failed", "Result", "SearXNG", "Tavily", "Web"]
