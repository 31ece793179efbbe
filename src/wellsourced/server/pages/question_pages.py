"""The pages to ask a question, check a text and explain an order; signing in."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from wellsourced import config
from wellsourced.api import ask, check
from wellsourced.config import Settings
from wellsourced.config.models import use_own_words
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.context import Context
from wellsourced.converse import Conversation, add_cited_source, extend_conversation
from wellsourced.errors import QuestionError, SettingsError
from wellsourced.events import Disclosure, Emit
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.load.input_texts import fetch_text, is_address
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.orders.explanation import explain
from wellsourced.presets.published import load_systems
from wellsourced.recommendation import recommend
from wellsourced.runs.live import LiveRun, RunOrigin
from wellsourced.server.access import TOKEN_COOKIE, TOKEN_KEY, is_own_page
from wellsourced.server.pages import messages
from wellsourced.server.pages.forms import SentFile, begin, read_field, read_files, read_form
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.pages.suggestions import describe_sources, list_examples
from wellsourced.server.requests import QuestionRequest, RequestContext, SentRequest
from wellsourced.types import Answer, Document, Question, SubmittedText

MAX_RECENT = 5
"""Questions asked lately that the first page shows."""

question_pages = APIRouter(include_in_schema=False)


def read_question(form: Mapping[str, object]) -> Question:
    """Read the question of a form. Raises QuestionError for an empty one, and for dates that are none or reversed."""
    since, as_of = (_read_date(form, name) for name in ("since", "as_of"))
    asked, patient = read_field(form, "question"), read_field(form, "patient")
    return QuestionRequest(question=asked, patient=patient, since=since, as_of=as_of).to_question()


def _read_date(form: Mapping[str, object], name: str) -> date | None:
    given = read_field(form, name)
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise QuestionError(messages.NO_DATE.format(given=given[:40])) from error


def choose_sources(form: FormData, context: Context) -> Context:
    """Limit the context to the chosen sources; a form without a choice means all. Raises QuestionError for none."""
    if not form.getlist("source"):
        # A form without the choice sends no source; one with the choice and no mark means none.
        if read_field(form, "may_choose"):
            raise QuestionError(messages.NO_SOURCE_CHOSEN)
        return context
    chosen = [source for source in context.sources if source.name in form.getlist("source")]
    if not chosen:
        raise QuestionError(messages.UNKNOWN_SOURCE)
    # An answer says which sources were not searched: their silence is no agreement.
    left_out = [source.name for source in context.sources if source not in chosen]
    return replace(context, sources=tuple(chosen), left_out=(*context.left_out, *left_out))


def describe_destinations(context: Context) -> str:
    """Where the words of a question may go, for the person who types them."""
    if not context.outbound:
        return messages.STAYS_HERE
    live = [source.name for source in context.sources if source.name in LIVE_SOURCES]
    model = context.model.name if context.has_model else ""
    return messages.destinations(live, model, sees_patient=context.sees_patient)


async def render_question_form(
    visit: RequestContext, given: Mapping[str, object] | None = None, problem: str = ""
) -> Response:
    """The form for a question, with what was typed and what is wrong with it; beside it what will be searched."""
    online = [source.name for source in visit.context.sources if source.name in LIVE_SOURCES]
    return render_page(
        "ask.html",
        422 if problem else 200,
        destinations=describe_destinations(visit.context),
        online=messages.CHOOSE_ONLINE.format(names=", ".join(online)) if online else messages.NO_ONLINE,
        sources=visit.context.sources,
        live=LIVE_SOURCES,
        presets=visit.list_offered_presets(),
        preset=visit.settings.preset or "default",
        systems=list(load_systems()),
        problem=problem,
        given=given or {},
        examples=await list_examples(visit.context),
        searched=await describe_sources(visit.context),
        model=visit.context.model.name if visit.context.has_model else "",
        recent=[run for run in visit.runs.list_lines(visit.owner, 0, MAX_RECENT) if run.title],
        follows=visit.find_run(read_field(given, "follows")) if given and given.get("follows") else None,
    )


def rebuild_conversation(run: LiveRun | None) -> Conversation:
    """The conversation up to a run, with what it cites; an empty one for None."""
    if run is None or not isinstance(run.result, Answer):
        return Conversation()
    question = run.result.question
    return extend_conversation(Conversation(turns=question.history), question.asked or question.text, run.result)


@question_pages.get("/")
async def show_question_form(visit: SentRequest) -> Response:
    """The form for a question."""
    return await render_question_form(visit)


@question_pages.post("/ask")
async def begin_answer(request: Request, visit: SentRequest) -> Response:
    """Start an answer; with a patient's text it is a recommendation."""
    form = await read_form(request)
    before = visit.find_run(read_field(form, "follows")) if read_field(form, "follows") else None
    try:
        question = read_question(form)
        # Checked now, with the server's own context, so that the form says what is wrong and no run fails.
        choose_sources(form, visit.context)
        preset = visit.require_preset(read_field(form, "preset"))
    except (QuestionError, SettingsError) as error:
        return await render_question_form(visit, form, messages.describe_failure(error))
    conversation = rebuild_conversation(before)
    # A follow-up is about the same patient, whose text only the run holds.
    patient = question.patient or (before.origin.patient if before else "")
    asked = question.model_copy(update={"history": conversation.turns, "patient": patient})

    async def work(emit: Emit) -> Answer:
        async with visit.open_preset(preset) as opened:
            context = use_own_words(opened, visit.prompts)
            # A recommendation also lists the lines to check for this patient.
            answering = recommend if asked.patient else ask
            return await answering(asked, add_cited_source(conversation, choose_sources(form, context)), emit)

    origin = RunOrigin(patient, follows=before.id if before else "")
    return begin(visit, "question", question.text, work, origin, question=asked)


