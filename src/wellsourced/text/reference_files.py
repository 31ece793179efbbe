"""References as files that reference managers read: BibTeX, RIS, CSL-JSON. Each record as far as it says."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from wellsourced.text.reference_styles import name_of
from wellsourced.types import Reference

Form = Literal["bibtex", "ris", "csl"]

SPECIAL = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
)


def as_file(references: Sequence[Reference], form: Form) -> str:
    """The references as one file of this form."""
    return WRITERS[form](references)


def bibtex(references: Sequence[Reference]) -> str:
    """An entry for each, under a key made of its id."""
    return "\n".join(_entry(reference) for reference in references)


def _entry(reference: Reference) -> str:
    kind = "article" if reference.journal else "misc"
    fields = {
        "author": " and ".join(_braced(author) for author in reference.authors or (reference.organisation,) if author),
        "title": f"{{{_escaped(reference.title or reference.id)}}}",
        "journal": _escaped(reference.journal),
        "year": str(reference.year or ""),
        "volume": reference.volume,
        "number": reference.issue,
        "pages": reference.pages.replace("-", "--"),
        "doi": reference.doi,
        "pmid": reference.pmid,
        "url": reference.url,
        "note": _escaped(reference.retraction.objection),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return "@" + kind + "{" + re.sub(r"[^\w:.-]", "_", reference.id) + ",\n" + ",\n".join(lines) + "\n}\n"


def _braced(author: str) -> str:
    """Family name and initials; a group, or a name in another form, in braces, so that nobody takes it apart."""
    name = name_of(author)
    return f"{_escaped(name.family)}, {' '.join(name.initials)}" if name.initials else f"{{{_escaped(author)}}}"


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(SPECIAL)


def ris(references: Sequence[Reference]) -> str:
    """A record for each (Research Information Systems, 2011)."""
    return "".join(f"{tag}  - {value}\r\n" for reference in references for tag, value in _tags(reference))


def _tags(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if reference.journal else "GEN"
    for author in reference.authors or (reference.organisation,):
        name = name_of(author)
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
        "N1": reference.retraction.objection,
    }
    yield from ((tag, " ".join(value.split())) for tag, value in said.items() if value)
    yield "ER", ""


def csl(references: Sequence[Reference]) -> str:
    """CSL-JSON (Citation Style Language 1.0.2)."""
    return json.dumps([_item(reference) for reference in references], ensure_ascii=False, indent=2) + "\n"


def _item(reference: Reference) -> dict[str, Any]:
    parts = [int(part) for part in reference.published.split("-") if part.isdigit()]
    item = {
        "id": reference.id,
        "type": "article-journal" if reference.journal else "document",
        "title": reference.title,
        "author": [_person(author) for author in reference.authors or (reference.organisation,) if author],
        "container-title": reference.journal,
        "issued": {"date-parts": [parts]} if parts else None,
        "volume": reference.volume,
        "issue": reference.issue,
        "page": reference.pages,
        "DOI": reference.doi,
        "PMID": reference.pmid,
        "URL": reference.url,
        "note": reference.retraction.objection,
    }
    return {name: value for name, value in item.items() if value}


def _person(author: str) -> dict[str, str]:
    name = name_of(author)
    return {"family": name.family, "given": " ".join(name.initials)} if name.initials else {"literal": author}


WRITERS: dict[Form, Callable[[Sequence[Reference]], str]] = {"bibtex": bibtex, "ris": ris, "csl": csl}
