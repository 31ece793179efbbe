"""Works of reference managers: RIS, PubMed's format (.nbib), BibTeX and BibLaTeX, CSL-JSON.

A document a work: its title and its abstract. Without an abstract, the title is all that can be quoted.
"""

import hashlib
import logging
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeGuard

from wellsourced.citations.identifiers import normalize_doi, plain_doi
from wellsourced.citations.links import parse_link, work_url
from wellsourced.citations.people import GROUP_WORD, format_csl_name, format_display_name, format_group, format_person
from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import (
    DocumentStream,
    File,
    InvalidRecord,
    UnreadablePart,
    build_documents,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.document_builder import build_reference, split_labelled_sections
from wellsourced.readers.medline import most_precise_date
from wellsourced.readers.xml_records import iso_date, strip_markup
from wellsourced.types import Document, SourceKind

if TYPE_CHECKING:
    from bibtexparser.model import Entry
    from pylatexenc.latex2text import LatexNodes2Text

WorkFields = dict[str, Any]
"""What a record says of its work, under the names of `Reference`, and its `abstract`, `keywords` and `notes`."""

REMEDY = "Fix the record and add the file again."


def _build_document(work: WorkFields, *, kind: SourceKind) -> Document:
    title = " ".join(strip_markup(work.get("title") or "").split())
    abstract = _clean_abstract(work.get("abstract") or "")
    if not title:
        raise InvalidRecord("it has no title")
    ids = _find_ids(work)
    said = hashlib.sha256("\n".join((title, *work["authors"], work.get("published", ""))).encode()).hexdigest()[:20]
    id = (
        f"pubmed:{ids['pmid']}" if ids["pmid"] else f"doi:{normalize_doi(ids['doi'])}" if ids["doi"] else f"work:{said}"
    )
    fields = {
        **work,
        "doi": ids["doi"],
        "url": work.get("url") or work_url(ids["pmcid"], ids["pmid"], plain_doi(ids["doi"])),
    }
    reference = build_reference(fields, id=id, title=title, kind=kind, depth="abstract" if abstract else "record")
    parts = {name: " ".join((work.get(name) or "").split()) for name in ("volume", "issue", "pages")}
    parts["pages"] = re.sub(r"\s*(?:-+|–)\s*", "-", parts["pages"])
    known = {**parts, "pmid": ids["pmid"], "pmcid": ids["pmcid"], "mesh": tuple(work.get("mesh", ()))}
    blocks = [title, *([abstract] if abstract else [])]
    text = "\n\n".join(blocks)
    sections = split_labelled_sections(text, len(text) - len(blocks[-1]))
    if keywords := "; ".join(work.get("keywords", ())):
        text = f"{text}\n\nKeywords: {keywords}"
    return Document(reference=reference.model_copy(update=known), text=text, sections=sections)


def _clean_abstract(marked: str) -> str:
    paragraphs = (" ".join(strip_markup(part).split()) for part in re.split(r"\n\s*\n|</p>", marked))
    return "\n\n".join(filter(None, paragraphs))


_PMID = lazy_regex(r"(?:PMID:?\s*)?0*([1-9][0-9]{0,7})")
_NOTED_ID = lazy_regex(r"^\s*(PMID|PMCID):\s*((?:PMC)?[0-9]{1,9})\b", re.MULTILINE)
"""How managers note the ids for which their formats have no field."""


def _find_ids(work: WorkFields) -> dict[str, str]:
    """The DOI, PMID and PMCID that the record gives, in fields, in its address or in a note of its own."""
    noted = dict(_NOTED_ID.findall(work.get("notes") or ""))
    link = parse_link(work["url"]) if work.get("url") else None
    pmid = _PMID.fullmatch((work.get("pmid") or noted.get("PMID") or (link.pmid if link else "")).strip())
    pmcid = re.search(r"PMC[0-9]{1,9}", work.get("pmcid") or noted.get("PMCID") or (link.pmcid if link else ""))
    resolved = link.doi if link and "doi.org/" in link.url else ""
    doi = next(filter(normalize_doi, (work.get("doi") or "", work.get("doi_elsewhere") or "")), resolved)
    return {"doi": doi, "pmid": pmid[1] if pmid else "", "pmcid": pmcid[0] if pmcid else ""}


# RIS and PubMed's format: a tag at the start of a line, padded to a width, a hyphen, and its value.

_FIRST_TAG = lazy_regex(r"^(TY|PMID)( {0,2})-", re.MULTILINE)
_LINED_TAGS = ("AB", "KW", "N1", "N2")
"""Tags whose lines mean something: paragraphs, keywords, notes."""
_SERIES_TYPES = ("BOOK", "EBOOK", "EDBOOK", "GOVDOC", "RPRT", "THES")
"""Types of RIS whose second title is that of a series."""

TaggedRecord = dict[str, list[str]]


@salvage_documents
def read_tagged_references(path: File, kind: SourceKind) -> DocumentStream:
    """A document for each record of a file in RIS (TY … ER) or in PubMed's format (PMID- …).

    A record that does not end is read as far as it goes, and told. Raises UnreadableFile where none begins.
    """
    text, faults = read_text_told(path)
    first = _FIRST_TAG.search(text)
    if first is None:
        raise UnreadableFile(str(path), "no record begins in it (TY or PMID)", "Export the references again.")
    yield from build_documents(
        _read_tagged_works(text[first.start() :], first[1], len(first[0]) - 1),
        partial(_build_document, kind=kind),
        REMEDY,
    )
    yield from faults


def _read_tagged_works(text: str, opening: str, width: int) -> Iterator[tuple[str, WorkFields | UnreadablePart]]:
    tag_line = re.compile(rf"(?=.{{{width}}}-)([A-Z][A-Z0-9]{{1,3}}) *-(?: (.*)|[ \t]*$)")
    record: TaggedRecord = {}
    values: list[str] = []
    number, is_open, joint = 0, False, " "
    for line in [*text.split("\n"), f"{opening:<{width}}- "]:
        found = tag_line.match(line)
        tag, value = (found[1], (found[2] or "").strip()) if found else ("", line.strip())
        if tag == opening:
            if record:
                yield f"record {number}", (_read_ris if opening == "TY" else _read_nbib)(record)
            if is_open and opening == "TY":
                reason = "it does not end (ER); it was read as far as it goes"
                yield f"record {number}", UnreadablePart(f"record {number}", reason, "Export the references again.")
            number, record, is_open = number + 1, defaultdict(list), True
        elif tag == "ER":
            is_open = False
        if tag and is_open:
            values = record[tag]
            values.append(value)
            joint = "\n" if tag in _LINED_TAGS else " "
        elif values and is_open:
            values[-1] = f"{values[-1]}{joint}{value}"


def _first(record: TaggedRecord, *tags: str) -> str:
    return next((value for tag in tags for value in record.get(tag, ()) if value), "")


def _read_ris(record: TaggedRecord) -> WorkFields:
    tags = ("T2", "BT") if _first(record, "TY") not in _SERIES_TYPES else ()
    years = [*filter(None, map(_read_date, (*record.get("PY", ()), *record.get("Y1", ()))))]
    year = years[0][:4] if years else ""
    # EndNote writes the day alone: "Mar 4".
    days = [_read_date(said) or _read_date(f"{year} {said}") for said in record.get("DA", ())]
    database = _first(record, "DB", "DP")
    number = _first(record, "AN")
    pages = "-".join(filter(None, (_first(record, "SP"), _first(record, "EP"))))
    return {
        "title": _first(record, "TI", "T1", "CT", "BT"),
        "abstract": _first(record, "AB", "N2"),
        "authors": [*map(_read_ris_name, record.get("AU", []) + record.get("A1", []) or record.get("A2", []))],
        "journal": _first(record, "JF", *tags, "JO", "JA", "J2", "J1"),
        "published": most_precise_date([*years, *(day for day in days if day.startswith(year))]),
        "volume": _first(record, "VL"),
        "issue": _first(record, "IS"),
        # "No-Specified", say.
        "pages": pages if any(map(str.isdigit, pages)) else "",
        "doi": _first(record, "DO"),
        "doi_elsewhere": _first(record, "M3"),
        # Databases have numbers of their own.
        "pmid": number if re.search(r"pubmed|medline|\bnlm\b", database, re.IGNORECASE) else "",
        "pmcid": _first(record, "C2"),
        "url": next((url for tag in ("UR", "LK", "L2") for url in record.get(tag, ()) if url.startswith("http")), ""),
        "organisation": _first(record, "PB"),
        "publication_types": [value for value in record.get("M3", ()) if not normalize_doi(value)],
        "keywords": [word for value in record.get("KW", ()) for word in _split_list(value, "\n;")],
        "notes": "\n".join(record.get("N1", ())),
    }


def _split_list(words: str, marks: str) -> list[str]:
    """The parts of a list between two marks."""
    return [part.strip() for part in words.replace(marks[0], marks[1]).split(marks[1]) if part.strip()]


def _read_ris_name(name: str) -> str:
    """A comma behind the whole name says that it is a group's, or that of a person with one name."""
    bare = name.rstrip(", ")
    is_group = bare != name and ("," in bare or " " in bare or GROUP_WORD.search(bare))
    return format_group(bare) if is_group else format_display_name(name)


def _read_nbib(record: TaggedRecord) -> WorkFields:
    ids = [*record.get("LID", ()), *record.get("AID", ())]
    headings = [heading.strip() for heading in record.get("MH", ())]
    return {
        "title": _first(record, "TI", "BTI", "TT"),
        "abstract": _first(record, "AB"),
        "authors": [
            *map(format_display_name, record.get("FAU") or record.get("AU", [])),
            *map(format_group, record.get("CN", [])),
        ],
        "journal": _first(record, "JT", "TA"),
        "published": _read_date(_first(record, "DP")),
        "volume": _first(record, "VI"),
        "issue": _first(record, "IP"),
        "pages": _first(record, "PG"),
        "doi": next((id.removesuffix(" [doi]") for id in ids if id.endswith(" [doi]")), ""),
        "pmid": _first(record, "PMID"),
        "pmcid": _first(record, "PMC"),
        "organisation": _first(record, "PB"),
        "publication_types": record.get("PT", []),
        # A star marks what the work is mainly about.
        "mesh": [heading.replace("*", "") for heading in sorted(headings, key=lambda heading: "*" not in heading)],
        "keywords": [word.lstrip("*") for word in record.get("OT", ())],
    }


def _read_date(written: str) -> str:
    """ "2020/05/03/", "2020///May", "2020 May 3", "2009 Nov-Dec", "May 2020" → ISO 8601; "" for what is no date."""
    year = re.search(r"(?<!\d)[12]\d{3}(?!\d)", written)
    if year is None:
        return ""
    month, day, *_ = [
        *re.findall(r"[A-Za-z]{3,}|\b\d{1,2}\b", written[year.end() :] or written[: year.start()]),
        "",
        "",
    ]
    return iso_date(year[0], month, day)


# BibTeX: bibtexparser finds the entries and the parts of names, pylatexenc reads TeX.


@salvage_documents
def read_bibtex(path: File, kind: SourceKind) -> DocumentStream:
    """A document an entry; words of TeX are read as it prints them. What is no entry is told, the others go in."""
    text, faults = read_text_told(path)
    yield from build_documents(_read_bibtex_works(text), partial(_build_document, kind=kind), REMEDY)
    yield from faults


def _read_bibtex_works(text: str) -> Iterator[tuple[str, WorkFields | UnreadablePart]]:
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string(text, parse_stack=[])
    strings = {name.lower(): string.value for name, string in library.strings_dict.items()}
    for block in library.blocks:
        where = f"line {(block.start_line or 0) + 1}"
        # Two works may have one key: it is the file's, and no id of theirs.
        entry = (
            block.ignore_error_block if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock) else block
        )
        if isinstance(entry, Entry):
            try:
                work = _read_bibtex_entry(entry, strings)
                yield where, work
                if unread := {*_UNREAD_COMMAND.findall(f"{work['title']} {work['abstract']}")}:
                    reason = f"its TeX commands {', '.join(sorted(unread))[:80]} are shown by their names"
                    yield where, UnreadablePart(where, reason, "Write the signs themselves.")
            except RecursionError:
                yield where, UnreadablePart(where, "its braces are nested too deeply", REMEDY)
        elif isinstance(block, ParsingFailedBlock):
            yield where, UnreadablePart(where, f"it is not a BibTeX entry ({_explain(block.error)})", REMEDY)
        if isinstance(block, DuplicateFieldKeyBlock):
            names = ", ".join(sorted(block.duplicate_keys))
            yield where, UnreadablePart(where, f"it gives {names} more than once; the first counts", REMEDY)


