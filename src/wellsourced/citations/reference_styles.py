"""References as journals print them and as reference managers read them, made from the record alone: what the record
does not say is left out, not guessed.

AMA        AMA Manual of Style, 11th edition, chapter 3: six authors, or three and “et al”
Vancouver  NLM's Citing Medicine, 2nd edition, as ICMJE recommends it: six authors, then “et al.”
IEEE       IEEE Reference Guide (2024): initials first, six authors or the first and “et al.”
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal
from urllib.parse import quote

from wellsourced.citations.people import Author, format_group, parse_author
from wellsourced.text.dates import MONTH_ABBREVIATIONS
from wellsourced.text.sanitization import neutralize_cell, one_line
from wellsourced.types import Reference, SourceKind

CitationStyle = Literal["ama", "vancouver", "ieee"]

MAX_AUTHORS = 6
"""Authors that all three print in full."""


def render_reference(reference: Reference, style: CitationStyle) -> str:
    """One reference in one line. A work that was retracted, or is doubted, says so first."""
    written = STYLE_RENDERERS[style](reference)
    objection = reference.retraction.objection
    return f"[{objection.upper()}] {written}" if objection else written


def _render_ama(reference: Reference) -> str:
    # AMA gives the day on which what can change was read; what has a DOI does not change.
    day = None if reference.doi else reference.accessed
    return _join_sentences(
        *_work_and_place(reference, str(reference.year or ""), _full_pages(reference), shown_authors=3),
        f"Accessed {day:%B} {day.day}, {day.year}" if day else "",
        f"doi:{reference.doi}" if reference.doi else reference.url,
        end=not (reference.doi or reference.url),
    )


def _render_vancouver(reference: Reference) -> str:
    has_url_alone = bool(reference.url and not reference.doi and not reference.pmid)
    return _join_sentences(
        *_work_and_place(reference, _publication_date(reference), reference.pages, shown_authors=MAX_AUTHORS),
        f"doi: {reference.doi}" if reference.doi else "",
        f"PMID: {reference.pmid}" if reference.pmid else "",
        f"Available from: {reference.url}" if has_url_alone else "",
        end=not has_url_alone,
    )


def _work_and_place(reference: Reference, date: str, pages: str, shown_authors: int) -> tuple[str, ...]:
    """What AMA and Vancouver begin with; `shown_authors` are printed of more than six."""
    names = [parse_author(author) for author in reference.authors]
    authors = "".join(
        # Whom people wrote for stands behind a semicolon.
        ("; " if name.group and not before.group else ", ") + str(name)
        for before, name in pairwise([Author(group="-"), *names[: shown_authors if len(names) > MAX_AUTHORS else None]])
    ).removeprefix(", ")
    authors += ", et al" if len(names) > MAX_AUTHORS else ""
    volume = f"{reference.volume}({reference.issue})" if reference.issue else reference.volume
    place = _join_parts((date, ";"), (volume, ":"), (pages, ""))
    source = _journal_or_publisher(reference, bool(authors))
    return authors or reference.organisation, _title_or_id(reference), source, place


def _full_pages(reference: Reference) -> str:
    """The last page in full, which NLM shortens: "2942-7" → "2942-2947"."""
    first, dash, last = reference.pages.partition("-")
    is_shortened = first.isdecimal() and last.isdecimal() and len(last) < len(first)
    return f"{first}{dash}{first[: -len(last)] if is_shortened else ''}{last}"


def _render_ieee(reference: Reference) -> str:
    names = [_format_ieee_name(parse_author(author)) for author in reference.authors]
    authors = _join_names(names) if len(names) <= MAX_AUTHORS else f"{names[0]} et al."
    parts = (
        authors or reference.organisation,
        f"“{_title_or_id(reference).rstrip('.')},”",
        _journal_or_publisher(reference, bool(authors)),
        f"vol. {reference.volume}" if reference.volume else "",
        f"no. {reference.issue}" if reference.issue else "",
        f"pp. {_full_pages(reference).replace('-', '–')}" if reference.pages else "",
        _month_and_year(reference),
        f"doi: {reference.doi}" if reference.doi else f"[Online]. Available: {reference.url}" if reference.url else "",
    )
    line = ", ".join(part for part in parts if part).replace(",”,", ",”")
    return line if line.endswith(reference.url or "\0") and not reference.doi else f"{line}."


STYLE_RENDERERS: dict[CitationStyle, Callable[[Reference], str]] = {
    "ama": _render_ama,
    "vancouver": _render_vancouver,
    "ieee": _render_ieee,
}


def _format_ieee_name(name: Author) -> str:
    return name.group or " ".join([*(f"{letter}." for letter in name.initials), name.family, *name.suffix.split()])


def _join_names(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _title_or_id(reference: Reference) -> str:
    """Without a title, the id: a reader has to find the work by something."""
    return " ".join(reference.title.split()) or reference.id


def _journal_or_publisher(reference: Reference, has_authors: bool) -> str:
    """The journal, or who published it where that is not already named as its author."""
    # Who published it stands in the place of the authors where there are none, and is not named twice.
    return reference.journal or (reference.organisation if has_authors else "")


def _publication_date(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month, _, day = rest.partition("-")
    return " ".join(filter(None, (year, _month_abbreviation(month), day.lstrip("0"))))


def _month_and_year(reference: Reference) -> str:
    year, _, rest = reference.published.partition("-")
    month = _month_abbreviation(rest[:2])
    return " ".join(filter(None, (f"{month}." if month and month != "May" else month, year)))


def _month_abbreviation(number: str) -> str:
    return MONTH_ABBREVIATIONS[int(number) - 1] if number.isdecimal() and 1 <= int(number) <= 12 else ""


def _join_parts(*parts: tuple[str, str]) -> str:
    """The parts that there are, each with its mark before the next one that there is."""
    there = [part for part in parts if part[0]]
    return "".join(f"{text}{mark}" for text, mark in there[:-1]) + (there[-1][0] if there else "")


def _join_sentences(*parts: str, end: bool) -> str:
    """Each part ended by a point, unless it ends by a mark of its own; the last one, an address, by none."""
    there = [" ".join(part.split()) for part in parts if part]
    ended = [part if part[-1] in ".?!" else f"{part}." for part in there]
    if there and not end:
        ended[-1] = there[-1]
    return " ".join(ended)


# References as reference managers read them, each as far as its record says: as files of BibTeX, RIS, CSL-JSON or
# CSV, and as OpenURL context objects (Z39.88-2004) in a page (COinS).


ReferenceFormat = Literal["bibtex", "ris", "csl", "csv"]

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
    texts = {name: one_line(value) for name, value in reference if isinstance(value, str)}
    kept = {"kind": reference.kind, "depth": reference.depth}
    authors = tuple(filter(None, map(one_line, reference.authors)))
    return reference.model_copy(update={**texts, **kept, "authors": authors})


WORK_TYPES: Mapping[SourceKind, tuple[str, str, str]] = {
    "guideline": ("RPRT", "techreport", "report"),
    "book": ("BOOK", "book", "book"),
    **dict.fromkeys(("web", "consumer", "wiki"), ("ELEC", "misc", "webpage")),
}
"""What a work is called in RIS, BibTeX and CSL that is in no journal."""


def _work_type(reference: Reference, form: ReferenceFormat) -> str:
    other = WORK_TYPES.get(reference.kind, ("GEN", "misc", "document"))
    names = ("JOUR", "article", "article-journal") if reference.journal else other
    return dict(zip(("ris", "bibtex", "csl"), names, strict=True))[form]


def _list_authors(reference: Reference) -> list[str]:
    return list(filter(None, reference.authors or (format_group(reference.organisation),)))


def _objection(reference: Reference) -> str:
    return one_line(reference.retraction.objection)


def render_bibtex(references: Sequence[Reference]) -> str:
    """An entry for each, under a key made of its id."""
    entries: dict[str, str] = {}
    for reference in references:
        plain = re.sub(r"[^\w:.-]", "_", reference.id, flags=re.ASCII) or "work"
        keys = (plain, *(f"{plain}_{number}" for number in range(2, len(entries) + 3)))
        # BibTeX makes no difference between upper and lower case.
        key = next(key for key in keys if key.lower() not in entries)
        entries[key.lower()] = _render_bibtex_entry(reference, key)
    return "\n".join(entries.values())


def _render_bibtex_entry(reference: Reference, key: str) -> str:
    kind = _work_type(reference, "bibtex")
    fields = {
        "author": " and ".join(map(_format_bibtex_name, _list_authors(reference))),
        "title": f"{{{_escape_tex(reference.title or reference.id)}}}",
        "journal": _escape_tex(reference.journal),
        "institution" if kind == "techreport" else "publisher": _escape_tex(reference.organisation),
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
    """“van Last, Jr, First”; a group, or a name that nobody took apart, in braces, so that nobody does."""
    name = parse_author(author)
    if name.group:
        return f"{{{_escape_tex(name.group)}}}"
    # A name that holds what parts names is one name all the same.
    parts = (name.family, name.suffix, name.given)
    escaped = (_escape_tex(part) for part in parts if part)
    return ", ".join(f"{{{part}}}" if re.search(r",|\band\b", part, re.IGNORECASE) else part for part in escaped)


def _escape_tex(text: str) -> str:
    depths = [0, *accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in text)]
    is_paired = depths[-1] == 0 and min(depths) == 0
    return text.translate(TEX_ESCAPES | str.maketrans(PAIRED_BRACE_ESCAPES if is_paired else UNPAIRED_BRACE_ESCAPES))


def render_ris(references: Sequence[Reference]) -> str:
    """A record for each (Research Information Systems, 2011)."""
    return "".join(f"{tag}  - {value}\r\n" for reference in references for tag, value in _build_ris_tags(reference))


def _build_ris_tags(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "TY", _work_type(reference, "ris")
    for author in _list_authors(reference):
        name = parse_author(author)
        # A comma behind the whole name says that those in it part nothing.
        group = f"{name.group}," if "," in name.group else name.group
        yield "AU", group or ", ".join(filter(None, (name.family, name.given, name.suffix)))
    first, _, last = re.sub(r"[–—]", "-", reference.pages).partition("-")
    said = {
        "TI": reference.title or reference.id,
        "JO": reference.journal,
        "PB": reference.organisation,
        "PY": str(reference.year or ""),
        "DA": reference.published.replace("-", "/"),
        "VL": reference.volume,
        "IS": reference.issue,
        "SP": first,
        "EP": last,
        "DO": reference.doi,
        "AN": reference.pmid,
        "DB": "PubMed" if reference.pmid else "",
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
        "type": _work_type(reference, "csl"),
        "title": reference.title,
        "author": [_build_csl_name(parse_author(author)) for author in _list_authors(reference)],
        "container-title": reference.journal,
        "publisher": reference.organisation,
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


def _build_csl_name(name: Author) -> dict[str, str]:
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix, "literal": name.group}
    return {part: value for part, value in parts.items() if value}


CSV_COLUMNS = ("id", "title", "authors", "published", "journal", "organisation", "doi", "pmid", "url", "kind", "note")


def render_csv(references: Sequence[Reference]) -> str:
    """A table with a header (RFC 4180), a row for each; no cell is a formula."""
    out = io.StringIO()
    table = csv.DictWriter(out, CSV_COLUMNS)
    table.writeheader()
    for one in references:
        said = {"authors": "; ".join(one.authors), "note": _objection(one)}
        row = {name: said.get(name, getattr(one, name, "")) for name in CSV_COLUMNS}
        table.writerow({name: neutralize_cell(value) for name, value in row.items()})
    return out.getvalue()


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
        name = parse_author(author)
        parts = filter(None, (name.family, name.given, name.suffix))
        yield ("rft.aucorp", name.group) if name.group else ("rft.au", ", ".join(parts))
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
    "csv": render_csv,
}
