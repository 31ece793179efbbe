"""References as files that reference managers read: BibTeX, RIS, CSL-JSON. Each record as far as it says."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Literal

from wellsourced.text.lines import one_line
from wellsourced.text.reference_styles import name_of
from wellsourced.types import Reference

Form = Literal["bibtex", "ris", "csl"]

SPECIAL = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)

PAIRED = {"{": r"\{", "}": r"\}"}
ALONE = {"{": r"\ensuremath{\lbrace}", "}": r"\ensuremath{\rbrace}"}
"""BibTeX counts braces whatever stands before them: a field would end at the first that has no partner."""

CODED = str.maketrans({mark: f"%{ord(mark):02X}" for mark in '{}\\"^` '})
"""What no address has as it stands, and what would end a field or command TeX; the rest is copied as it is."""


def as_file(references: Sequence[Reference], form: Form) -> str:
    """The references as one file of this form: a record for each, whatever their titles and names say.

    Whoever made a record may have written into it what a reader would take for another record, for TeX or for a
    terminal: each field is one line of visible text, escaped as its form has it.
    """
    return WRITERS[form]([_in_lines(reference) for reference in references])


def _in_lines(reference: Reference) -> Reference:
    """The record with each of its texts in one line, without what nobody sees."""
    texts = {name: one_line(value) for name, value in reference if isinstance(value, str)}
    kept = {"kind": reference.kind, "depth": reference.depth}
    authors = tuple(filter(None, map(one_line, reference.authors)))
    return reference.model_copy(update={**texts, **kept, "authors": authors})


def _objection(reference: Reference) -> str:
    return one_line(reference.retraction.objection)


def bibtex(references: Sequence[Reference]) -> str:
    """An entry for each, under a key made of its id."""
    keys: dict[str, None] = {}
    return "\n".join(_entry(reference, _key(reference.id, keys)) for reference in references)


def _key(id: str, taken: dict[str, None]) -> str:
    """A key that is not `taken`, which it joins: BibTeX makes no difference between upper and lower case."""
    plain = re.sub(r"[^\w:.-]", "_", id, flags=re.ASCII) or "work"
    keys = (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3)))
    key = next(key for key in keys if key.lower() not in taken)
    taken[key.lower()] = None
    return key


def _entry(reference: Reference, key: str) -> str:
    kind = "article" if reference.journal else "misc"
    fields = {
        "author": " and ".join(_braced(author) for author in reference.authors or (reference.organisation,) if author),
        "title": f"{{{_escaped(reference.title or reference.id)}}}",
        "journal": _escaped(reference.journal),
        "year": str(reference.year or ""),
        "volume": _escaped(reference.volume),
        "number": _escaped(reference.issue),
        "pages": _escaped(reference.pages).replace("-", "--"),
        "doi": reference.doi.translate(CODED),
        "pmid": reference.pmid.translate(CODED),
        "url": reference.url.translate(CODED),
        "note": _escaped(_objection(reference)),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return "@" + kind + "{" + key + ",\n" + ",\n".join(lines) + "\n}\n"


def _braced(author: str) -> str:
    """Family name and initials; a group, or a name in another form, in braces, so that nobody takes it apart."""
    name = name_of(author)
    if not name.initials:
        return f"{{{_escaped(author)}}}"
    family = _escaped(name.family)
    # A name that holds what parts names is one name all the same.
    family = f"{{{family}}}" if re.search(r",|\band\b", name.family, re.IGNORECASE) else family
    return f"{family}, {' '.join(name.initials)}"


def _escaped(text: str) -> str:
    braces = PAIRED if _is_balanced(text) else ALONE
    return text.translate(SPECIAL | str.maketrans(braces))


def _is_balanced(text: str) -> bool:
    """Whether every brace has its partner."""
    depths = [*accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in text)]
    return not depths or (depths[-1] == 0 and min(depths) >= 0)


def ris(references: Sequence[Reference]) -> str:
    """A record for each (Research Information Systems, 2011)."""
    return "".join(f"{tag}  - {value}\r\n" for reference in references for tag, value in _tags(reference))


def _tags(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if reference.journal else "GEN"
    for author in filter(None, reference.authors or (reference.organisation,)):
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
        "N1": _objection(reference),
    }
    yield from ((tag, value) for tag, value in said.items() if value)
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
        "note": _objection(reference),
    }
    return {name: value for name, value in item.items() if value}


def _person(author: str) -> dict[str, str]:
    name = name_of(author)
    return {"family": name.family, "given": " ".join(name.initials)} if name.initials else {"literal": author}


WRITERS: dict[Form, Callable[[Sequence[Reference]], str]] = {"bibtex": bibtex, "ris": ris, "csl": csl}