def _explain(error: Exception) -> str:
    return " ".join(str(getattr(error, "abort_reason", error)).split())[:120]


def _read_bibtex_entry(entry: "Entry", strings: Mapping[str, str]) -> WorkFields:
    raw: dict[str, str] = {}
    for field in entry.fields:
        raw.setdefault(field.key.lower(), _join_values(str(field.value), strings))

    def read_first(*names: str) -> str:
        return next((words for name in names if (words := _read_tex(raw.get(name, "")).strip())), "")

    month, day = (*re.findall(r"[A-Za-z]+|\d+", raw.get("month", "")), *re.findall(r"\d+", raw.get("day", "")), "", "")[
        :2
    ]
    is_pubmed = raw.get("eprinttype", "").lower() == "pubmed"
    return {
        "title": ": ".join(filter(None, (read_first("title"), read_first("subtitle")))),
        "abstract": read_first("abstract"),
        "authors": list(_read_bibtex_names(raw.get("author") or raw.get("editor", ""))),
        "journal": read_first("journal", "journaltitle", "booktitle"),
        "published": _read_date(raw.get("date", "")) or iso_date(raw.get("year", "").strip(), month, day),
        "volume": read_first("volume"),
        "issue": read_first("number", "issue"),
        "pages": read_first("pages", "eid"),
        "doi": _read_address(raw.get("doi", "")),
        "pmid": raw.get("pmid", "") or (raw.get("eprint", "") if is_pubmed else ""),
        "pmcid": raw.get("pmcid", "") or raw.get("pmc", ""),
        "url": _read_address(raw.get("url", "")),
        "organisation": read_first("publisher", "institution", "organization", "school"),
        "keywords": _split_list(read_first("keywords"), ",;"),
        "notes": raw.get("note", ""),
    }


