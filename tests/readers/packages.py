"""Packages of office programs, made part by part: what the libraries that write such files cannot be asked for."""

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
SPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "m": f"{OFFICE}/math",
        "r": f"{OFFICE}/relationships",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)


def package(root: str, main: str, parts: Mapping[str, str] | None = None) -> bytes:
    """A package with this main part and others, each of a type that its name says: "numbering", "slide1"."""
    others = dict(parts or {})
    relations = {"": f"<Relationship Id='r0' Type='{OFFICE}/relationships/officeDocument' Target='main.xml'/>"}
    relations["main"] = "".join(
        f"<Relationship Id='{name}' Type='{OFFICE}/relationships/{name.rstrip('0123456789')}' Target='{name}.xml'/>"
        for name in others
    )
    files = {"main.xml": f"<{root} {SPACES}>{main}</{root}>"}
    files |= {f"{name}.xml": xml.replace(" ", f" {SPACES} ", 1) for name, xml in others.items()}
    for name, told in relations.items():
        files[f"_rels/{name and f'{name}.xml'}.rels"] = f"<Relationships>{told}</Relationships>"
    return archive(files)


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A zip of files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return packed.getvalue()


def word(body: str, **parts: str) -> bytes:
    """A Word file; `parts` are other parts by their names."""
    return package("w:document", f"<w:body>{body}</w:body>", parts)


def paragraph(*runs: str, properties: str = "") -> str:
    """A paragraph of runs: words, or "^2" and "_2" for what is raised and lowered, or XML as it is."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(map(run, runs))}</w:p>"


def run(words: str) -> str:
    """A run of words."""
    if words.startswith("<"):
        return f"<w:r>{words}</w:r>"
    place = {"^": "superscript", "_": "subscript"}.get(words[:1])
    look = f'<w:rPr><w:vertAlign w:val="{place}"/></w:rPr>' if place else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{words[1:] if place else words}</w:t></w:r>'


def item(words: str, level: int = 0, list: int = 1) -> str:
    """An item of a list."""
    return paragraph(words, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr>')


def table(*rows: str, properties: str = "") -> str:
    """A table of rows."""
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(*blocks: str, properties: str = "") -> str:
    """A cell of paragraphs, or of words."""
    inner = "".join(one if one.startswith("<") else paragraph(one) for one in blocks)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>"
