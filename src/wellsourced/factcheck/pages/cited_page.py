"""What a page is besides its text: an excuse that calls itself 200, a wall against programs, a shop."""

import html
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from wellsourced.errors import SettingsError, SourceError, UnreadableFile
from wellsourced.http import Response
from wellsourced.readers.html_pages import WebPage, parse_charset, read_web_page
from wellsourced.readers.worker.limits import PAGE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import WorkerJob, run_in_worker_process
from wellsourced.text.sanitization import remove_hidden_markup
from wellsourced.types import Document, Value

MAX_MARKUP = 400_000
"""Characters of a page in which signs are looked for."""

MAX_EXCUSE = 2_000
"""Characters that a page shows at most when what it shows is an excuse."""

_NAME = re.compile(r"<(title|h1)[^<>]{0,400}>(.{0,400}?)</\1>", re.IGNORECASE | re.DOTALL)
_HIDDEN_TAGS = ("script", "style", "template", "noscript", "svg")
_TAG = re.compile(r"<[^<>]*>")
_TITLE_SEPARATOR = re.compile(r"\s+[|–—·»:-]+\s+|\s*[|»]\s*")

_THING = r"(?:web ?)?(?:page|document|article|file|content|url|resource|item|link|topic|address|record)"
_NOT = r"(?: (?:was|is|were|are|has|could|can|does|do|isn|wasn|couldn|doesn)(?:not|n?['’]t)?| no longer)*"
_YOURS = r"(?: (?:that )?you(?:['’]re| are| were|['’]ve| have)? ?(?:looking for|requested|request|seek(?:ing)?))?"
_GONE = re.compile(
    rf"(?:(?:error|http|status|code)?[\s:]*(?:404|410)(?:\b.{{0,60}})?"
    rf"|(?:(?:we(?:['’]re| are))? ?sorry[,.!;:]* )?(?:but )?(?:(?:the|this|that|your) )?(?:requested )?{_THING}{_YOURS}"
    rf"{_NOT}(?: (?:not|no longer))?(?: be)?"
    r" ?(?:found|available|exists?|missing|(?:been )?(?:removed|moved|deleted|retired))(?: or .{1,60})?"
    r"|(?:(?:we(?:['’]re| are))? ?sorry[,.!;:]* )?(?:but )?(?:we )?"
    r"(?:can['’]?t|cannot|could not|couldn['’]t|are unable to)(?: seem to)? (?:find|locate)"
    rf" (?:the|this|that|your) {_THING}.{{0,60}}"
    r"|(?:oops|whoops|uh[- ]oh)[!.,… ].{0,80}|not found|nothing (?:was )?found(?: here)?|page missing|does not exist"
    r"|(?:seite|page|página|pagina|sidan)"
    r" (?:nicht gefunden|non trouvée|introuvable|no encontrada|non trovata|não encontrada|niet gevonden))[\s.!…]*",
    re.IGNORECASE,
)
_WALL = re.compile(
    r"just a moment\b|attention required! \| cloudflare|checking (?:if the site connection is secure|your browser)"
    r"|verif(?:y|ying) (?:that )?you are (?:a )?human|are you (?:a )?(?:robot|human)|pardon our interruption"
    r"|access denied|you have been blocked|unusual traffic|enable (?:javascript and )?cookies to continue"
    r"|please complete the (?:security check|captcha)|request unsuccessful\. incapsula|ddos protection by"
    r"|bot (?:detection|protection)|human verification|security check(?:point)?",
    re.IGNORECASE,
)
_WALL_MARKUP = re.compile(
    r"cf[-_]chl|challenge-platform|px-captcha|captcha-delivery|_incapsula_resource|g-recaptcha|h-captcha|awswaf"
    r"|datadome",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"<input\b[^<>]{0,2000}?\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_FREE = re.compile(r"\"isAccessibleForFree\"\s{0,99}:\s{0,99}\"?(true|false)\b", re.IGNORECASE)