def _join_values(value: str, strings: Mapping[str, str], depth: int = 0) -> str:
    """The words of a field, joined where "#" joins them; a bare word is a string of the file, or stands for itself."""
    parts, level, is_quoted, start = [], 0, False, 0
    for at, sign in enumerate(f"{value}#"):
        level += {"{": 1, "}": -1}.get(sign, 0)
        is_quoted ^= sign == '"' and level == 0
        if sign == "#" and ((level == 0 and not is_quoted) or at == len(value)):
            parts.append(value[start:at].strip())
            start = at + 1
    return "".join(_join_part(part, strings, depth) for part in parts)


def _join_part(part: str, strings: Mapping[str, str], depth: int) -> str:
    if part[:1] in ("{", '"'):
        return part[1:-1]
    known = strings.get(part.lower()) if depth < 5 else None
    return part if known is None else _join_values(known, strings, depth + 1)


_TEX_SIGNS = {
    **{"textless": "<", "lt": "<", "textgreater": ">", "gt": ">", "textbar": "|", "textminus": "−"},
    **{"degree": "°", "celsius": "°C", "permil": "‰", "textbraceleft": "{", "textbraceright": "}", "copyright": "©"},
    **dict.fromkeys(("mbox", "hbox", "par", "relax", "newline"), ""),
}
"""Commands that pylatexenc would drop without a word."""

