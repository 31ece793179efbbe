"""The web as a source: search engines name pages, the pages are read, and only their own words count. What an engine
says of a page is never evidence."""

from wellsourced.sources.web.search_engines import Brave, EngineResult, SearchEngine, SearXNG, Tavily
from wellsourced.sources.web.source import FailedPage, PagesResult, WebSource

__all__ = ["Brave", "EngineResult", "FailedPage", "PagesResult", "SearXNG", "SearchEngine", "Tavily", "WebSource"]
