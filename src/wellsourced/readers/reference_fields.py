"""The fields of a reference as files give them: under names that people choose, or as office programs write them."""

import re
from collections.abc import Mapping

from wellsourced.readers.base import normalize_line_ends
from wellsourced.types import ReadingDepth, Reference, SourceKind

_MEANINGLESS_TITLE = re.compile(
    r"microsoft word|word document|untitled|^document ?[0-9]*$|\.(docx?|pdf|tex|indd|qxd|rtf|dvi)\b", re.IGNORECASE
)

_DOI_LEAD = re.compile(r"\A(https?://(dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def clean_title(title: str) -> str:
    """The title of the work; "" for what programs put there by themselves, and for one or two words."""
    words = normalize_line_ends(title).split()
    # "Microsoft Word - draft2.docx" is what a program was called with, and would head every quote of the work.
    return "" if len(words) < 3 or _MEANINGLESS_TITLE.search(title) else " ".join(words)


def clean_author_names(authors: str) -> tuple[str, ...]:
    """Names of people; a single word is the name of an account, not a person's."""
    names = (" ".join(name.split()) for name in re.split(r"[;,]|\band\b", normalize_line_ends(authors)))
    return tuple(name for name in names if " " in name)


def parse_iso_date(value: object) -> str:
    """A date as precise as it is given, in ISO 8601: 2022, "2022-05", "2022-05-03T10:00" → "2022-05-03"; else ""."""
    match = re.match(r"[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?(?![0-9])", str(value).strip())
    return match.group() if match else ""


def build_reference(
    fields: Mapping[str, object], *, id: str, title: str, kind: SourceKind, depth: ReadingDepth
) -> Reference:
    """The reference of a document from fields under the names that people give them."""
    return Reference(
        id=id,
        title=title,
        kind=kind,
        depth=depth,
        url=_first_value(fields, "url", "link"),
        doi=bare_doi(_first_value(fields, "doi")),
        published=_first_date(fields, "published", "date", "publication_date", "year"),
        organisation=_first_value(fields, "organisation", "organization", "publisher", "source"),
        authors=_list_values(fields, "authors", "author"),
        journal=_first_value(fields, "journal"),
        publication_types=_list_values(fields, "publication_types", "publication_type"),
    )


def bare_doi(doi: str) -> str:
    """A DOI without the address or the word in front of it."""
    return _DOI_LEAD.sub("", doi.strip(), count=1)


def _first_value(fields: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and str(value).strip():
            return normalize_line_ends(str(value).strip())
    return ""


def _first_date(fields: Mapping[str, object], *names: str) -> str:
    return next((date for name in names if (date := parse_iso_date(fields.get(name)))), "")


def _list_values(fields: Mapping[str, object], *names: str) -> tuple[str, ...]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return tuple(part.strip() for part in normalize_line_ends(value).split(";") if part.strip())
        if isinstance(value, list):
            return tuple(normalize_line_ends(part.strip()) for part in value if isinstance(part, str) and part.strip())
    return ()
