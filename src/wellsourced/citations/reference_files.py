"""References as reference managers read them, each as far as its record says: as files of BibTeX, RIS or CSL-JSON, and
as OpenURL context objects (Z39.88-2004) in a page (COinS)."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Literal
from urllib.parse import quote

from wellsourced.citations.reference_styles import parse_author_name
from wellsourced.text.sanitization import one_line
from wellsourced.types import Reference

ReferenceFormat = Literal["bibtex", "ris", "csl"]

TEX_ESCAPES = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)

PAIRED_BRACE_ESCAPES = {"{": r"\{", "}": r"\}"}
UNPAIRED_BRACE_ESCAPES = {"{": r"\ensuremath{\lbrace}", "}": r"\ensuremath{\rbrace}"}
"""BibTeX counts braces whatever stands before them: a field would end at the first that has no partner."""

ADDRESS_ESCAPES = str.maketrans({mark: f"%{ord(mark):02X}" for mark in '{}\\"^` '})
"""What no address has as it stands, and what would end a field or command TeX; the rest is copied as it is."""


def render_reference_file(references: Sequence[Reference], form: ReferenceFormat) -> str:
    """The references as one file of this form: a record for each, whatever their titles and names say.

    Whoever made a record may have written into it what a reader would take for another record, for TeX or for a
    terminal: each field is one line of visible text, escaped as its form has it.
    """
    return FILE_RENDERERS[form]([_clean_reference(reference) for reference in references])


def _clean_reference(reference: Reference) -> Reference:
    """The record with each of its texts in one line, without what nobody sees."""
    texts = {name: one_line(value) for name, value in reference if isinstance(value, str)}
    kept = {"kind": reference.kind, "depth": reference.depth}
    authors = tuple(filter(None, map(one_line, reference.authors)))
    return reference.model_copy(update={**texts, **kept, "authors": authors})


def _list_authors(reference: Reference) -> list[str]:
    """Its authors, or else who published it."""
    return list(filter(None, reference.authors or (reference.organisation,)))


def _objection(reference: Reference) -> str:
    return one_line(reference.retraction.objection)


def render_bibtex(references: Sequence[Reference]) -> str:
    """An entry for each, under a key made of its id."""
    keys: dict[str, None] = {}
    return "\n".join(_render_bibtex_entry(reference, _build_unique_key(reference.id, keys)) for reference in references)


def _build_unique_key(id: str, taken: dict[str, None]) -> str:
    """A key that is not `taken`, which it joins: BibTeX makes no difference between upper and lower case."""
    plain = re.sub(r"[^\w:.-]", "_", id, flags=re.ASCII) or "work"
    keys = (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3)))
    key = next(key for key in keys if key.lower() not in taken)
    taken[key.lower()] = None
    return key


def _render_bibtex_entry(reference: Reference, key: str) -> str:
    kind = "article" if reference.journal else "misc"
    fields = {
        "author": " and ".join(map(_format_bibtex_name, _list_authors(reference))),
        "title": f"{{{_escape_tex(reference.title or reference.id)}}}",
        "journal": _escape_tex(reference.journal),
        "year": str(reference.year or ""),
        "volume": _escape_tex(reference.volume),
        "number": _escape_tex(reference.issue),
        "pages": _escape_tex(reference.pages).replace("-", "--"),
        "doi": reference.doi.translate(ADDRESS_ESCAPES),
        "pmid": reference.pmid.translate(ADDRESS_ESCAPES),
        "url": reference.url.translate(ADDRESS_ESCAPES),
        "note": _escape_tex(_objection(reference)),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return "@" + kind + "{" + key + ",\n" + ",\n".join(lines) + "\n}\n"


def _format_bibtex_name(author: str) -> str:
    """Family name and initials; a group, or a name in another form, in braces, so that nobody takes it apart."""
    name = parse_author_name(author)
    if not name.initials:
        return f"{{{_escape_tex(author)}}}"
    family = _escape_tex(name.family)
    # A name that holds what parts names is one name all the same.
    family = f"{{{family}}}" if re.search(r",|\band\b", name.family, re.IGNORECASE) else family
    return f"{family}, {' '.join(name.initials)}"


def _escape_tex(text: str) -> str:
    braces = PAIRED_BRACE_ESCAPES if _has_paired_braces(text) else UNPAIRED_BRACE_ESCAPES
    return text.translate(TEX_ESCAPES | str.maketrans(braces))


def _has_paired_braces(text: str) -> bool:
    """Whether every brace has its partner."""
    depths = [*accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in text)]
    return not depths or (depths[-1] == 0 and min(depths) >= 0)


def render_ris(references: Sequence[Reference]) -> str:
    """A record for each (Research Information Systems, 2011)."""
    return "".join(f"{tag}  - {value}\r\n" for reference in references for tag, value in _build_ris_tags(reference))


def _build_ris_tags(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if reference.journal else "GEN"
    for author in _list_authors(reference):
        name = parse_author_name(author)
        yield "AU", f"{name.family}, {'.'.join(name.initials)}." if name.initials else author
    first, _, last = re.sub(r"[–—]", "-", reference.pages).partition("-")
    said = {
        "TI": reference.title or reference.id,
        "JO": reference.journal,
        "PY": str(reference.year or ""),
        "DA": reference.published.replace("-", "/"),
        "VL": reference.volume,
        "IS": reference.issue,
        "SP": first,
        "EP": last,
        "DO": reference.doi,
        "AN": reference.pmid,
        "UR": reference.url,
        "N1": _objection(reference),
    }
    yield from ((tag, value) for tag, value in said.items() if value)
    yield "ER", ""


def render_csl(references: Sequence[Reference]) -> str:
    """CSL-JSON (Citation Style Language 1.0.2)."""
    return json.dumps([_build_csl_item(reference) for reference in references], ensure_ascii=False, indent=2) + "\n"


def _build_csl_item(reference: Reference) -> dict[str, Any]:
    parts = [int(part) for part in reference.published.split("-") if part.isdecimal()]
    item = {
        "id": reference.id,
        "type": "article-journal" if reference.journal else "document",
        "title": reference.title,
        "author": [_build_csl_name(author) for author in _list_authors(reference)],
        "container-title": reference.journal,
        "issued": {"date-parts": [parts]} if parts else None,
        "volume": reference.volume,
        "issue": reference.issue,
        "page": reference.pages,
        "DOI": reference.doi,
        "PMID": reference.pmid,
        "URL": reference.url,
        "note": _objection(reference),
    }
    return {name: value for name, value in item.items() if value}


def _build_csl_name(author: str) -> dict[str, str]:
    name = parse_author_name(author)
    return {"family": name.family, "given": " ".join(name.initials)} if name.initials else {"literal": author}


def render_context_object(reference: Reference) -> str:
    """What `<span class="Z3988" title="…">` holds of a work, before HTML escapes it."""
    said = ((name, value) for name, value in _list_context_fields(_clean_reference(reference)) if value)
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in said)


def _list_context_fields(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "ctx_ver", "Z39.88-2004"
    if reference.journal:
        yield "rft_val_fmt", "info:ofi/fmt:kev:mtx:journal"
        yield "rft.genre", "article"
        yield "rft.atitle", reference.title or reference.id
        yield "rft.jtitle", reference.journal
    else:
        yield "rft_val_fmt", "info:ofi/fmt:kev:mtx:dc"
        yield "rft.type", "document"
        yield "rft.title", reference.title or reference.id
        yield "rft.publisher", reference.organisation
    for author in _list_authors(reference):
        name = parse_author_name(author)
        # A group, or a name in another form, is one name.
        yield ("rft.au", f"{name.family}, {' '.join(name.initials)}") if name.initials else ("rft.aucorp", author)
    yield "rft.date", reference.published
    yield "rft.volume", reference.volume
    yield "rft.issue", reference.issue
    yield "rft.pages", reference.pages
    yield "rft_id", f"info:doi/{reference.doi}" if reference.doi else ""
    yield "rft_id", f"info:pmid/{reference.pmid}" if reference.pmid else ""
    yield "rft_id", reference.url


FILE_RENDERERS: dict[ReferenceFormat, Callable[[Sequence[Reference]], str]] = {
    "bibtex": render_bibtex,
    "ris": render_ris,
    "csl": render_csl,
}