_UNREAD_COMMAND = lazy_regex(r"\\[A-Za-z]+")
_RAISED = lazy_regex(r"\\textsuperscript\s*\{([^{}]*)\}")
_LOWERED = lazy_regex(r"\\textsubscript\s*\{([^{}]*)\}")
_BARE_PERCENT = lazy_regex(r"(?<!\\)%")
_BARE_DOLLAR = lazy_regex(r"(?<!\\)\$")


def _read_tex(words: str) -> str:
    """The words as TeX prints them, paragraphs apart. A "%" begins no comment here, and a lone "$" no formula."""
    if not re.search(r"[\\${}~]|--|``|''", words):
        return words
    words = _LOWERED.sub(r"<sub>\1</sub>", _RAISED.sub(r"<sup>\1</sup>", _BARE_PERCENT.sub(r"\%", words)))
    if len(_BARE_DOLLAR.findall(words)) % 2:
        words = _BARE_DOLLAR.sub(r"\$", words)
    return str(_build_tex_reader().latex_to_text(words)).replace("\xa0", " ")


@cache
def _build_tex_reader() -> "LatexNodes2Text":
    """A reader that keeps the name of a command which it does not know, where that stood."""
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    def keep_name(node: Any) -> str:
        return f"\\{node.macroname} "

    signs = get_default_latex_context_db()
    macros = [MacroTextSpec(name, sign) for name, sign in _TEX_SIGNS.items()]
    signs.add_context_category("signs", prepend=True, macros=macros)
    signs.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=keep_name))
    return LatexNodes2Text(latex_context=signs)


