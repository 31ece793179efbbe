"""The application: what can be asked over HTTP, from one context that is open as long as the server runs."""

from importlib.metadata import version

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.server.access import Access, AccessControl
from wellsourced.server.answers import answers
from wellsourced.server.chat_completions import chat
from wellsourced.server.live_runs import LiveRuns
from wellsourced.server.pages.routes import pages
from wellsourced.server.problems import add_problem_handlers
from wellsourced.server.repeated_requests import RepeatedRequests

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI would send what it was asked to wherever the environment says (OTEL_EXPORTER_OTLP_ENDPOINT)."""


def build_application(access: Access, context: Context | None = None, settings: Settings | None = None) -> FastAPI:
    """The application. Without a context it answers nothing, and describes itself."""
    application = FastAPI(
        title="wellsourced",
        version=version("wellsourced"),
        summary="Medical answers whose every sentence shows the words it rests on.",
        # The pages of FastAPI load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
    )
    state = application.state
    state.context, state.settings, state.access = context, settings, access
    state.runs, state.repeated = LiveRuns(), RepeatedRequests()
    for routes in (answers, chat, pages):
        application.include_router(routes)
    add_problem_handlers(application)
    application.add_middleware(AccessControl, access=access)
    return application