MAX_ADDRESS_LENGTH = 2_000
"""Characters of an address; browsers and servers differ beyond them."""

MAX_PAGE_BYTES = 20_000_000
"""Bytes of a page that is checked, as of one that a text cites: several visitors may ask for one at once."""


async def read_given_text(form: FormData, settings: Settings) -> SentFile | str:
    """Read the text of a form: a file, typed text as one, or an address.

    Raises QuestionError for none, for several, and for an address that is not fetched.
    """
    typed, address = read_field(form, "text"), read_field(form, "address")
    files = [*await read_files(form, "file"), *([SentFile("Your text", typed.encode())] if typed else [])]
    if not files and not address:
        raise QuestionError(messages.NOTHING_TO_CHECK)
    # Which one was meant cannot be known, and checking the wrong one would go unnoticed.
    if len(files) + bool(address) > 1:
        raise QuestionError(messages.SEVERAL_TO_CHECK)
    if files:
        return files[0]
    # Before the address is looked at: the reason is the setting, whatever was typed.
    if settings.network.offline:
        raise QuestionError(messages.OFFLINE)
    if not find_host(address):
        raise QuestionError(messages.NO_ADDRESS)
    return address


def find_host(address: str) -> str:
    """The host that would be asked for the page at an address; "" for no address."""
    if not is_address(address) or len(address) > MAX_ADDRESS_LENGTH:
        return ""
    try:
        # A password may precede the "@", and the host is shown.
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


async def check_given_text(given: SentFile | str, settings: Settings, repair: bool, emit: Emit) -> CheckedText:
    """Check the text as the command line does, and store nothing. Raises as fetching, reading and checking do."""
    loaded: Document | SubmittedText
    if isinstance(given, SentFile):
        loaded = await load_text_by_worker(given.content, given.name)
    else:
        emit(Disclosure(host=find_host(given), to="for the page that is checked"))
        async with config.open_client(settings) as client:
            loaded = await fetch_text(given, client, MAX_PAGE_BYTES)
    document = loaded if isinstance(loaded, Document) else loaded.document
    # Not kept: a visitor's text does not belong among the checks of the server's owner.
    done = await check(document, settings=settings, repair=repair, keep=False, emit=emit)
    return CheckedText(given.name if isinstance(given, SentFile) else given, done)


