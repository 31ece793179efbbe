"""Files that were made to fill the memory or to take for ever, each a few KB, made by code."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Sequence

MB = 1024 * 1024
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pdf(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, the first of them the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(content: bytes, about: bytes = b"") -> bytes:
    """A stream, packed."""
    packed = zlib.compress(content, 9)
    return b"<<%s/Filter/FlateDecode/Length %d>>stream\n" % (about, len(packed)) + packed + b"\nendstream"


def page_of(content: bytes, *forms: bytes) -> bytes:
    """A PDF of one page with this content; the forms are called /F0, /F1 …, each may draw all of them."""
    names = b"".join(b"/F%d %d 0 R" % (number, number + 6) for number in range(len(forms)))
    resources = b"<</Font<</T 5 0 R>>/XObject<<%s>>>>" % names
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources %s>>" % resources,
            stream(content),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            *(stream(form, b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources %s" % resources) for form in forms),
        ]
    )


def form_that_draws_itself() -> bytes:
    """1 KB: a form that draws itself, a thousand times over."""
    text = b"BT /T 12 Tf 50 700 Td (Colchicine shortens flares of gout.) Tj ET "
    return page_of(b"/F0 Do", text + b"/F0 Do " * 1_000)


def nested_forms(depth: int = 9, times: int = 10) -> bytes:
    """5 KB: forms that draw another ten times, which draws another ten times …"""
    text = b"BT /T 12 Tf 50 700 Td (Colchicine shortens flares of gout.) Tj ET "
    return page_of(b"/F0 Do", *(b"/F%d Do " % (n + 1) * times for n in range(depth)), text * times)


def text_operators(count: int = 8_000_000) -> bytes:
    """94 KB: millions of operators that each write a letter."""
    return page_of(b"BT /T 1 Tf " + b"(a)Tj " * count + b"ET")


def word(body: bytes, parts: int = 0) -> bytes:
    """A Word file with this body, and so many other parts."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"'
            ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
            ' Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", f"<w:document {W}><w:body>".encode() + body + b"</w:body></w:document>")
        for number in range(parts):
            archive.writestr(f"word/{number}.xml", "")
    return file.getvalue()


def packed(pack: Callable[[bytes], bytes], size: int = 80) -> bytes:
    """A line of JSON without an end: so many MB of one letter."""
    return pack(b'{"_id":"1","text":"' + b"a" * (size * MB))


PARAGRAPH = b"<w:p><w:r><w:t>a</w:t></w:r></w:p>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
QUADRATIC = f'<!DOCTYPE article [<!ENTITY a "{"a" * 50_000}">]><article>{"&a;" * 50_000}</article>'

BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a form that draws itself": ("self.pdf", form_that_draws_itself),
    "nested forms": ("forms.pdf", nested_forms),
    "text operators": ("operators.pdf", text_operators),
    "Word, deflated": ("deflated.docx", lambda: word(b" " * (70 * MB))),
    "Word, many parts": ("parts.docx", lambda: word(PARAGRAPH, 10_001)),
    "Word, a million paragraphs": ("paragraphs.docx", lambda: word(PARAGRAPH * 1_000_000)),
    "Word, deep": ("deep.docx", lambda: word(b"<w:sdt>" * 300_000)),
    "XML, laughs": (
        "laughs.xml",
        lambda: f'<!DOCTYPE article [<!ENTITY l0 "lol">{LAUGHS}]><article>&l9;</article>'.encode(),
    ),
    "XML, quadratic": ("quadratic.nxml", QUADRATIC.encode),
    "XML, deep": ("deep.nxml", lambda: b"<article>" * 200_000),
    "XML, attributes": (
        "attributes.nxml",
        lambda: b"<article " + b" ".join(b"a%d=''" % n for n in range(200_000)) + b"/>",
    ),
    "XML, one text": ("text.xml.gz", lambda: gzip.compress(b"<PubmedArticleSet><PubmedArticle>" + b"a" * (80 * MB))),
    "JATS, one element": ("element.nxml", lambda: gzip.compress(b"<article><body><p>" + b"a" * (80 * MB))),
    "gzip": ("bomb.jsonl.gz", lambda: packed(gzip.compress)),
    "bzip2": ("bomb.xml.bz2", lambda: bz2.compress(b"<PubmedArticleSet>" + b" " * (80 * MB))),
    "xz": ("bomb.xz.txt", lambda: packed(lzma.compress)),
    "JSON, deep": ("deep.json", lambda: b"[" * 1_000_000),
    "JSON, a number": ("number.json", lambda: b'[{"_id": "1", "text": ' + b"9" * 1_000_000 + b"}]"),
    "JSON lines, deep": ("deep.jsonl", lambda: b'{"_id":"1","text":' + b"[" * 500_000 + b"\n"),
    "table, one field": ("field.csv", lambda: b'a,b\n"' + b"x" * (9 * MB)),
    "HTML, deep": ("deep.html", lambda: b"<html><body>" + b"<div>" * 100_000),
    "HTML, elements": ("elements.html", lambda: b"<html><body>" + b"<p>a</p>" * 200_000),
    "HTML, attributes": ("attributes.html", lambda: b"<html><body><p " + b"a " * 500_000),
}
"""Name → (of the file, its bytes): none of them gives a document."""

SLOW: dict[str, tuple[str, Callable[[], bytes]]] = {
    "Markdown, deep": ("deep.md", lambda: b">" * 20_000 + b"x\n"),
    "Markdown, lists": ("lists.md", lambda: b"- " * 20_000 + b"x\n"),
    "Markdown, comments": ("comments.md", lambda: b"<!--" * 40_000),
    "Markdown, brackets": ("brackets.md", lambda: b"[" * 50_000),
    "Markdown, a table": (
        "table.md",
        lambda: b"|" + b"a|" * 200 + b"\n|" + b"-|" * 200 + b"\n" + (b"|" + b"a|" * 200 + b"\n") * 200,
    ),
    "HTML, comments": ("comments.html", lambda: b"<html><body><p>" + b"Gout hurts. " * 30 + b"</p>" + b"<!--" * 40_000),
}
"""Those that may give a document, in good time."""
