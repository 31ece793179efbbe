"""The application: pages, the API and its description, over one context that is open as long as the server runs."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from fastapi.telemetry import TelemetryConfig
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from wellsourced.config import Settings, open_context
from wellsourced.context import MAX_QUESTIONS_WITHOUT_MODEL
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.history import RunHistory
from wellsourced.runs.table import digest_text
from wellsourced.server import messages
from wellsourced.server.access import BUSY_SECONDS, OPEN_PATHS, REVOKED, TOKEN_SECONDS, Access, AccessControl, TokenFile
from wellsourced.server.answers import answers
from wellsourced.server.chat_completions import chat
from wellsourced.server.metrics import METRICS_TYPE, Metrics
from wellsourced.server.open_contexts import OpenContexts
from wellsourced.server.pages.document_pages import document_pages
from wellsourced.server.pages.history_pages import history_pages
from wellsourced.server.pages.library_pages import library_pages, remove_leftovers
from wellsourced.server.pages.question_pages import question_pages
from wellsourced.server.pages.rendering import HERE
from wellsourced.server.problems import OPENAI_PATH, RefusedRequest, add_problem_handlers
from wellsourced.server.request_limits import Quotas, TokenRate, open_use_tables
from wellsourced.server.requests import PROBLEMS, OpenAIProblem, Problem
from wellsourced.server.resources import resources
from wellsourced.server.run_registry import LiveRuns
from wellsourced.server.work_queue import WorkQueue
from wellsourced.types.field_meanings import describe_known_fields

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI would send requests to the address in the environment (OTEL_EXPORTER_OTLP_ENDPOINT)."""

ABOUT_TOKENS = "A line of the server's file of tokens. Without such a file none is needed."

ROUTERS = (answers, resources, chat, question_pages, history_pages, library_pages, document_pages)


TAGS = {
    "Answers": "Answers, checks and explanations, and what they rest on.",
    "Sources": "What this server can search.",
    "Runs": "What this token asked before, and what still works.",
    "Jobs": "Long work, begun with an Idempotency-Key.",
    "Quota": "What this token may use today.",
    "Chat front ends": "OpenAI's protocol, for front ends such as Open WebUI.",
    "Server": "Whether the server answers, and how much it has to do.",
}
"""Tag → what the description of the API says of its routes."""


class DescribedApplication(FastAPI):
    """An application that describes, too, what its middleware does: tokens, and the form of errors."""

    def openapi(self) -> dict[str, Any]:
        """Return the description (OpenAPI 3.1)."""
        if self.openapi_schema is None:
            described = super().openapi()
            parts = described.setdefault("components", {})
            _, made = models_json_schema(
                [(Problem, "serialization"), (OpenAIProblem, "serialization")],
                ref_template="#/components/schemas/{model}",
            )
            # What FastAPI says of requests that it cannot read is not what is answered here.
            schemas = {name: schema for name, schema in parts["schemas"].items() if "ValidationError" not in name}
            parts["schemas"] = schemas | made["$defs"]
            for schema in schemas.values():
                describe_known_fields(schema)
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer", "description": ABOUT_TOKENS}}
            # A server on this machine alone has no tokens, and answers without.
            described["security"] = [{"token": []}] if self.state.access.wants_token else [{"token": []}, {}]
            for path, methods in described["paths"].items():
                for operation in methods.values():
                    if path in OPEN_PATHS:
                        operation["security"] = []
                    if path.startswith(OPENAI_PATH):
                        operation["responses"].pop("422", None)
        return self.openapi_schema or {}


@asynccontextmanager
async def _attend(application: FastAPI) -> AsyncIterator[None]:
    """Delete what a killed server left; stop what is answered for a token that is revoked, as long as this one runs."""
    tokens, runs = application.state.access.tokens, application.state.runs
    if application.state.settings:
        await asyncio.to_thread(remove_leftovers, application.state.settings)

    async def watch() -> None:
        while isinstance(tokens, TokenFile):
            await asyncio.sleep(TOKEN_SECONDS)
            for token in await asyncio.to_thread(tokens.refresh):
                runs.stop_all(digest_text(token), RefusedRequest(REVOKED))

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


def build_application(
    access: Access,
    settings: Settings | None = None,
    flags: Mapping[str, Any] = MappingProxyType({}),
    libraries: Sequence[str] = (),
) -> FastAPI:
    """Build the application. Without settings it answers nothing, and describes itself.

    flags       those from which the settings were loaded
    libraries   search only these; none: what the settings say
    """
    application = DescribedApplication(
        title="wellsourced",
        version=version("wellsourced"),
        summary="Medical answers you can check: every sentence comes with the exact words that support it.",
        openapi_tags=[{"name": name, "description": about} for name, about in TAGS.items()],
        # The pages of FastAPI load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
        lifespan=_attend,
    )
    state = application.state
    state.contexts = OpenContexts(lambda: open_context(settings, libraries=libraries))
    state.settings, state.access, state.flags = settings, access, dict(flags)
    use = open_use_tables(settings.home, settings.storage.url) if settings else None
    # Before the port is open: a server that cannot reach what it shares would answer each request with that.
    if use and settings and settings.storage.url:
        with use.open():
            pass
    state.quotas = Quotas(settings.quota, use) if settings else Quotas()
    state.library_turns = defaultdict(asyncio.Lock)
    state.queue = WorkQueue(MAX_QUESTIONS_WITHOUT_MODEL)
    history = RunHistory(settings.home, settings.storage.url) if settings and settings.runs else None
    state.runs = LiveRuns(history, describe_event)
    for router in ROUTERS:
        application.include_router(router)
    application.mount(
        "/static", StaticFiles(directory=HERE / "static", packages=[("wellsourced.presentation", "static")])
    )

    @application.get("/health", tags=["Server"], summary="Check that the server answers")
    async def report_health() -> dict[str, str]:
        """Returns `ok` and the version of the server."""
        return {"status": "ok", "version": version("wellsourced")}

    @application.get(
        "/ready", tags=["Server"], summary="Check that the server takes questions", responses={503: PROBLEMS[503]}
    )
    async def report_readiness() -> dict[str, str]:
        """Returns `ready`; 503 while libraries are opened, and while as many questions wait as may."""
        if not state.contexts.is_open or state.queue.is_full:
            raise HTTPException(503, messages.NOT_READY, {"retry-after": str(BUSY_SECONDS)})
        return {"status": "ready"}

    metrics = Metrics()

    @application.get(
        "/metrics",
        tags=["Server"],
        summary="Read the numbers of this server",
        response_class=PlainTextResponse,
        responses=PROBLEMS,
    )
    async def report_metrics() -> PlainTextResponse:
        """Counts of responses and of waiting work, for Prometheus. They hold no word of a request."""
        return PlainTextResponse(metrics.write(state.queue), media_type=METRICS_TYPE)

    add_problem_handlers(application, ROUTERS)
    rate = TokenRate(access.per_minute, use if settings and settings.storage.url else None)
    application.add_middleware(AccessControl, access=access, rate=rate, metrics=metrics)
    return application
