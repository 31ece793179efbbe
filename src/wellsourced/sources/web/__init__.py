"""The web: a search engine names pages, the pages are read, and only their own words count."""

from wellsourced.sources.web.engines import Brave, EngineResult, SearchEngine, SearXNG, Tavily
from wellsourced.sources.web.source import FailedPage, PagesResult, WebSource

__all__ = ["Brave", "EngineResult", "FailedPage", "PagesResult", "SearXNG", "SearchEngine", "Tavily", "WebSource"]
