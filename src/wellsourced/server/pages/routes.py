"""The pages on which something is asked, and the documents that answers rest on."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from wellsourced.api import ask
from wellsourced.converse import add_cited_source
from wellsourced.errors import QuestionError, SettingsError
from wellsourced.events import Emit
from wellsourced.explain.explanation import explain
from wellsourced.recommend.recommendation import recommend
from wellsourced.server.access import TOKEN_COOKIE, is_own_page
from wellsourced.server.live_runs import RunOrigin
from wellsourced.server.pages.asking import open_preset, read_preset, rebuild_conversation, render_question_form
from wellsourced.server.pages.document_view import open_local_document, view_document
from wellsourced.server.pages.forms import (
    choose_sources,
    describe_destinations,
    read_field,
    read_form,
    read_question,
)
from wellsourced.server.pages.rendering import give_static_file, render_page
from wellsourced.server.pages.text_check import (
    MAX_ADDRESS_LENGTH,
    OFFLINE_NOTICE,
    check_given_text,
    find_host,
    read_given_text,
    write_bookmarklet,
)
from wellsourced.server.pages.visits import PageVisit, Visit, begin
from wellsourced.types import Answer

pages = APIRouter(include_in_schema=False)


@pages.get("/")
async def show_question_form(visit: PageVisit) -> Response:
    """Where a question is asked."""
    return render_question_form(visit)


@pages.post("/ask")
async def begin_answer(request: Request, visit: PageVisit) -> Response:
    """Begin an answer; with a patient's text it is a recommendation."""
    form = await read_form(request)
    before = visit.find_run(read_field(form, "follows")) if read_field(form, "follows") else None
    try:
        question = read_question(form)
        # Tried now with the server's own context: a wrong choice is told on the form and not by a run that fails.
        choose_sources(form, visit.context)
        preset = read_preset(form)
    except (QuestionError, SettingsError) as error:
        return render_question_form(visit, form, str(error))
    conversation = rebuild_conversation(before)
    # A follow-up is about the same patient, whose text is with the run alone: nobody types it again.
    patient = question.patient or (before.origin.patient if before else "")
    asked = question.model_copy(update={"history": conversation.turns, "patient": patient})

    async def work(emit: Emit) -> Answer:
        async with open_preset(preset, visit) as context:
            # With a patient it is a recommendation, which also says what speaks against it for him.
            answering = recommend if asked.patient else ask
            return await answering(asked, add_cited_source(conversation, choose_sources(form, context)), emit)

    return begin(visit, "question", question.text, work, RunOrigin(patient, follows=before.id if before else ""))


@pages.get("/check")
async def show_check_form(request: Request, visit: PageVisit, address: str = "") -> Response:
    """Where a text is given to be checked; an address in the link is filled in, and fetched only when it is sent."""
    # A link of somebody else's must not make this server fetch a page: it is fetched when the form is sent.
    return _render_check_form(request, visit, {"address": address[:MAX_ADDRESS_LENGTH]})


@pages.post("/check")
async def begin_check(request: Request, visit: PageVisit) -> Response:
    """Begin the check of a text that was typed, of a file, or of a page of the web."""
    form = await read_form(request)
    try:
        given = await read_given_text(form, visit.settings)
    except QuestionError as error:
        return _render_check_form(request, visit, form, str(error))
    repair = bool(read_field(form, "repair"))
    return begin(visit, "text", given.title, lambda emit: check_given_text(given, visit.settings, repair, emit))


def _render_check_form(request: Request, visit: Visit, given: Mapping[str, object], problem: str = "") -> Response:
    return render_page(
        "check.html",
        422 if problem else 200,
        problem=problem,
        given=given,
        host=find_host(read_field(given, "address")),
        offline=OFFLINE_NOTICE if visit.settings.network.offline else "",
        bookmarklet=write_bookmarklet(str(request.base_url)),
    )


@pages.get("/explain")
async def show_order_form(visit: PageVisit) -> Response:
    """Where an order is given to be explained."""
    return render_page("explain.html", destinations=describe_destinations(visit.context), problem="", given={})


@pages.post("/explain")
async def begin_explanation(request: Request, visit: PageVisit) -> Response:
    """Begin the explanation of an order."""
    form = await read_form(request)
    order = read_field(form, "order")
    if not order:
        told = describe_destinations(visit.context)
        return render_page("explain.html", 422, destinations=told, problem="Type or paste the order.", given=form)
    patient, asked = read_field(form, "patient"), read_field(form, "asked")
    return begin(
        visit, "order", order, lambda emit: explain(order, visit.context, patient=patient, asked=asked, emit=emit)
    )


@pages.get("/document")
async def show_document(id: str, visit: PageVisit, start: int = 0, end: int = 0) -> Response:
    """A document of a library on this machine, with the quoted words marked."""
    document = await open_local_document(id, visit.context)
    parts = view_document(document, [(start, end)])
    quote, has_pages = (start, end), bool(document.pages)
    return render_page("document.html", reference=document.reference, parts=parts, quote=quote, has_pages=has_pages)


@pages.get("/sign-in")
async def show_sign_in(next: str = "") -> Response:
    """Where a token is typed; `next` is the page that was wanted."""
    return render_page("sign_in.html", problem="", next=next if is_own_page(next) else "")


@pages.post("/sign-in")
async def sign_in(request: Request, visit: PageVisit) -> Response:
    """Let the browser keep a token that is known, for as long as it is open."""
    form = await read_form(request)
    token, wanted = read_field(form, "token"), read_field(form, "next")
    # The field comes from a link: it could lead who has just signed in to another site.
    wanted = wanted if is_own_page(wanted) else ""
    if token not in visit.tokens:
        return render_page("sign_in.html", 401, problem="This server does not know that token.", next=wanted)
    response = RedirectResponse(wanted or "/", 303)
    is_secure = request.url.scheme == "https"
    response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict", secure=is_secure)
    return response


@pages.post("/sign-out")
async def sign_out() -> Response:
    """Let the browser forget its token."""
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(TOKEN_COOKIE, httponly=True, samesite="strict")
    return response


@pages.get("/static/{name}")
async def show_static(name: str) -> Response:
    """The style and the script."""
    return give_static_file(name)