def write_bookmarklet(server: str) -> str:
    """Write a bookmark that opens the form of this server with the address of the page on which it is clicked."""
    form = f"{quote(server.rstrip('/'), safe=':/[]')}/check?address="
    return f"javascript:location.href='{form}'+encodeURIComponent(location.href)"


@question_pages.get("/check")
async def show_check_form(request: Request, visit: SentRequest, address: str = "") -> Response:
    """The form for a text; an address in the link is filled in."""
    # A foreign link must not make this server fetch a page: it is fetched when the form is sent.
    return _render_check_form(request, visit, {"address": address[:MAX_ADDRESS_LENGTH]})


@question_pages.post("/check")
async def begin_check(request: Request, visit: SentRequest) -> Response:
    """Start the check of a typed text, a file or a web page."""
    form = await read_form(request)
    try:
        given = await read_given_text(form, visit.settings)
    except QuestionError as error:
        return _render_check_form(request, visit, form, messages.describe_failure(error))
    repair = bool(read_field(form, "repair"))
    title = read_field(form, "text") or (given.name if isinstance(given, SentFile) else given)
    return begin(visit, "text", title, lambda emit: check_given_text(given, visit.settings, repair, emit))


def _render_check_form(
    request: Request, visit: RequestContext, given: Mapping[str, object], problem: str = ""
) -> Response:
    return render_page(
        "check.html",
        422 if problem else 200,
        problem=problem,
        given=given,
        host=find_host(read_field(given, "address")),
        offline=messages.OFFLINE if visit.settings.network.offline else "",
        bookmarklet=write_bookmarklet(str(request.base_url)),
    )


@question_pages.get("/explain")
async def show_order_form(visit: SentRequest) -> Response:
    """The form for an order."""
    return render_page("explain.html", destinations=describe_destinations(visit.context), problem="", given={})


@question_pages.post("/explain")
async def begin_explanation(request: Request, visit: SentRequest) -> Response:
    """Start the explanation of an order."""
    form = await read_form(request)
    order = read_field(form, "order")
    if not order:
        goes = describe_destinations(visit.context)
        return render_page("explain.html", 422, destinations=goes, problem=messages.NO_ORDER, given=form)
    patient, asked = read_field(form, "patient"), read_field(form, "asked")
    return begin(
        visit, "order", order, lambda emit: explain(order, visit.context, patient=patient, asked=asked, emit=emit)
    )


@question_pages.get("/sign-in")
async def show_sign_in(request: Request, next: str = "") -> Response:
    """The form for a token; `next` is the wanted page. A token that was revoked is forgotten, and that is said."""
    is_unknown = TOKEN_COOKIE in request.cookies and not request.scope[TOKEN_KEY]
    problem = messages.UNKNOWN_TOKEN if is_unknown else ""
    response = render_page("sign_in.html", problem=problem, next=next if is_own_page(next) else "")
    return _forget_token(response) if is_unknown else response


@question_pages.post("/sign-in")
async def sign_in(request: Request, visit: SentRequest) -> Response:
    """Let the browser keep a known token until it is closed."""
    form = await read_form(request)
    token, wanted = read_field(form, "token"), read_field(form, "next")
    # The field comes from a link, which could lead to another site after signing in.
    wanted = wanted if is_own_page(wanted) else ""
    if token not in visit.tokens:
        return render_page("sign_in.html", 401, problem=messages.UNKNOWN_TOKEN, next=wanted)
    response = RedirectResponse(wanted or "/", 303)
    is_secure = request.url.scheme == "https"
    response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict", secure=is_secure)
    return response


@question_pages.post("/sign-out")
async def sign_out() -> Response:
    """Let the browser forget its token."""
    return _forget_token(RedirectResponse("/sign-in", 303))


def _forget_token(response: Response) -> Response:
    response.delete_cookie(TOKEN_COOKIE, httponly=True, samesite="strict")
    return response
