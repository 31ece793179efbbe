"""What went wrong, as RFC 9457 wants it told: a status, a title, and one sentence with the remedy."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from wellsourced.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    NotFoundError,
    QuestionError,
    SettingsError,
    SourceError,
    SourceUnavailable,
    UnreadableFile,
    WellsourcedError,
)
from wellsourced.server.pages.rendering import render_page, wants_page

PROBLEM_TYPE = "application/problem+json"


class HttpProblem(NamedTuple):
    """A status of HTTP, what sort of thing it is, and what its reader can do."""

    status: int
    title: str
    detail: str


STATUSES: tuple[tuple[type[WellsourcedError], int, str], ...] = (
    (QuestionError, 422, "The question cannot be answered as it stands"),
    (UnreadableFile, 422, "The text cannot be read"),
    (NotFoundError, 404, "Not found"),
    (SourceUnavailable, 503, "A source is not available"),
    (SourceError, 502, "A source refused"),
    (ModelUnavailable, 503, "The language model is not available"),
    (BudgetSpent, 503, "The budget is spent"),
    (ModelError, 502, "The language model failed"),
    (SettingsError, 500, "The server is not set up for this"),
)
"""The first that an error is counts."""


def describe_problem(error: WellsourcedError) -> HttpProblem:
    """What an error of ours is over HTTP."""
    status, title = next(
        ((status, title) for kind, status, title in STATUSES if isinstance(error, kind)),
        (500, "Something went wrong"),
    )
    return HttpProblem(status, title, str(error))


def render_problem(problem: HttpProblem) -> JSONResponse:
    """The response that tells it."""
    content = {"type": "about:blank", **problem._asdict()}
    return JSONResponse(content, status_code=problem.status, media_type=PROBLEM_TYPE)


def _answer_problem(request: Request, problem: HttpProblem) -> Response:
    """A page for people, else as programs read it."""
    # The API answers programs alike, whatever their headers say.
    if wants_page(request.headers) and not request.url.path.startswith("/api/"):
        return render_page("problem.html", problem.status, title=problem.title, detail=problem.detail)
    return render_problem(problem)


def _list_methods(request: Request, routers: Sequence[APIRouter]) -> str:
    """The methods that a path answers: each route of it knows its own alone."""
    routes = (route for router in routers for route in router.routes if isinstance(route, Route))
    found = (route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return ", ".join(sorted({method for methods in found for method in methods}))


def add_problem_handlers(application: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Let every error of the application be told in that form; it has the routes of these."""

    @application.exception_handler(WellsourcedError)
    async def tell_ours(request: Request, error: WellsourcedError) -> Response:
        return _answer_problem(request, describe_problem(error))

    @application.exception_handler(RequestValidationError)
    async def tell_invalid(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not repeated: it may be a patient's.
        faults = [f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}" for one in error.errors()]
        return _answer_problem(request, HttpProblem(422, "The request cannot be read", "; ".join(faults)))

    @application.exception_handler(HTTPException)
    async def tell_http(request: Request, error: HTTPException) -> Response:
        problem = HttpProblem(error.status_code, HTTPStatus(error.status_code).phrase, str(error.detail))
        response = _answer_problem(request, problem)
        response.headers.update(error.headers or {})
        # RFC 9110 wants all methods of the path, of which each route knows its own.
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (methods := _list_methods(request, routers)):
            response.headers["allow"] = methods
        return response