_FREE_META = re.compile(
    r"<meta\b[^<>]{0,2000}?(?:isAccessibleForFree[^<>]{0,400}?content\s{0,9}=\s{0,9}[\"'](true|false)"
    r"|name\s{0,9}=\s{0,9}[\"']citation_fulltext_world_readable)",
    re.IGNORECASE,
)
_SHOP = re.compile(
    r"\b(?:purchase (?:(?:digital|instant|pdf|short-term|this)[ -]?)?(?:access|article|pdf|chapter)"
    r"|buy (?:this |full )?(?:article|access|chapter|pdf)|rent this article|get (?:full )?access to this \w+"
    r"|subscribe (?:to (?:read|view|continue|unlock|access)|for (?:full )?access)"
    r"|(?:log|sign) ?in (?:or subscribe )?to (?:read|view|continue|access)|access through your institution"
    r"|this (?:article|content|topic) is (?:only )?available to subscribers|subscription required"
    r"|already a subscriber|to continue reading)\b",
    re.IGNORECASE,
)


class PageSigns(NamedTuple):
    """What a page shows that is not its text; "" and None for nothing of the kind.

    gone        the words with which it says that there is nothing here
    walled      the words of a wall against programs
    password    it asks for one: where it shows no text besides, that is for its members
    paywalled   it sells what it names (schema.org: isAccessibleForFree, or the words of a shop); False: it is free
    """

    gone: str = ""
    walled: str = ""
    password: bool = False
    paywalled: bool | None = None


def detect_signs(markup: str) -> PageSigns:
    """What a page of HTML shows."""
    looked_at = markup[:MAX_MARKUP]
    visible = _strip_tags(remove_hidden_markup(looked_at, _HIDDEN_TAGS, " "))
    names = [_strip_tags(found[2]) for found in [*_NAME.finditer(looked_at)][:4]]
    short = len(visible) <= MAX_EXCUSE
    return PageSigns(
        next((part for name in names for part in (name, *_TITLE_SEPARATOR.split(name)) if _GONE.fullmatch(part)), ""),
        _find_wall(looked_at, visible, names) if short else "",
        _PASSWORD.search(looked_at) is not None,
        _has_paywall(looked_at, visible),
    )


def is_sent_to_front_page(asked: str, arrived: str) -> bool:
    """Whether a page deep inside a site now leads to its front: how many sites say that a page is gone."""
    before, after = urlsplit(asked), urlsplit(arrived)
    deep = len([part for part in before.path.split("/") if part]) > 1
    return deep and not after.path.strip("/") and not after.query and bool(before.path.strip("/"))


def _find_wall(markup: str, visible: str, names: list[str]) -> str:
    for said in (*names, visible):
        if found := _WALL.search(said):
            return found.group()
    return "a CAPTCHA" if _WALL_MARKUP.search(markup) and len(visible) < MAX_EXCUSE // 4 else ""


def _has_paywall(markup: str, visible: str) -> bool | None:
    said = _FREE.search(markup) or _FREE_META.search(markup)
    if said:
        return (said[1] or "").lower() == "false"
    return True if _SHOP.search(visible) else None


def _strip_tags(inner: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", inner)).split())


class CitedPage(Value):
    """What came of reading a page.

    signs        what it shows that is not its text; nothing is looked for in what is no HTML
    document     its words; None where there are none, or where its signs say that they are not those of the source
    unreadable   why it cannot be read; unsupported: why nobody here reads it; "" otherwise
    """

    signs: PageSigns = PageSigns()
    document: Document | None = None
    unreadable: str = ""
    unsupported: str = ""


async def read_cited_page(reply: Response, today: date, limits: WorkerLimits = PAGE_LIMITS) -> CitedPage:
    """What a server answered, read by a worker with limits: nothing of it is parsed in this process. Raises nothing."""
    named = parse_charset(reply.headers.get("Content-Type", ""))
    page = WebPage(url=reply.url, type=reply.type, charset=named, today=today, is_cited=True)
    work = WorkerJob("cited page", page.model_dump(mode="json"), reply.content, reply.url)
    try:
        return CitedPage.model_validate_json(await run_in_worker_process(work, limits))
    except UnreadableFile as error:
        return CitedPage(unsupported=error.reason)


def parse_cited_page(given: Mapping[str, Any], content: bytes) -> CitedPage:
    """What a page is: inside the worker."""
    page = WebPage.model_validate(given)
    signs = detect_signs(page.decode(content)) if page.is_html else PageSigns()
    if signs.walled or signs.gone:
        return CitedPage(signs=signs)
    try:
        return CitedPage(signs=signs, document=read_web_page(page, content))
    except UnreadableFile as error:
        return CitedPage(signs=signs, unreadable=error.reason)
    except (SourceError, SettingsError) as error:
        return CitedPage(signs=signs, unsupported=error.phrase)
