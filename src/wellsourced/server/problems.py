"""Errors over HTTP: as RFC 9457 describes them, on /v1 as OpenAI does, and as a page for people."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from types import MappingProxyType

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from wellsourced import errors
from wellsourced.errors import NextStep
from wellsourced.server import messages
from wellsourced.server.pages.rendering import render_page, wants_page

PROBLEM_TYPE = "application/problem+json"

OPENAI_PATH = "/v1/"
"""Below it errors have OpenAI's form: clients of that protocol read no other."""

OPENAI_CODES = {
    401: "invalid_api_key",
    404: "unknown_url",
    405: "method_not_supported",
    413: "request_too_large",
    415: "unsupported_media_type",
    429: "insufficient_quota",
}
"""Status → `code`, where the problem names none. RATE_CODE tells a rate from a quota that is used up."""

RATE_CODE = "rate_limit_exceeded"

UNSUPPORTED = "unsupported_parameter"
"""What a field raises for something that cannot be had; its message says so in words."""

FAULT_CODES = {
    UNSUPPORTED: UNSUPPORTED,
    "missing": "missing_required_parameter",
    "extra_forbidden": "unknown_parameter",
}
"""Kind of fault of a field → `code`."""

FORMS = frozenset({"str", "date"})
"""Names of forms, which pydantic puts among the names of parts."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpProblem:
    """An error as RFC 9457 describes it: status, title, what went wrong; and what its reader can do, as a value.

    param, code   what OpenAI's form adds: the parameter at fault, and a word that programs compare
    """

    status: int
    title: str
    detail: str
    next_step: NextStep | None = None
    param: str = ""
    code: str = ""

    @property
    def message(self) -> str:
        """What went wrong, and what to do."""
        return " ".join(filter(None, (self.detail, messages.spell_next_step(self.next_step))))

    def to_json(self) -> dict[str, object]:
        """The fields of RFC 9457, and `next_step` where there is one; `detail` spells it, too."""
        step = {"next_step": asdict(self.next_step)} if self.next_step else {}
        return {"type": "about:blank", "status": self.status, "title": self.title, "detail": self.message, **step}

    def to_openai(self) -> dict[str, object]:
        """The same in OpenAI's form."""
        code = self.code or OPENAI_CODES.get(self.status)
        kind = "invalid_request_error" if self.status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
        # Clients give up on a quota that is used up, and wait for a rate.
        kind = code if code in (RATE_CODE, OPENAI_CODES[429]) else kind
        return {"error": {"message": self.message, "type": kind, "param": self.param or None, "code": code}}


class RefusedRequest(HTTPException):
    """A request that is refused with a problem that says more than its status."""

    def __init__(self, problem: HttpProblem, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(problem.status, problem.detail, dict(headers))
        self.problem = problem


def describe_problem(error: Exception) -> HttpProblem:
    """Return an error as HTTP shows it. The words of an unexpected one could repeat what was asked: only its kind is
    given."""
    if isinstance(error, RefusedRequest):
        return error.problem
    if isinstance(error, HTTPException):
        status = error.status_code
        title, detail = HTTPStatus(status).phrase.capitalize(), messages.describe_status(status, str(error.detail))
        return HttpProblem(status, title, detail)
    if not isinstance(error, errors.WellsourcedError):
        detail = messages.UNEXPECTED_ERROR.format(kind=type(error).__name__)
        return HttpProblem(500, messages.UNEXPECTED_TITLE, detail)
    kinds = ((status, title) for kind, status, title in messages.PROBLEMS if isinstance(error, kind))
    status, title = next(kinds, (500, messages.UNEXPECTED_TITLE))
    return HttpProblem(status, title, str(error), error.next_step)


def describe_logged(scope: Scope, error: Exception) -> HttpProblem:
    """The same; an unexpected error is logged: where it was raised, and for which route; no words of the request, and
    none of its own."""
    problem = describe_problem(error)
    if isinstance(error, errors.WellsourcedError | HTTPException):
        return problem
    route, frames = getattr(scope.get("route"), "path", ""), traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    log.error("500 for %s %s: %s at %s", scope["method"], route, type(error).__name__, place)
    return problem


def render_problem(problem: HttpProblem, path: str) -> JSONResponse:
    """The response for programs that asked at this path."""
    if not path.startswith(OPENAI_PATH):
        return JSONResponse(problem.to_json(), status_code=problem.status, media_type=PROBLEM_TYPE)
    if problem.status == HTTPStatus.NOT_FOUND and not problem.code:
        problem = replace(problem, detail=messages.NO_SUCH_PROTOCOL)
    # OpenAI answers what it cannot read with 400, and its clients know no 422 of ours.
    status = 400 if problem.status == HTTPStatus.UNPROCESSABLE_ENTITY else problem.status
    return JSONResponse(problem.to_openai(), status_code=status)


def respond_with(request: Request, problem: HttpProblem) -> Response:
    """A page for people, JSON for programs."""
    # The API answers programs alike, whatever their headers say.
    if wants_page(request.headers) and not request.url.path.startswith(("/api/", OPENAI_PATH)):
        told = {"title": problem.title, "detail": problem.detail, "next_step": problem.next_step}
        return render_page("problem.html", problem.status, **told)
    return render_problem(problem, request.url.path)


def _list_methods(request: Request, routers: Sequence[APIRouter]) -> str:
    """All methods that a path answers: each of its routes knows only its own."""
    routes = (route for router in routers for route in router.routes if isinstance(route, Route))
    found = (route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    every = {method for methods in found for method in methods}
    return ", ".join(sorted(every | ({"HEAD"} if "GET" in every else set())))


def describe_faults(error: RequestValidationError) -> HttpProblem:
    """What is wrong with the parts of a request. What was sent is not repeated: it may be a patient's."""
    faults = error.errors()
    if faults[0]["type"] == "json_invalid":
        return HttpProblem(400, messages.UNREADABLE_TITLE, messages.NOT_JSON, code="invalid_json")
    # A part that may have several forms has the faults of each form; what we say of it counts.
    faults = [fault for fault in faults if fault["type"] == UNSUPPORTED] or faults
    told = dict.fromkeys(messages.FAULT.format(place=_name_place(fault["loc"]), fault=fault["msg"]) for fault in faults)
    first = faults[0]
    param, code = _name_place(first["loc"]), FAULT_CODES.get(first["type"], "invalid_value")
    return HttpProblem(422, messages.UNREADABLE_TITLE, "; ".join(told), param=param, code=code)


def _name_place(place: Sequence[str | int]) -> str:
    """The place of a part, without the form in which it was read: "messages[0].content"."""
    name = ""
    for part in place[1:]:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part not in FORMS and "[" not in part:
            name += f".{part}" if name else part
    return name or "the body"


def add_problem_handlers(application: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Answer every error of the application in that form; `routers` hold its routes."""

    @application.exception_handler(errors.WellsourcedError)
    async def handle_domain_error(request: Request, error: errors.WellsourcedError) -> Response:
        return respond_with(request, describe_problem(error))

    @application.exception_handler(RequestValidationError)
    async def handle_invalid_request(request: Request, error: RequestValidationError) -> Response:
        return respond_with(request, describe_faults(error))

    @application.exception_handler(HTTPException)
    async def handle_http_error(request: Request, error: HTTPException) -> Response:
        response = respond_with(request, describe_problem(error))
        response.headers.update(error.headers or {})
        # RFC 9110 wants all methods of the path, of which each route knows its own.
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (methods := _list_methods(request, routers)):
            response.headers["allow"] = methods
        return response
