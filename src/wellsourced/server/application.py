"""The application: pages, the API and its description, over one context that is open as long as the server runs."""

from collections.abc import Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from fastapi.telemetry import TelemetryConfig

from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.history import RunHistory
from wellsourced.server.access import Access, AccessControl, add_problem_handlers
from wellsourced.server.answers import answers
from wellsourced.server.chat_completions import chat
from wellsourced.server.pages.document_pages import document_pages
from wellsourced.server.pages.history_pages import history_pages
from wellsourced.server.pages.library_pages import library_pages
from wellsourced.server.pages.question_pages import question_pages
from wellsourced.server.pages.rendering import HERE
from wellsourced.server.request_limits import Quotas, TokenRate, open_use_tables
from wellsourced.server.resources import resources
from wellsourced.server.run_registry import LiveRuns

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI would send requests to the address in the environment (OTEL_EXPORTER_OTLP_ENDPOINT)."""

ROUTERS = (answers, resources, chat, question_pages, history_pages, library_pages, document_pages)


def build_application(
    access: Access,
    context: Context | None = None,
    settings: Settings | None = None,
    flags: Mapping[str, Any] = MappingProxyType({}),
) -> FastAPI:
    """Build the application. Without a context it answers nothing, and describes itself.

    flags   those from which the settings were loaded
    """
    application = FastAPI(
        title="wellsourced",
        version=version("wellsourced"),
        summary="Medical answers you can check: every sentence comes with the exact words that support it.",
        # The pages of FastAPI load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
    )
    state = application.state
    state.context, state.settings, state.access, state.flags = context, settings, access, dict(flags)
    use = open_use_tables(settings.home, settings.storage.url) if settings else None
    # Before the port is open: a server that cannot reach what it shares would answer each request with that.
    if use and settings and settings.storage.url:
        with use.open():
            pass
    state.quotas = Quotas(settings.quota, use) if settings else Quotas()
    history = RunHistory(settings.home, settings.storage.url) if settings and settings.runs else None
    state.runs = LiveRuns(history, describe_event)
    for router in ROUTERS:
        application.include_router(router)
    application.mount("/static", StaticFiles(directory=HERE / "static"))

    @application.get("/health", summary="Check that the server answers")
    async def report_health() -> dict[str, str]:
        """Returns `ok` and the version of the server."""
        return {"status": "ok", "version": version("wellsourced")}

    add_problem_handlers(application, ROUTERS)
    rate = TokenRate(access.per_minute, use if settings and settings.storage.url else None)
    application.add_middleware(AccessControl, access=access, rate=rate)
    return application
