"""HTML as it comes from servers and disks → a tree that is safe to walk, and the prose in data that a page carries as
JSON.
"""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

from lxml import etree, html

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.readers.base import DocumentStream, File, InMemoryFile, UnreadablePart, normalize_line_ends
from wellsourced.readers.decompressed_file import MB, decode_text, read_whole_bytes
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.text.sanitization import one_line
from wellsourced.text.urls import normalize_url
from wellsourced.types import Reference, SourceKind

MAX_BYTES = 10 * MB
"""Bytes of a page, unpacked."""

MAX_ELEMENTS = 20_000
"""Elements of a page: an article with a thousand references has as many; finding the text in more takes too long."""

MAX_ATTRIBUTES = 2_000
"""Attributes of one tag: libxml2 compares each with each."""

KNOWN_CHARSET = re.compile(
    r"utf-?(8|16|16le|16be)|utf-16-?[lb]e|(iso[-_])?8859-(\d+)|iso-8859-\d+|latin-?\d|us-ascii|ascii|(windows-|cp)125\d|cp(866|932|949)"
    r"|koi8-[ru]|gb_?2312(-80)?|gbk|gb18030|big5(-hkscs)?|euc-(jp|kr)|shift[-_]jis|iso-2022-jp|macintosh|tis-620"
)
# Names that browsers take for a larger charset than the one they stand for (WHATWG Encoding Standard).
WIDER_CHARSETS = {"iso-8859-1": "cp1252", "ascii": "cp1252", "iso-8859-9": "cp1254", "gb2312": "gb18030"}
WIDER_CHARSETS |= {"gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
DECLARED_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
DECLARED_WITHIN = 4096

TAG = re.compile(
    r"""<[A-Za-z][^\s/>]*+(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?)?+)*+"""
)
ATTRIBUTE = re.compile(r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?)?+""")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")

TOO_DEEP = "its elements are nested too deeply"
OTHER_FORMAT_REMEDY = "Open it in a browser, and add it as PDF or text."


def decode_page(file: File, charset: str = "") -> tuple[str, list[UnreadablePart]]:
    """A page as text, and what is to be told where its encoding was guessed.

    By its byte order mark, the charset that the server named, its own declaration; else as `read_text_told` reads text.
    Raises UnreadableFile.
    """
    data = read_whole_bytes(file, MAX_BYTES)
    if data[:1024].lstrip().startswith(b"%PDF-"):
        raise UnreadableFile(str(file), "it is a PDF that is named or served as HTML", "Save it as .pdf.")
    # A byte order mark is part of the bytes themselves, and cannot be wrong by configuration as a header can.
    for mark, name in BOMS:
        if data.startswith(mark):
            return _decode_bytes(file, data.removeprefix(mark), name), []
    declared = DECLARED_CHARSET.search(data[:DECLARED_WITHIN])
    name = declared[1].decode("ascii", "replace") if declared else ""
    # It could be read as ASCII, so it is not what it says (WHATWG HTML, prescan).
    name = "utf-8" if name.lower().startswith("utf-16") else name
    if codec := find_codec(charset) or find_codec(name):
        return _decode_bytes(file, data, codec), []
    text, faults = decode_text(file, data)
    return CONTROL_CHARACTERS.sub("", text), faults


def find_codec(charset: str) -> str:
    """Python's codec for a charset of the web; "" for none, and for the codecs that are not charsets at all."""
    name = charset.strip().strip("\"'").lower()
    if not KNOWN_CHARSET.fullmatch(name):
        return ""
    try:
        name = codecs.lookup(name).name
    except LookupError:
        return ""
    return WIDER_CHARSETS.get(name.replace("iso8859", "iso-8859"), name)


def _decode_bytes(file: File, data: bytes, codec: str) -> str:
    text = data.decode(codec, "replace")
    # A few damaged letters are common on the web; more of them show that the charset is wrong.
    if text.count("\ufffd") > 3 + len(text) // 100:
        raise UnreadableFile(str(file), f"it is not {codec.upper()}, as it declares", "Save it as UTF-8.")
    return CONTROL_CHARACTERS.sub("", normalize_line_ends(text))


def parse_html_tree(file: File, markup: str) -> html.HtmlElement:
    """The tree of a page, in time that is linear in its length. Raises UnreadableFile for what is none."""
    if not re.search(r"<[A-Za-z!]", markup):
        raise UnreadableFile(str(file), "it contains no HTML", "Give it the right ending, such as .txt.")
    long_tags = (tag[0] for tag in TAG.finditer(markup) if len(tag[0]) > MAX_ATTRIBUTES)
    if any(sum(1 for _ in ATTRIBUTE.finditer(tag)) > MAX_ATTRIBUTES for tag in long_tags):
        reason = f"one of its tags has more than {MAX_ATTRIBUTES:,} attributes"
        raise UnreadableFile(str(file), reason, OTHER_FORMAT_REMEDY)
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree: html.HtmlElement = html.document_fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.ParserError as error:
        raise UnreadableFile(str(file), "it is empty", "Leave it out.") from error
    # libxml2 stops at such a place and keeps what came before: half a page, which must not pass for a whole one.
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise UnreadableFile(str(file), TOO_DEEP, OTHER_FORMAT_REMEDY)
    if sum(1 for _ in tree.iter(etree.Element)) > MAX_ELEMENTS:
        raise UnreadableFile(str(file), f"it has more than {MAX_ELEMENTS:,} elements", "Split it into smaller pages.")
    return tree


# JSON in place of words: a page that is an empty shell carries its article as data, which a script would have shown.
#
# Next.js, Nuxt and their like put it into `<script type="application/json">`, search engines are given `articleBody`,
# and some addresses answer with JSON alone. What reads like prose in it is the text of the page, in its order.


JSON_TYPES = frozenset({"application/json", "application/ld+json"})
"""Media types of an answer, and of a script, that is data."""

MIN_PROSE_WORDS = 6
"""Words of a text that is prose; of fewer, it is a label, a menu or a key."""

MIN_LETTERS = 0.7
"""Share of letters and spaces in prose: a style sheet, a path or a base64 has less."""

MAX_VALUES = 200_000
"""Values that are looked at."""

TITLE_KEYS = ("headline", "title", "pageTitle", "name")

_BLOCK_END = re.compile(r"</(?:p|li|h[1-6]|div|tr|td|th|blockquote|ul|ol|table|section)\s*>|<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
_NO_PROSE = re.compile(r"https?://\S+$|[{};]\s*$|^\s*[{<]")


def embedded_prose(scripts: Sequence[str]) -> list[str]:
    """The paragraphs that read like prose in these scripts of JSON, each once, in their order."""
    found: dict[str, None] = {}
    for script in scripts:
        for _, value in _walk_strings(_parse_json(script)):
            for part in re.split(r"\n\s*\n", _BLOCK_END.sub("\n\n", value)):
                words = one_line(unescape(_TAG.sub("", part)))
                if _is_prose(words):
                    found[words] = None
    return list(found)


def read_json_page(file: InMemoryFile, kind: SourceKind, url: str) -> DocumentStream:
    """The one document in an answer of JSON. Raises SourceRefused where nothing in it reads like prose."""
    text = file.data.decode("utf-8", "replace")
    page = DocumentBuilder()
    for paragraph in embedded_prose([text]):
        page.add_block(paragraph)
    if not page.text:
        raise SourceRefused("its JSON contains no readable text")
    strings = [(key, one_line(value)) for key, value in _walk_strings(_parse_json(text)) if value.strip()]
    title = next((words for name in TITLE_KEYS for key, words in strings if key == name), "")
    yield page.build(Reference(id=f"url:{normalize_url(url)}", title=title, url=url, kind=kind, depth="web page"))


def _parse_json(script: str) -> Any:
    """The value, None for what is no JSON: a page may write anything there."""
    try:
        return json.loads(script)
    except (ValueError, RecursionError):
        return None


def _walk_strings(value: Any) -> Iterator[tuple[str, str]]:
    """(key, string) of every string inside, in its order; never deeper than the stack of Python, however it nests."""
    left: list[tuple[str, Any]] = [("", value)]
    for _ in range(MAX_VALUES):
        if not left:
            return
        key, one = left.pop()
        if isinstance(one, str):
            yield key, one
        elif isinstance(one, dict):
            left += reversed([*one.items()])
        elif isinstance(one, list):
            left += ((key, each) for each in reversed(one))


def _is_prose(words: str) -> bool:
    if len(words.split()) < MIN_PROSE_WORDS or _NO_PROSE.search(words):
        return False
    return sum(letter.isalpha() or letter.isspace() for letter in words) / len(words) >= MIN_LETTERS
