"""The check of a text for its page: one that was typed, a file, or a page of the web, which this server fetches."""

from typing import NamedTuple
from urllib.parse import quote, urlsplit

from starlette.datastructures import FormData

from wellsourced.api import check
from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.factcheck.input_texts import fetch_text, is_address
from wellsourced.config import Settings
from wellsourced.errors import QuestionError
from wellsourced.events import Disclosure, Emit
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.server.pages.forms import SentFile, read_field, read_file
from wellsourced.types import Document, SubmittedText

MAX_ADDRESS_LENGTH = 2_000
"""Characters of an address; browsers and servers differ beyond them."""

MAX_PAGE_BYTES = 20_000_000
"""Bytes of a page that is checked, as of one that a text cites: several visitors may ask for one at once."""

OFFLINE_NOTICE = "This server is set to fetch nothing from the network (network.offline): no address is checked."


class GivenText(NamedTuple):
    """What is to be checked: of a file, or of what was typed under the name "the text"; else of an address.

    title   by which its visitor knows the run
    """

    title: str
    file: SentFile | None = None
    address: str = ""


async def read_given_text(form: FormData, settings: Settings) -> GivenText:
    """The text of a form. Raises QuestionError for none, for several, and for an address that is not fetched."""
    file, typed, address = await read_file(form, "file"), read_field(form, "text"), read_field(form, "address")
    given = [one for one in (file, typed, address) if one]
    if not given:
        raise QuestionError("Paste a text, choose a file, or give the address of a page.")
    # Which one was meant cannot be known, and the wrong one would be checked without anybody noticing.
    if len(given) > 1:
        raise QuestionError("A text, a file and an address are several things to check: give one of them.")
    if file or typed:
        return GivenText(file.name if file else typed, file or SentFile("the text", typed.encode()))
    # Before the address is looked at: the reason is the setting, whatever was typed.
    if settings.network.offline:
        raise QuestionError(OFFLINE_NOTICE)
    if not find_host(address):
        raise QuestionError("That is no address of a page: it begins with https:// or http://.")
    return GivenText(address, address=address)


def find_host(address: str) -> str:
    """Who would be asked for the page at an address; "" for what is none."""
    if not is_address(address) or len(address) > MAX_ADDRESS_LENGTH:
        return ""
    try:
        # What stands before "@" may be a password, and this is shown.
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


async def check_given_text(given: GivenText, settings: Settings, repair: bool, emit: Emit) -> CheckedText:
    """What `wellsourced check` comes to; nothing of it is stored. Raises what fetching, reading and checking raise."""
    loaded = await _load_text(given, settings, emit)
    document = loaded if isinstance(loaded, Document) else loaded.document
    name = given.file.name if given.file else given.address
    # Nothing of it is stored: a visitor's text belongs to none of the runs of the server's owner.
    done = await check(document, settings=settings, repair=repair, keep=False, emit=emit)
    return CheckedText(name, done)


async def _load_text(given: GivenText, settings: Settings, emit: Emit) -> Document | SubmittedText:
    if given.file:
        return await load_text_by_worker(given.file.content, given.file.name)
    emit(Disclosure(host=find_host(given.address), to="for the page that is checked"))
    return await fetch_text(given.address, settings, MAX_PAGE_BYTES)


def write_bookmarklet(server: str) -> str:
    """A bookmark that opens the form of this server with the address of the page on which it is clicked."""
    form = f"{quote(server.rstrip('/'), safe=':/[]')}/check?address="
    return f"javascript:location.href='{form}'+encodeURIComponent(location.href)"
