"""HTML as it comes from servers and disks → a tree that is safe to walk."""

import codecs
import re

from lxml import etree, html

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, UnreadablePart, normalize_line_ends
from wellsourced.readers.decompressed_file import MB, decode_text, read_whole_bytes

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