def _read_address(written: str) -> str:
    """An address or a DOI, of which TeX's escapes are the only ones."""
    return re.sub(r"\\url\s*|[{}\s]|\\(?=[_&%#$~])", "", written)


def _read_bibtex_names(written: str) -> Iterator[str]:
    from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

    for name in split_multiple_persons_names(" ".join(written.split())):
        if (name.startswith("{") and name.endswith("}")) or (GROUP_WORD.search(name) and "," not in name):
            yield format_group(_read_tex(name.strip("{}")))
        elif name != "others":
            parts = parse_single_name_into_parts(name, strict=False)
            family, given, suffix = (
                _read_tex(" ".join(words)) for words in (parts.von + parts.last, parts.first, parts.jr)
            )
            yield format_person(family, given, suffix)


# CSL-JSON (Citation Style Language 1.0.2).


def is_csl(value: object) -> TypeGuard[Sequence[object] | Mapping[str, Any]]:
    """Whether a value of JSON is a work, or a list of works, as the Citation Style Language has them."""
    items = value if isinstance(value, list) else [value]
    return any(
        isinstance(item, dict)
        and isinstance(item.get("type"), str)
        and (isinstance(item.get("issued"), dict) or "container-title" in item or _list_names(item.get("author")))
        for item in items
    )


def read_csl(value: Sequence[object] | Mapping[str, Any], kind: SourceKind) -> DocumentStream:
    """A document a work."""
    items = value if isinstance(value, list) else [value]
    return build_documents(_read_csl_items(items), partial(_build_document, kind=kind), REMEDY)


def _read_csl_items(items: Sequence[object]) -> Iterator[tuple[str, WorkFields | UnreadablePart]]:
    for number, item in enumerate(items, 1):
        where = f"item {number}"
        if isinstance(item, dict):
            yield where, _read_csl_item(item)
        else:
            yield where, UnreadablePart(where, "it is not a JSON object", REMEDY)


def _read_csl_item(item: Mapping[str, Any]) -> WorkFields:

    def read_first(*names: str) -> str:
        values = (value[0] if isinstance(value := item.get(name), list) and value else value for name in names)
        return next((str(value) for value in values if isinstance(value, str | int) and str(value).strip()), "")

    return {
        "title": read_first("title"),
        "abstract": read_first("abstract"),
        "authors": [
            *filter(None, map(format_csl_name, _list_names(item.get("author")) or _list_names(item.get("editor"))))
        ],
        "journal": strip_markup(read_first("container-title")),
        "published": _read_csl_date(item.get("issued")),
        "volume": read_first("volume"),
        "issue": read_first("issue"),
        "pages": read_first("page"),
        "doi": read_first("DOI"),
        "pmid": read_first("PMID"),
        "pmcid": read_first("PMCID"),
        "url": read_first("URL"),
        "organisation": read_first("publisher"),
        "keywords": _split_list(read_first("keyword"), ",;"),
        "notes": read_first("note"),
    }


def _list_names(value: object) -> list[Mapping[str, object]]:
    names = value if isinstance(value, list) else []
    return [name for name in names if isinstance(name, dict) and ("family" in name or "literal" in name)]


def _read_csl_date(issued: object) -> str:
    if not isinstance(issued, dict):
        return ""
    parts = issued.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return iso_date(*map(str, parts[0][:3]))
    return _read_date(str(issued.get("raw") or issued.get("literal") or ""))
